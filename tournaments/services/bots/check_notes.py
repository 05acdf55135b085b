"""Progress of a running check, shown to its author: steps, the end of the build's log, and qualification games.

Each part is written as it becomes available and only while the check runs, so a check that was voided in the meantime
writes nothing more.
"""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Final

from django.db import transaction
from django.db.models import QuerySet

from engines.check import Step
from engines.records.record import GameRecord
from tournaments.models import Check, QualificationGame
from tournaments.models.lifecycle import AttemptStatus

LONGEST_STORED: Final = 64 * 1024
# The part of a growing log that fits on a page which is requested every two seconds.
LONGEST_END: Final = 16 * 1024


def note_steps(check: Check, steps: Sequence[Step]) -> None:
    """Store the steps that the check has reached."""
    noted = [asdict(step) | {"name": storable(step.name), "note": storable(step.note),
                             "seconds": round(step.seconds, 3)} for step in steps]
    _running(check).update(steps=noted)


def note_log(check: Check, log: str) -> None:
    """Store the end of the build's output so far, in whole lines."""
    end = log[-LONGEST_END:]
    if len(log) > LONGEST_END and "\n" in end:
        end = end.partition("\n")[2]
    _running(check).update(log=storable(end))


def note_game(check: Check, number: int, record: GameRecord) -> None:
    """Store a qualification game. The bot moves first in number 1, second in number 2, and so on."""
    with transaction.atomic():
        if not _running(check).select_for_update().exists():
            return
        result = record.result
        QualificationGame.objects.create(
            check_run=check, number=number, ruleset=record.ruleset, size=record.size, seat=(number - 1) % 2,
            winner=result.winner, ended_by=result.ended_by, reason=result.reason, plies=len(record.turns),
            record=record.to_dict())


def storable(text: str) -> str:
    """Escape NUL, which PostgreSQL rejects, in untrusted text, and cut out the middle if it is too long."""
    text = text.replace("\0", "\\x00")
    half = LONGEST_STORED // 2
    return text if len(text) <= LONGEST_STORED else f"{text[:half]}\n…\n{text[-half:]}"


def _running(check: Check) -> QuerySet[Check]:
    return Check.objects.filter(pk=check.pk, status=AttemptStatus.RUNNING)
