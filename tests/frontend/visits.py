"""Visits to pages: a signed-in browser, the text of a page, and what a page says after a form."""

from typing import Any

from django.contrib.auth.models import User
from django.test import Client

from tests.factories import make_user

# A name that would run a script if a page did not escape it.
HOSTILE = '<img src=x onerror=alert("1")>'


def signed_in(who: str | User, *, staff: bool = False) -> Client:
    """Return a browser in which this user is signed in."""
    client = Client()
    client.force_login(make_user(who, staff=staff) if isinstance(who, str) else who)
    return client


def body(client: Client, address: str, *, expect: int = 200, **query: object) -> str:
    """Return the page at this address, after checking its status."""
    answer = client.get(address, query)
    assert answer.status_code == expect, address
    return answer.content.decode()


def said(client: Client, answer: Any) -> str:
    """Return the page that the response to a form redirects to."""
    assert answer.status_code == 302, answer.content.decode()
    return client.get(answer["Location"]).content.decode()


def part_of(page: str, begins: str, ends: str) -> str:
    """Return the part of a page between two texts."""
    return page.partition(begins)[2].partition(ends)[0]
