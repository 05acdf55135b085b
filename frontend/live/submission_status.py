"""What a page says of a submission: how things stand with it, and the steps of its check with their time."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from engines.check import Stage
from frontend.text import wording
from tournaments.models import Check, QualificationGame, Submission
from tournaments.models.lifecycle import SUBMISSION_OPEN, AttemptStatus, SubmissionStatus


@dataclass(frozen=True, slots=True)
class Line:
    """A step: `state` is passed, failed, running or due, `game` the number of the game that can be replayed, or 0."""

    name: str
    state: str
    note: str = ""
    seconds: float | None = None
    game: int = 0


def standing(submission: Submission, *, step: str, before: int, workers: int, now: datetime) -> str:
    """How things stand with one that is not judged yet, without a number that changes by itself.

    `step` is the name of the one under way, `before` how many uploads come first, `workers` how many could check it.
    """
    if submission.status == SubmissionStatus.CHECKING:
        return _("Being checked: %(step)s.") % {"step": step} if step else _("Being checked.")
    if submission.due_at > now:
        return _("It is checked again in a while.")
    if not workers:
        return _("Waiting: no worker that could check it is running.")
    if not before:
        return _("Waiting for a worker: it is the next.")
    return ngettext("Waiting for a worker: %(number)d upload comes first.",
                    "Waiting for a worker: %(number)d uploads come first.", before) % {"number": before}


def seconds_so_far(submission: Submission, check: Check | None, now: datetime) -> float:
    """For how long it has been waiting, or being checked."""
    checked = submission.status == SubmissionStatus.CHECKING and check is not None
    return max(0.0, (now - (check.started_at if checked else submission.received_at)).total_seconds())


def lines(submission: Submission, check: Check | None, games: Collection[int], now: datetime) -> list[Line]:
    """The steps of its check so far, and those to come of one not judged yet; `games` are the numbers of those kept.

    A check that was broken off is made again from its first step.
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


def result(game: QualificationGame, names: tuple[str, str]) -> str:
    """Who won, and how. Names are a stranger's text."""
    how = wording.how(game.ended_by, game.reason, drawn=game.winner is None)
    if game.winner is None:
        return _("Draw %(how)s") % {"how": how}
    return _("%(name)s won %(how)s") % {"name": names[game.winner], "how": how}


def _stages() -> dict[Stage, str]:
    return {Stage.UNPACK: _("unpack"), Stage.MANIFEST: _("manifest"), Stage.BUILD: _("build"),
            Stage.HANDSHAKE: _("handshake"), Stage.GAME: _("qualification games")}
