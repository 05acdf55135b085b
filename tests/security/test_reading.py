"""Every role requests every page and every GET of the API, and reads only the secrets meant for it."""

import re
from collections import defaultdict
from collections.abc import Iterable

import pytest
from django.test import Client

from tests.effort import ALL
from tests.security import surface
from tests.security.planted import MARK, MAY_READ, ROLES, clients, secret
from tests.tournaments.api.roles import World
from tournaments.models import Game

pytestmark = [pytest.mark.slow, pytest.mark.django_db, pytest.mark.xdist_group("the planted site")]
SECRETS = {secret(name): name for name in MAY_READ}
# These request every URL; the other roles, unless everything is to be tested, only those that show anyone a secret.
THOROUGH = ("anyone", "mia", "organiser")
# No text is found in pictures, and users see the same documents as visitors.
PICTURES = (".png", ".gif")
DOCUMENTS = ("/docs/", "/api/docs/", "/api/schema/", "/downloads/", "/rules/", "/icons/")
Request = tuple[str, str]


def every_request() -> list[Request]:
    """Return which kind of client requests which URL."""
    nouns = surface.nouns()
    # One private and one public event, with their matches, and one row of each other kind are enough: every row of a
    # kind has the same secrets. Both games of a match are equally private.
    events = ("secret", "public")
    games = Game.objects.filter(number=1, event__slug__in=events)
    nouns = {noun: keys[:1] for noun, keys in nouns.items()} | {
        "events": events, "games": [game.pk for game in games], "matches": [game.match_id for game in games],
        "rounds": [game.match.round_id for game in games], "seat": nouns["seat"], "people": nouns["people"],
        "tokens": nouns["tokens"], "play/games": nouns["play/games"]}
    patterns = [*(("api", path) for method, path in surface.operations() if method == "get"),
                *(("page", path) for path in surface.pages() if not path.endswith(PICTURES))]
    return [(kind, address) for kind, pattern in patterns for address in surface.fill(pattern, nouns)]


def read_by(role: str, requests: Iterable[Request]) -> dict[str, list[Request]]:
    """Return the secrets that this role finds, with their URLs; a response 500 fails."""
    browser, program = clients(role)
    found = defaultdict(list)
    for kind, address in requests:
        answer = text_of(program if kind == "api" else browser, address)
        for word in set(re.findall(rf"{MARK}\w*", answer)):
            found[SECRETS.get(word, word)].append((kind, address))
    return found


def text_of(client: Client, address: str) -> str:
    """Return the headers and the body of the response at a URL."""
    answer = client.get(address)
    assert answer.status_code != 500, address
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return f"{answer.headers}\n{body.decode('utf-8', 'replace')}"


class TestEveryUrl:
    def test_shows_each_role_only_its_secrets(self, planted: World) -> None:
        requests = every_request()
        of_users = [request for request in requests if not request[1].startswith(DOCUMENTS)]
        found = {role: read_by(role, requests if role == "anyone" else of_users)
                 for role in (ROLES if ALL else THOROUGH)}
        shown = {request for places in found.values() for requested in places.values() for request in requested}
        found |= {role: read_by(role, sorted(shown)) for role in ROLES if role not in found}
        meant = {role: {name for name, roles in MAY_READ.items() if role in roles} for role in ROLES}
        assert {role: {name: places for name, places in found[role].items() if name not in meant[role]}
                for role in ROLES} == {role: {} for role in ROLES}
        # A token opens no pages, and some secrets are only on pages.
        assert {role: set(places) for role, places in found.items() if role != "script"} == {
            role: names for role, names in meant.items() if role != "script"}
