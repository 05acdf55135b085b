"""Measure the start of a large round-robin against the limit of half a minute.

    python tests/bench/large_event.py [--bots 1000] [--postgres]

All rounds, matches and openings are created in one transaction, as at an event's start time.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
LIMIT_SECONDS = 30.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bots", type=int, default=1000, help="entrants in the round-robin (default 1000)")
    parser.add_argument("--postgres", action="store_true", help="use a temporary PostgreSQL instead of SQLite")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sqf-") as scratch, site(Path(scratch), postgres=options.postgres):
        start(options.bots)


@contextmanager
def site(scratch: Path, *, postgres: bool) -> Iterator[None]:
    """Create a migrated database and the settings for it."""
    from tournaments.setup.embedded import TemporaryPostgres

    with ExitStack() as stack:
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tournaments.settings")
        os.environ |= {"SQUAREFIELD_SECRET_KEY": "of no use", "SQUAREFIELD_VAR": str(scratch),
                       "SQUAREFIELD_NO_BOOTSTRAP": "1", "SQUAREFIELD_LOG_LEVEL": "WARNING"}
        if postgres:
            os.environ["DATABASE_URL"] = stack.enter_context(TemporaryPostgres()).url
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0, run_syncdb=True)
        yield


def start(bots: int) -> None:
    """Schedule the event and start it."""
    from tests.factories import START, make_user
    from tournaments.models import Match
    from tournaments.services.events.events import create_event, start_event
    from tournaments.services.ladders.ladders import create_ladder

    ladder = create_ladder(ruleset="squ", size=8, base_seconds=1.0)
    event = create_event(name="Large", ladder=ladder, versions=_versions(bots), starts_at=START, now=START, seed=1,
                         created_by=make_user("organiser", staff=True))
    began, busy = time.perf_counter(), time.process_time()
    start_event(event=event, now=START)
    seconds, busy = time.perf_counter() - began, time.process_time() - busy
    verdict = "within" if seconds <= LIMIT_SECONDS else "OVER"
    print(f"{Match.objects.count():,} matches in {seconds:.1f} s, {verdict} {LIMIT_SECONDS:.0f} s; "
          f"{busy:.1f} s of this process's CPU")


def _versions(count: int) -> list[Any]:
    """Return this many bots with one version each; the tests' factory would take as long as the measured work."""
    from tests.factories import START, make_user
    from tournaments.models import Bot, Submission, Version

    owner = make_user("organiser", staff=True)
    bots = Bot.objects.bulk_create(Bot(slug=f"bot-{n}", name=f"bot {n}", owner=owner, created_at=START)
                                   for n in range(count))
    submissions = Submission.objects.bulk_create(
        Submission(uploader=owner, received_at=START, filename="bot.zip", size=1, sha256=str(n), status="accepted",
                   judged_at=START, archive=f"bots/{n}") for n in range(count))
    return Version.objects.bulk_create(
        Version(bot=bot, number=1, submission=submission, archive=submission.archive.name, sha256=submission.sha256,
                artefact=submission.archive.name, artefact_sha256=submission.sha256, rulesets=["squ"], trusted=True,
                created_at=START) for bot, submission in zip(bots, submissions, strict=True))


if __name__ == "__main__":
    main()
