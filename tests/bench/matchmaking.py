"""Measure ladder matchmaking against the limit of one second.

    python tests/bench/matchmaking.py [--entrants 10000] [--postgres]

First only the arithmetic, with candidates in memory; then the whole step with its database: it reads bots with
ratings, owners and a hundred thousand past matches, pairs them, assigns openings, and writes their matches.
"""

import sys
import time
from collections.abc import Callable
from datetime import timedelta
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.common import options_of, site

LIMIT_SECONDS = 1.0
BOTS_OF_AN_OWNER = 5
PAST_MATCHES = 10


def main() -> None:
    options = options_of(__doc__, entrants=(10_000, "bots on the ladder"),
                         postgres=(False, "use a temporary PostgreSQL instead of SQLite"))
    with site(postgres=options.postgres, redis=False):
        arithmetic(options.entrants)
        whole_step(options.entrants)


def arithmetic(entrants: int) -> None:
    """Pair candidates in memory: a few for a busy queue, and one pair for every bot."""
    from tournaments.pairing.matchmaking import REMEMBERED, Candidate, make_pairs

    dice = Random(1)
    field = [Candidate(id=bot, rating=dice.gauss(1500, 300), variance=(30.0 + 300.0 * dice.random()) ** 2,
                       matches=dice.randrange(100), waiting=dice.random() * 3600, room=2,
                       recent=tuple(dice.sample(range(entrants), REMEMBERED))) for bot in range(entrants)]
    for limit in (64, entrants // 2):
        say(f"arithmetic, {limit:,} pairs", lambda limit=limit: make_pairs(field, limit))


def whole_step(entrants: int) -> None:
    """Run the coordinator's step for queues of several depths; cancel the matches after each run."""
    from django.utils import timezone

    from engines.rules.openings import openings
    from engines.rules.registry import find
    from tournaments.models import Match, Worker
    from tournaments.services.ladders.matchmaking import pair_ladders

    populate(entrants, timezone.now())
    # Once per process: the first match on a board computes its openings.
    openings(find("squ"), 10)
    for slots in (4, 32, 256):
        now = timezone.now()
        Worker.objects.all().delete()
        Worker.objects.create(name="w", host="h", tier="standard", rulesets=["squ"], cores=1, concurrency=slots,
                              software="", started_at=now, seen_at=now)
        made = say(f"whole step, {slots} slots", lambda now=now: range(pair_ladders(now, Random(1))))
        assert len(made) == 2 * slots
        assert not pair_ladders(now)
        Match.objects.filter(status="queued").update(status="cancelled", ended_at=now)


def say(what: str, work: Callable[[], Any]) -> Any:
    """Run it, and print the time and its ratio to the limit."""
    began = time.perf_counter()
    done = work()
    seconds = time.perf_counter() - began
    print(f"{what:28} {len(done):6,} made  {seconds:7.3f} s  {seconds / LIMIT_SECONDS:5.2f} of the limit", flush=True)
    return done


def populate(entrants: int, now: Any) -> None:
    """Create a ladder with bots, owners, versions, ratings, entries and past matches."""
    from django.contrib.auth.models import User

    from ratings.models import Rating
    from tournaments.models import Bot, LadderEntry, Match, Submission, Version
    from tournaments.services.ladders.ladders import create_ladder

    dice, ladder = Random(2), create_ladder(ruleset="squ", size=10, base_seconds=5)
    owners = User.objects.bulk_create(User(username=f"owner{n}") for n in range(-(-entrants // BOTS_OF_AN_OWNER)))
    bots = Bot.objects.bulk_create(Bot(slug=f"bot-{n}", name=f"bot {n}", owner=owners[n // BOTS_OF_AN_OWNER],
                                       created_at=now) for n in range(entrants))
    uploads = Submission.objects.bulk_create(
        Submission(uploader=bot.owner, received_at=now, filename="x", size=1, sha256="x", status="accepted",
                   judged_at=now) for bot in bots)
    versions = Version.objects.bulk_create(
        Version(bot=bot, number=1, submission=upload, archive="x", sha256="x", artefact="x", artefact_sha256="x",
                rulesets=["squ"], trusted=False, created_at=now) for bot, upload in zip(bots, uploads, strict=True))
    values = [dice.gauss(1500, 300) for _ in versions]
    Rating.objects.bulk_create(
        Rating(ladder=ladder, bot=version.bot, version=version, value=value, low=value - 80, high=value + 80, error=40,
               games=20, wins=10, draws=0, losses=10, rank=rank)
        for rank, (version, value) in enumerate(zip(versions, values, strict=True), start=1))
    LadderEntry.objects.bulk_create(
        LadderEntry(ladder=ladder, bot=bot, version=version, joined_at=now, version_since=now, waiting_since=now,
                    matches=dice.randrange(100), recent=[each.pk for each in dice.sample(bots, 5)])
        for bot, version in zip(bots, versions, strict=True))
    moments = (now - timedelta(days=4 * dice.random()) for _ in count())
    pairs = (dice.sample(versions, 2) for _ in range(entrants * PAST_MATCHES))
    Match.objects.bulk_create(
        (Match(kind="ladder", ladder=ladder, created_at=when, first=first, second=second, seed=1, ruleset="squ",
               status="finished", ended_at=when, rating_period=1)
         for (first, second), when in zip(pairs, moments, strict=False)), batch_size=2000)
    make_official_table(ladder, [version.pk for version in versions], now)
    print(f"{entrants:,} bots of {len(owners):,} authors, {entrants * PAST_MATCHES:,} matches", flush=True)


def make_official_table(ladder: Any, versions: list[int], now: Any) -> None:
    """Create an official table with all of them; covariances of neighbours are stored for up to 4,000 players."""
    from ratings.fit.covariance import EXACT
    from ratings.models import OfficialLine, OfficialTable
    from ratings.official import NEIGHBOURS

    exact = len(versions) <= EXACT
    table = OfficialTable.objects.create(
        ladder=ladder, revision=1, model="davidson/2", input="0" * 64, period=1, games=20 * len(versions), draws=0,
        pairs=10 * len(versions), computed_at=now, seconds=1, exact=exact, advantage=0, advantage_low=0,
        advantage_high=0, draw_parameter=0, draw_parameter_low=0, draw_parameter_high=0, components=[len(versions)],
        eta=0, nu=0)
    OfficialLine.objects.bulk_create(
        OfficialLine(table=table, version_id=version, rank=rank, rank_low=1, rank_high=len(versions), rating=1500,
                     low=1400, high=1600, error=50, games=20, wins=10, draws=0, losses=10, games_for_25=500,
                     component=0, theta=0, covariances=[123.456789] * NEIGHBOURS if exact else [])
        for rank, version in enumerate(versions, start=1))


if __name__ == "__main__":
    main()
