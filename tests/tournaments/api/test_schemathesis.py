"""Requests generated from the schema, valid and invalid: none causes a server error, every answer is as documented."""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
import schemathesis
from django.contrib.auth.models import Permission, User
from django.core.serializers.json import DjangoJSONEncoder
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

from tests.factories import make_event, make_user, make_version, play_event
from tests.tournaments.api import contract
from tests.tournaments.api.roles import TABLE, World, make_world
from tournaments.models import AuditEntry, Match
from tournaments.services.accounts.tokens import make_token
from tournaments.wsgi import application

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
EXAMPLES = 1
# The generated requests are the same in every run.
FEW = settings(max_examples=EXAMPLES, derandomize=True, database=None, deadline=None,
               suppress_health_check=list(HealthCheck))

pytestmark = [pytest.mark.slow]


class Undone(Exception):
    """Exception that ends a savepoint, so that the next request finds the same data."""


@pytest.fixture(autouse=True)
def one_connection() -> Iterator[None]:
    """Keep the test's connection open during requests, as Django's test client does."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


# Percentage of operations that must succeed at least once. Others are closed to the role or refuse generated input.
REACHED = {"anonymous": 35, "author": 75, "organiser": 60, "staff": 74}
# Kinds of requests generated per role; generating them takes most of the time.
VALID, INVALID = schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE
MODES = {"anonymous": [VALID], "author": [VALID], "organiser": [VALID], "staff": [INVALID]}


@dataclass(frozen=True)
class Site:
    """A site with data: the keys of its rows by resource, and a world for valid requests."""

    known: dict[str, tuple[Any, ...]]
    world: World


@pytest.fixture(scope="module")
def site(module_db: None) -> Site:
    world = make_world()
    of = world.of
    bots = [make_version(name) for name in ("Morphy", "Anderssen", "<b>Steinitz</b>")]
    event = play_event(make_event(bots, size=5, ruleset="square-grid-hex"))
    game = Match.objects.filter(event=event)[0].games.all()[0]
    return Site({
        "events": (event.slug, of["event"], of["private"]), "ladders": (event.ladder.slug, of["ladder"]),
        "bots": (bots[0].bot.slug, of["bot"]), "rulesets": ("squ", "chess"), "teams": (of["team"],),
        "games": (game.pk,), "matches": (game.match_id, of["void match"]), "rounds": (game.match.round_id,),
        "versions": (bots[0].pk,), "submissions": (bots[0].submission_id,), "webhooks": (of["webhook"],),
        "follows": (of["follow"],),
        "tokens": (of["token"],), "bans": (of["ban"],), "deliveries": (of["delivery"],), "series": (of["series"],),
        "challenges": (of["challenge"],), "candidacies": (of["trial"],), "workers": (of["worker"],),
        "casual-games": (of["casual"],), "problems": ("malformed",),
        "audit": (AuditEntry.objects.values_list("pk", flat=True)[0],),
    }, world)


def header_of(role: str) -> dict[str, str]:
    """The headers of a request: anonymous, by the author who owns the bots, by an organiser or by a superuser."""
    # The test client cannot decompress answers.
    plain = {"Accept-Encoding": "identity"}
    if role == "anonymous":
        return plain
    user = make_user({"author": "mia", "organiser": "olga", "staff": "organiser"}[role])
    if role == "organiser":
        User.objects.filter(pk=user.pk).update(is_staff=True)
        user.user_permissions.set(Permission.objects.filter(
            codename__in=[f"{verb}_{what}" for verb in ("add", "change") for what in ("ladder", "event", "match")]))
    _, text = make_token(user=user, name="fuzz", now=timezone.now(), expires_at=timezone.now() + timedelta(days=1))
    return {**plain, "Authorization": f"Token {text}"}


def operations() -> Iterator[Any]:
    schema = schemathesis.openapi.from_dict(contract.schema())
    schema.app = application
    schema.config.update(base_url="http://localhost")
    for result in schema.get_all_operations():
        yield result.ok()


def undone(act: Callable[[], None]) -> None:
    """Call `act` and roll back what it wrote."""
    try:
        with transaction.atomic():
            act()
            raise Undone
    except Undone:
        pass


class TestTheApi:
    @pytest.mark.parametrize("role", [
        role if role == "author" else pytest.param(role, marks=pytest.mark.thorough) for role in REACHED])
    def test_answers_every_request_as_the_schema_says(self, site: Site, db: None, role: str) -> None:
        headers, reached, number = header_of(role), set(), 0
        for operation in operations():
            number += 1
            if ask(operation, MODES[role], headers, site):
                reached.add(operation.label)
        assert 100 * len(reached) >= REACHED[role] * number, sorted(reached)


def ask(operation: Any, modes: list[Any], headers: dict[str, str], site: Site) -> bool:
    """Send requests to the operation and return whether one succeeded.

    They are generated, valid and invalid, for existing rows too, or taken from the table of valid requests.
    """
    statuses: set[int] = set()

    def send(case: Any) -> None:
        undone(lambda: statuses.add(case.call_and_validate(headers=headers, checks=CHECKS).status_code))

    for mode in modes:
        @FEW
        @given(operation.as_strategy(generation_mode=mode))
        def made_up(case: Any) -> None:
            send(case)
            for name in case.path_parameters:
                for value in site.known.get(case.path.split("/")[2], ())[:1]:
                    case.path_parameters = {name: value}
                    send(case)

        # Some operations have no invalid request: they have no parameters or accept any text.
        with suppress(Unsatisfiable):
            made_up()
    for taken in TABLE.get(operation.label, ()):
        if taken.format == "json":
            values = dict.fromkeys(("slug", "id", "token"), site.world.of.get(taken.key))
            body = json.loads(json.dumps(taken.body(site.world), cls=DjangoJSONEncoder))
            send(operation.Case(
                path_parameters={name: value for name, value in values.items() if f"{{{name}}}" in operation.path},
                body=body, media_type="application/json"))
    for value in site.known.get(operation.path.split("/")[2], ()):
        names = [name for name in ("slug", "id", "token") if f"{{{name}}}" in operation.path]
        if operation.method == "get":
            send(operation.Case(path_parameters=dict.fromkeys(names, value)))
    return any(status < 300 for status in statuses)
