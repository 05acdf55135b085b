"""The status of a submission on its page, and the steps of its check with their times."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from engines.check import Stage
from tournaments.models import Check, Submission
from tournaments.models.lifecycle import SUBMISSION_OPEN, AttemptStatus, SubmissionStatus


@dataclass(frozen=True, slots=True)
class Line:
    """A step: `state` is passed, failed, running or due; `game` is the number of its stored game, or 0."""

    name: str
    state: str
    note: str = ""
    seconds: float | None = None
    game: int = 0


def standing(submission: Submission, *, step: str, before: int, workers: int, now: datetime) -> str:
    """Describe the status of a submission without a verdict, without a number that changes over time.

    `step` is the name of the running step, `before` the number of uploads ahead in the queue, `workers` the number
    of workers that can check it.
    """
    if submission.status == SubmissionStatus.CHECKING:
        return _("Checking: %(step)s.") % {"step": step} if step else _("Checking.")
    if submission.due_at > now:
        return _("Recheck pending.")
    if not workers:
        return _("Waiting: no worker that can check it is running.")
    if not before:
        return _("Waiting for a worker: next in the queue.")
    return ngettext("Waiting for a worker: %(number)d upload is ahead in the queue.",
                    "Waiting for a worker: %(number)d uploads are ahead in the queue.", before) % {"number": before}


def seconds_so_far(submission: Submission, check: Check | None, now: datetime) -> float:
    """Seconds since the submission was received, or since its running check started."""
    checked = submission.status == SubmissionStatus.CHECKING and check is not None
    return max(0.0, (now - (check.started_at if checked else submission.received_at)).total_seconds())


def lines(submission: Submission, check: Check | None, games: Collection[int], now: datetime) -> list[Line]:
    """The steps of the check so far and, without a verdict, the steps to come; `games` are the stored games' numbers.

    A check that was interrupted restarts from its first step.
    """
    steps: list[dict[str, Any]] = [] if check is None or check.status == AttemptStatus.VOID else check.steps
    spent = sum(step["seconds"] for step in steps)
    found, played = [], 0
    for step in steps:
        played += step["stage"] == Stage.GAME
        game = played if step["stage"] == Stage.GAME and played in games else 0
        if step["passed"] is None:
            running = seconds_so_far(submission, check, now) - spent
            found.append(Line(step["name"], "running", step["note"], max(0.0, running), game))
        else:
            found.append(Line(step["name"], "passed" if step["passed"] else "failed", step["note"], step["seconds"],
                              game))
    if submission.status in SUBMISSION_OPEN:
        begun = {step["stage"] for step in steps}
        found += [Line(name, "due") for stage, name in _stages().items() if stage not in begun]
    return found


def _stages() -> dict[Stage, str]:
    return {Stage.UNPACK: _("unpack"), Stage.MANIFEST: _("manifest"), Stage.BUILD: _("build"),
            Stage.HANDSHAKE: _("handshake"), Stage.GAME: _("qualification games")}
