"""What a bot answers in a casual game or to a question, and what the page says then."""

import re

from django.utils import timezone

from engines.records.record import Fault
from engines.records.time_control import ClockKind
from engines.referee.questions import Answer
from tournaments.models import Question
from tournaments.services.casual.answers import claim, finish


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
