"""What a check lets its author see while it runs: its steps, the end of its build's log, and its qualification games.

Each is written as it comes, while the check runs and no longer, so a check that was voided in the meantime says nothing
more.
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
# Of a log that still grows: what fits on a page that is asked for every other second.
LONGEST_END: Final = 16 * 1024


def note_steps(check: Check, steps: Sequence[Step]) -> None:
    """Show how far the check has come."""
    noted = [asdict(step) | {"name": storable(step.name), "note": storable(step.note),
                             "seconds": round(step.seconds, 3)} for step in steps]
    _running(check).update(steps=noted)


def note_log(check: Check, log: str) -> None:
    """Show the end of what the build has written so far, in whole lines."""
    end = log[-LONGEST_END:]
    if len(log) > LONGEST_END and "\n" in end:
        end = end.partition("\n")[2]
    _running(check).update(log=storable(end))


def note_game(check: Check, number: int, record: GameRecord) -> None:
    """Keep a qualification game, the first being number 1. The bot moves first in it, second in the next, and so on."""
    with transaction.atomic():
        if not _running(check).select_for_update().exists():
            return
        result = record.result
        QualificationGame.objects.create(
            check_run=check, number=number, ruleset=record.ruleset, size=record.size, seat=(number - 1) % 2,
            winner=result.winner, ended_by=result.ended_by, reason=result.reason, plies=len(record.turns),
            record=record.to_dict())


def storable(text: str) -> str:
    """A stranger's text without what PostgreSQL cannot hold, its middle left out when it is too long."""
    text = text.replace("\0", "\\x00")
    half = LONGEST_STORED // 2
    return text if len(text) <= LONGEST_STORED else f"{text[:half]}\n…\n{text[-half:]}"


def _running(check: Check) -> QuerySet[Check]:
    return Check.objects.filter(pk=check.pk, status=AttemptStatus.RUNNING)
