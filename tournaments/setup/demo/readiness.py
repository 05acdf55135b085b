"""Waiting for the checks of the demo's bots, with a line of progress for each step."""

import time
from collections.abc import Callable, Sequence

from rich.console import Console
from rich.markup import escape

from engines.check import Stage
from tournaments.models import Submission, Version
from tournaments.models.lifecycle import SUBMISSION_OPEN, SubmissionStatus
from tournaments.selectors.bots.submissions import newest_check, setback

_SECONDS_BETWEEN_LOOKS = 0.5


class NotReady(Exception):
    """A reference bot did not qualify on this machine; the message names the step."""


def wait(console: Console, submissions: Sequence[Submission], check: Callable[[], None]) -> list[Version]:
    """Return the submissions' versions. `check` is called at each look and may raise. Raises NotReady."""
    ids = [submission.pk for submission in submissions]
    said = ""
    with console.status("") as status:
        while True:
            found = list(Submission.objects.filter(pk__in=ids).select_related("version__bot").order_by("pk"))
            waiting = [submission for submission in found if submission.status in SUBMISSION_OPEN]
            if not waiting:
                break
            line = f"Checking the bots: {', '.join(_words(submission) for submission in found)}"
            status.update(escape(line))
            if not console.is_terminal and line != said:
                console.print(escape(line))
                said = line
            check()
            time.sleep(_SECONDS_BETWEEN_LOOKS)
    refused = [submission for submission in found if submission.status == SubmissionStatus.REFUSED]
    if refused:
        raise NotReady("\n".join(f"{submission.name} is not ready. {submission.refusal}\n{submission.stderr}"
                                 for submission in refused))
    return [submission.version for submission in sorted(found, key=lambda submission: ids.index(submission.pk))]


def _words(submission: Submission) -> str:
    """Return the progress of a bot's check: "greedy game 3"."""
    if submission.status == SubmissionStatus.ACCEPTED:
        return f"{submission.name} ready"
    if reason := setback(submission):
        return f"{submission.name} retrying ({reason})"
    check = newest_check(submission)
    if check is None or not check.steps:
        return f"{submission.name} waiting"
    games = sum(step["stage"] == Stage.GAME for step in check.steps)
    return f"{submission.name} {f'game {games}' if games else check.steps[-1]['name']}"
