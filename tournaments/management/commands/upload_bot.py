"""`manage.py upload_bot`."""

import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from engines.sandbox.archives.unpack import ArchiveRefused, pack
from tournaments.management.base import ServiceCommand, user_named
from tournaments.models import Submission
from tournaments.models.lifecycle import SUBMISSION_OPEN, SubmissionStatus
from tournaments.platform.text import visible
from tournaments.selectors.bots.submissions import newest_check, setback
from tournaments.services.bots.submissions import SubmissionRefused, accept_upload

_SECONDS_BETWEEN_LOOKS = 0.5


class Command(ServiceCommand):
    help = "Upload bots as their author would: archives (.zip, .tar, .tar.gz), or directories with a bot.toml."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="archive or directory of a bot")
        parser.add_argument("--owner", required=True, metavar="USERNAME", help="account that will own the bots")
        parser.add_argument("--wait", action="store_true",
                            help="wait until a worker has checked all of them, and show the steps of each check")

    def handle(self, *args: Any, **options: Any) -> None:
        owner = user_named(options["owner"])
        taken: list[tuple[Path, Submission]] = []
        refused = []
        for path in options["paths"]:
            try:
                archive, filename = _archive(path)
                submission = accept_upload(archive=archive, filename=filename, uploader=owner, now=timezone.now())
            except SubmissionRefused as refusal:
                refused.append(f"{path}: {refusal}")
            else:
                taken.append((path, submission))
                self.stdout.write(f"{path}: received as submission {submission.pk}; waiting for a worker to check it")
        if options["wait"]:
            refused += [f"{path}: {reason}" for path, submission in taken if (reason := self._wait(path, submission))]
        if refused:
            raise CommandError("\n".join(refused))

    def _wait(self, path: Path, submission: Submission) -> str:
        """Show the steps of a check until it is over. Return the reason why the submission was refused, or ""."""
        said: list[str] = []
        while True:
            submission = Submission.objects.select_related("version__bot").get(pk=submission.pk)
            for line in _progress(submission):
                if line not in said:
                    said.append(line)
                    self.stdout.write(f"{path}: {line}")
                    self.stdout.flush()
            if submission.status not in SUBMISSION_OPEN:
                break
            time.sleep(_SECONDS_BETWEEN_LOOKS)
        if submission.status == SubmissionStatus.REFUSED:
            line = submission.line and f"Line to fix: {submission.line}"
            said = (submission.refusal, line, submission.log, submission.stderr)
            return "\n".join(visible(text) for text in said if text)
        version = submission.version
        self.stdout.write(f"{path}: {version}, plays {', '.join(version.rulesets)}")
        return ""


def _progress(submission: Submission) -> list[str]:
    """Return the output about the check so far, one line per step passed."""
    check = newest_check(submission)
    if check is None:
        return []
    lines = [visible(f"check {check.number}: {step['name']}: {step['note'] or 'passed'}")
             for step in check.steps if step["passed"]]
    if reason := setback(submission):
        lines.append(visible(f"check {check.number} is being repeated: {reason}"))
    return lines


def _archive(path: Path) -> tuple[bytes, str]:
    """Return the bytes of the archive and its file name. A directory is packed."""
    try:
        if path.is_dir():
            return pack(path), f"{path.resolve().name}.zip"
        return path.read_bytes(), path.name
    except OSError as error:
        raise CommandError(f"Cannot read {path}: {error.strerror}.") from None
    except ArchiveRefused as error:
        raise CommandError(f"Cannot pack {path}: {error}") from None
