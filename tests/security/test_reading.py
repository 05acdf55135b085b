"""Nobody reads what is not for them, whatever address they ask: every GET of the API and every page, role by role."""

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
    """Which secrets this role finds, and where; an answer 500 counts as one."""
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
    """What is said at an address, in headers and body."""
    answer = client.get(address)
    assert answer.status_code != 500, address
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return [body.decode("utf-8", "replace"), str(answer.headers)]


class TestEveryAddress:
    @pytest.mark.parametrize("role", [role if role in QUICK else pytest.param(role, marks=pytest.mark.slow)
                                      for role in ROLES])
    def test_tells_each_role_what_is_for_it_and_no_more(self, planted: World, role: str) -> None:
        found = read_by(role)
        meant = {name for name, roles in MAY_READ.items() if role in roles}
        assert {name: places for name, places in found.items() if name not in meant} == {}
        # A token opens no pages, and some of it is on pages alone.
        assert set(found) == meant or role == "script"
