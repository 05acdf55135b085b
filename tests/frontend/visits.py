"""Visits to pages: a signed-in browser, the text of a page, what it says after a form, and what a bot answers."""

import re
from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from engines.records.record import Fault
from engines.records.time_control import ClockKind
from engines.referee.questions import Answer
from tests.factories import make_user
from tournaments.models import Question
from tournaments.services.casual.answers import claim, finish

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


def reply(text: str = "", *, fault: Fault | None = None, stderr: bytes = b"") -> Question:
    """Answer the open question as the bot."""
    question = Question.objects.get(status="received")
    lease = claim(question_id=question.pk, worker="host:1", tier="standard", now=timezone.now())
    assert finish(lease, Answer(text, fault, 0.25, 0.5, 0.1, ClockKind.CPU, stderr=stderr), timezone.now())
    question.refresh_from_db()
    return question


def status_of(page: str) -> str:
    """Return what the page says about the game or the question."""
    return re.search(r'role="status">([^<]*)<', page)[1]
