"""Requests generated from the schema, valid and invalid: none causes a server error, every answer is as documented.

`test_roles` shows the same every day for one request to each operation.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.factories import make_user
from tests.tournaments.api import contract
from tests.tournaments.api.roles import World, address_of, make_world
from tournaments.services.accounts.tokens import make_token
from tournaments.wsgi import application

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
# The generated requests are the same in every run. Generating them takes most of the time.
FEW = settings(max_examples=1, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck))
VALID, INVALID = schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE

pytestmark = [pytest.mark.slow, pytest.mark.thorough]


@pytest.fixture(scope="module")
def world(module_db: None) -> World:
    return make_world()


@pytest.fixture(autouse=True)
def one_connection() -> Iterator[None]:
    """Keep the test's connection open during requests, as Django's test client does."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


class TestTheApi:
    @pytest.mark.parametrize(("who", "mode"), [(None, VALID), ("mia", VALID), ("organiser", INVALID)],
                             ids=["anyone", "author", "staff, invalid"])
    def test_answers_every_request_as_the_schema_says(self, world: World, db: None, who: str | None, mode: Any) -> None:
        # The test client cannot decompress answers.
        headers, statuses = {"Accept-Encoding": "identity"}, set()
        if who:
            _, text = make_token(user=make_user(who), name="fuzz", now=timezone.now())
            headers["Authorization"] = f"Token {text}"

        def send(case: Any) -> None:
            # The next request finds the same data.
            with transaction.atomic():
                statuses.add(case.call_and_validate(headers=headers, checks=CHECKS).status_code)
                transaction.set_rollback(True)

        for operation in operations():
            # Some operations have no invalid request: they have no parameters or accept any text.
            with suppress(Unsatisfiable):
                make_up(operation, mode, address_of(operation.path, world).split("/"), send)
        assert {200, 400, 404} <= statuses


def make_up(operation: Any, mode: Any, known: list[str], send: Callable[[Any], None]) -> None:
    """Send a made-up request, also with the keys in the parts of a known address."""
    @FEW
    @given(operation.as_strategy(generation_mode=mode))
    def made_up(case: Any) -> None:
        send(case)
        if case.path_parameters:
            names = [part.strip("{}") for part in operation.path.split("/")]
            case.path_parameters = {name: known[names.index(name)] for name in case.path_parameters}
            send(case)

    made_up()


def operations() -> Iterator[Any]:
    schema = schemathesis.openapi.from_dict(contract.schema())
    schema.app = application
    schema.config.update(base_url="http://localhost")
    for result in schema.get_all_operations():
        yield result.ok()
