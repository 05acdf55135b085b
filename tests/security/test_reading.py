"""Every role requests every page and every GET of the API, and reads only the secrets meant for it."""

import re
from collections import defaultdict

import pytest
from django.test import Client

from tests.security import surface
from tests.security.planted import MARK, MAY_READ, ROLES, clients, secret
from tests.tournaments.api.roles import World

QUICK = ("anyone", "noor", "mia")
SECRETS = {secret(name): name for name in MAY_READ}


def read_by(role: str) -> dict[str, list[str]]:
    """Return the secrets that this role finds, with their URLs; a response 500 fails."""
    browser, program = clients(role)
    nouns, found = surface.nouns(), defaultdict(list)
    for pattern, client in [*((path, program) for method, path in surface.operations() if method == "get"),
                            *((path, browser) for path in surface.pages())]:
        for address in surface.fill(pattern, nouns):
            for text in answers_of(client, address):
                for word in re.findall(rf"{MARK}\w*", text):
                    found[SECRETS.get(word, word)].append(address)
    return found


def answers_of(client: Client, address: str) -> list[str]:
    """Return the body and the headers of the response at a URL."""
    answer = client.get(address)
    assert answer.status_code != 500, address
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return [body.decode("utf-8", "replace"), str(answer.headers)]


class TestEveryUrl:
    @pytest.mark.parametrize("role", [role if role in QUICK else pytest.param(role, marks=pytest.mark.slow)
                                      for role in ROLES])
    def test_shows_each_role_only_its_secrets(self, planted: World, role: str) -> None:
        found = read_by(role)
        meant = {name for name, roles in MAY_READ.items() if role in roles}
        assert {name: places for name, places in found.items() if name not in meant} == {}
        # A token opens no pages, and some secrets are only on pages.
        assert set(found) == meant or role == "script"
