"""Requests made up from the schema, valid and not: whoever asks, nothing fails, and every answer is as documented."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
import schemathesis
from django.contrib.auth.models import User
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

from tests.factories import make_event, make_user, make_version, play_event, spoil_match
from tests.tournaments.api import contract
from tournaments.models import Match
from tournaments.services.tokens import make_token
from tournaments.wsgi import application

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
TAGS = sorted({tag for methods in contract.schema()["paths"].values() for operation in methods.values()
               for tag in operation["tags"]})
EXAMPLES = 6
# Generated requests are the same in every run.
FEW = settings(max_examples=EXAMPLES, derandomize=True, database=None, deadline=None,
               suppress_health_check=list(HealthCheck))

pytestmark = [pytest.mark.slow, pytest.mark.once]


class Undone(Exception):
    """Ends a savepoint, so that the next request finds what this one found."""


@pytest.fixture(autouse=True)
def one_connection() -> Iterator[None]:
    """The test's own, as Django's test client sees to it."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def known(db: None) -> dict[str, dict[str, Any]]:
    """A site on which something has happened; what its rows go by, resource by resource."""
    bots = [make_version(name) for name in ("Morphy", "Anderssen", "<b>Steinitz</b>")]
    event = play_event(make_event(bots, size=5, ruleset="square-grid-hex"))
    coming = make_event(bots[:2], name="Next", started=False)
    running = make_event(bots[:2], name="Now", size=5)
    spoil_match(Match.objects.filter(event=running)[0], "the disk was full")
    game = Match.objects.filter(event=event)[0].games.all()[0]
    pk = {"id": game.pk}
    return {
        "events": {"slug": (event.slug, coming.slug, running.slug)}, "ladders": {"slug": (event.ladder.slug,)},
        "bots": {"slug": (bots[0].bot.slug,)}, "rulesets": {"slug": ("squ", "chess")},
        "games": pk, "matches": {"id": game.match_id}, "rounds": {"id": game.match.round_id},
        "versions": {"id": bots[0].pk}, "submissions": {"id": bots[0].submission_id},
    }


def header_of(role: str) -> dict[str, str]:
    """What signs a request of this role: nobody's, an author's who owns the bots, an organiser's."""
    # The client that asks cannot unpack.
    plain = {"Accept-Encoding": "identity"}
    if role == "anonymous":
        return plain
    user: User = make_user("mia") if role == "author" else make_user("organiser", staff=True)
    _, text = make_token(user=user, name="fuzz", now=timezone.now(), expires_at=timezone.now() + timedelta(days=1))
    return {**plain, "Authorization": f"Token {text}"}


def operations(tag: str) -> Iterator[Any]:
    schema = schemathesis.openapi.from_dict(contract.schema())
    schema.app = application
    schema.config.update(base_url="http://localhost")
    for result in schema.get_all_operations():
        operation = result.ok()
        if tag in operation.tags:
            yield operation


def undone(act: Callable[[], None]) -> None:
    """Do it, and take back what it wrote."""
    try:
        with transaction.atomic():
            act()
            raise Undone
    except Undone:
        pass


class TestTheApi:
    @pytest.mark.parametrize("tag", TAGS)
    @pytest.mark.parametrize("role", ["anonymous", "author", "staff"])
    def test_answers_whatever_is_asked_as_its_schema_says(self, known, role: str, tag: str) -> None:
        headers = header_of(role)
        for operation in operations(tag):
            for mode in schemathesis.GenerationMode:
                ask(operation, mode, headers, known.get(tag, {}))


def ask(operation: Any, mode: Any, headers: dict[str, str], known: dict[str, Any]) -> None:
    """Made-up requests to the operation, each also about rows that there are."""
    @FEW
    @given(operation.as_strategy(generation_mode=mode))
    def check(case: Any) -> None:
        undone(lambda: case.call_and_validate(headers=headers, checks=CHECKS))
        for name, values in known.items():
            if name in case.path_parameters:
                for value in values if isinstance(values, tuple) else (values,):
                    case.path_parameters = {**case.path_parameters, name: value}
                    undone(lambda: case.call_and_validate(headers=headers, checks=CHECKS))

    # To some operations nothing invalid can be said: they have no parameters, or any text is one.
    with suppress(Unsatisfiable):
        check()
