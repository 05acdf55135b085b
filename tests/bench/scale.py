"""Measure the time and queries of pages and lists on a large site: 10,000 bots and 1,000,000 games on PostgreSQL.

    python tests/bench/scale.py [--bots 10000] [--games 1000000] [--requests 200]
    python tests/bench/scale.py --round-robin 1000

The same requests are first sent to a site of ten bots: a page that needs more queries on the large one reads row by
row. One bot has a tenth of all games. Server time is the time that Django takes for the response in this process,
including queries and compression, without the web server around it. CPU is its average processor time, in this
process and the database, and thus the time on an otherwise idle machine. With --round-robin, an event of that many bots
is started instead. Uses its own PostgreSQL in a temporary directory, which is removed.
"""

import argparse
import json
import re
import resource
import statistics
import sys
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.common import insert, options_of, own_cpu, quantile, site

LIMIT_MS = 20
SMALL = (10, 1000)
EVENT_BOTS = 100
# For requests with this suffix in their name, a match of the event is finished before each request.
CHANGED = ", changed"
START = datetime(2026, 11, 1, tzinfo=UTC)


@dataclass
class Measured:
    """One URL: milliseconds of each request, average milliseconds of processor time, and number of queries."""

    milliseconds: list[float]
    cpu: float
    queries: int


def main() -> None:
    options = options_of(
        __doc__, bots=(10_000, "bots on the ladder"), games=(1_000_000, "games on the ladder"),
        requests=(200, "requests of each address"), round_robin=(int, "start an event of this many bots instead"),
        only=(".", "expression for the names of addresses to measure"),
        uncached=(False, "render pages for each request, not once in 2 s"))
    with large_site():
        if options.round_robin:
            round_robin(options.round_robin)
        else:
            pages(options)


@contextmanager
def large_site() -> Iterator[None]:
    """Start PostgreSQL and Redis, and configure the tests' settings for them."""
    with site(DJANGO_SETTINGS_MODULE="tests.settings", SQUAREFIELD_API_ANONYMOUS="1000000"):
        from django.conf import settings

        # As on a real site; in tests, changes must be visible at once.
        settings.SHARED_PAGE_SECONDS, settings.KEPT_TABLE_SECONDS = 2, 600
        yield


# --- the rows -------------------------------------------------------------------------------------------------------


def load(bots: int, games: int) -> None:
    """Fill the empty site: bots with versions, a ladder with its matches, and an event of up to a hundred bots."""
    from django.db import connection, transaction

    from tournaments.services.ladders.ladders import create_ladder

    ladder = create_ladder(ruleset="square-grid-hex", size=7, base_seconds=10.0, increment_seconds=0.1)
    with transaction.atomic(), connection.cursor() as cursor:
        # The generated rows are consistent, so foreign keys need no checks.
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute("SELECT setseed(0.5)")
        load_bots(cursor, bots)
    # The event comes first, so that its games are behind all others in the lists.
    schedule(ladder, min(bots, EVENT_BOTS))
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        load_matches(cursor, bots, games // 2, ladder.pk)
        play(cursor)
        # Otherwise the planner assumes that the newly filled tables are empty.
        cursor.execute("ANALYZE")
        rate(cursor, ladder.pk)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def load_bots(cursor: Any, bots: int) -> None:
    from django.contrib.auth.models import User

    from tournaments.models import Bot, Submission, Version

    numbers, digest, then = f"generate_series(1, {bots}) AS n", "repeat(md5(n::text), 2)", f"'{START.isoformat()}'"
    insert(cursor, User, f"generate_series(1, {bots // 10}) AS n", username="'author ' || n", date_joined=then,
           password="'!'", is_staff="n = 1", is_superuser="n = 1")
    insert(cursor, Bot, numbers, slug="'bot-' || n", name="'Bot ' || n", owner=f"(n - 1) % {bots // 10} + 1",
           created_at=then)
    insert(cursor, Submission, numbers, uploader=f"(n - 1) % {bots // 10} + 1", received_at=then, judged_at=then,
           filename="'bot.zip'", size="1000", sha256=digest, name="'Bot ' || n", slug="'bot-' || n",
           archive="'bots/' || n", status="'accepted'", due_at=then)
    insert(cursor, Version, numbers, bot="n", number="1", submission="n", archive="'bots/' || n", sha256=digest,
           artefact="'bots/' || n", artefact_sha256=digest, rulesets="'[\"square-grid-hex\"]'", trusted="false",
           created_at=then)


def load_matches(cursor: Any, bots: int, matches: int, ladder: int) -> None:
    """Create queued matches of the ladder; the first bot takes part in a tenth of the games."""
    from tournaments.models import LadderEntry, Match

    insert(cursor, LadderEntry, f"generate_series(1, {bots}) AS n", ladder=str(ladder), bot="n", version="n",
           joined_at="now()", version_since="now()", waiting_since="now()")
    drawn = (f"(SELECT n, CASE WHEN n % 10 = 0 THEN 1 ELSE 1 + floor(random() * {bots})::int END AS a, "
             f"1 + floor(random() * ({bots} - 1))::int AS step FROM generate_series(1, {matches}) AS n) AS drawn")
    insert(cursor, Match, drawn, kind="'ladder'", ladder=str(ladder), first="a",
           second=f"(a - 1 + step) % {bots} + 1", created_at=f"'{START.isoformat()}'::timestamptz + n * interval '1 s'",
           seed="n", ruleset="'square-grid-hex'")


def schedule(ladder: Any, bots: int) -> None:
    """Create a running round-robin with the service's own verbs."""
    from django.contrib.auth.models import User

    from tournaments.models import Version
    from tournaments.services.events.events import create_event, start_event

    event = create_event(name="A round-robin", ladder=ladder, versions=list(Version.objects.order_by("id")[:bots]),
                         cycles=1, starts_at=START, created_by=User.objects.get(pk=1), now=START, seed=1)
    start_event(event=event, now=START)


def play(cursor: Any) -> None:
    """Finish every queued match with two games, of which one in a hundred ends by a fault."""
    from tests.factories import random_record
    from tournaments.models import Attempt, Game, Match, Side

    record = json.dumps(random_record("square-grid-hex", 3, ("one", "another"), 1).to_dict())
    match = Match._meta.db_table
    insert(cursor, Attempt, f"{match} WHERE status = 'queued'", match="id", number="1", worker="'bench'",
           tier="'standard'", status="'counted'", started_at="created_at", ended_at="created_at")
    played = (f"(SELECT m.id, m.event_id, g.n, a.id AS attempt, random() < 0.01 AS fault, "
              f"floor(random() * 2)::int AS winner, "
              f"CASE g.n WHEN 1 THEN m.first_id ELSE m.second_id END AS seat0, "
              f"CASE g.n WHEN 1 THEN m.second_id ELSE m.first_id END AS seat1, m.created_at "
              f"FROM {match} m JOIN {Attempt._meta.db_table} a ON a.match_id = m.id, generate_series(1, 2) AS g(n) "
              f"WHERE m.status = 'queued' ORDER BY m.id, g.n) AS played")
    insert(cursor, Game, played, match="id", event="event_id", number="n", attempt="attempt", seat0="seat0",
           seat1="seat1", winner="winner", ended_by="CASE WHEN fault THEN 'conduct' ELSE 'rule' END",
           reason="CASE WHEN NOT fault THEN 'connection' WHEN id % 3 = 0 THEN 'crash' ELSE 'time' END",
           plies="20 + id % 30", record=f"'{record}'::jsonb", ended_at="created_at")
    cursor.execute(f"UPDATE {match} SET status = 'finished', ended_at = created_at, attempt = 1 "
                   "WHERE status = 'queued'")
    # A version has the same number as its bot.
    insert(cursor, Side, f"{Game._meta.db_table} g JOIN {match} m ON m.id = g.match_id, generate_series(0, 1) s(eat)",
           game="g.id", seat="s.eat", bot="CASE s.eat WHEN 0 THEN seat0_id ELSE seat1_id END",
           version="CASE s.eat WHEN 0 THEN seat0_id ELSE seat1_id END",
           opponent="CASE s.eat WHEN 0 THEN seat1_id ELSE seat0_id END", ladder="m.ladder_id",
           score="CASE s.eat WHEN winner THEN 1 ELSE 0 END", at_fault="ended_by = 'conduct' AND s.eat <> winner")


def rate(cursor: Any, ladder: int) -> None:
    """Create periods of a hundred matches with made-up levels, and a rating for each bot."""
    from ratings.models import RatedGame, Rating
    from tournaments.models import Game, Match, Side

    match, side, game = Match._meta.db_table, Side._meta.db_table, Game._meta.db_table
    cursor.execute(f"UPDATE {match} SET rating_period = 1 + id / 100")
    insert(cursor, RatedGame, f"{game} g JOIN {match} m ON m.id = g.match_id", game="g.id", ladder="m.ladder_id",
           period="m.rating_period", rated_at="now()", level="1500 + 100 * random()", lead="100 * random()",
           chance="random()")
    # A version has the same number as its bot.
    insert(cursor, Rating, "(SELECT bot_id, count(*) AS games, sum(score) AS wins, 1000 + bot_id * 7919 % 1000 AS elo "
           f"FROM {side} GROUP BY bot_id) AS rated", ladder=str(ladder), bot="bot_id", version="bot_id", value="elo",
           low="elo - 80", high="elo + 80", error="40", games="games", wins="wins", draws="0", losses="games - wins",
           rank="row_number() OVER (ORDER BY elo DESC)", points="0")


# --- the requests ---------------------------------------------------------------------------------------------------


def pages(options: argparse.Namespace) -> None:
    """Measure the small site and the large one; print both next to the limit."""
    from django.conf import settings
    from django.core.cache import cache
    from django.core.management import call_command

    if options.uncached:
        settings.SHARED_PAGE_SECONDS = 0
    load(*SMALL)
    small = {name: measure(path, 3, changed=name.endswith(CHANGED)) for name, path in addresses().items()
             if re.search(options.only, name)}
    call_command("flush", interactive=False, verbosity=0)
    # The large site reuses the same ids.
    cache.clear()
    began = time.perf_counter()
    load(options.bots, options.games)
    print(f"{options.bots:,} bots and {options.games:,} games, loaded in {time.perf_counter() - began:.0f} s; server "
          f"time in ms over {options.requests} requests, the limit is {LIMIT_MS}")
    print(f"{'':34} {'p50':>7} {'p95':>7} {'of limit':>9} {'CPU':>7}   "
          f"queries with {options.bots:,} and {SMALL[0]} bots")
    for name, path in addresses().items():
        if name not in small:
            continue
        big = measure(path, options.requests, changed=name.endswith(CHANGED))
        more = "" if big.queries <= small[name].queries else "   more"
        p95 = quantile(big.milliseconds, 0.95)
        print(f"{name:34} {statistics.median(big.milliseconds):7.1f} {p95:7.1f} {p95 / LIMIT_MS:9.2f} {big.cpu:7.1f}   "
              f"{big.queries:4} {small[name].queries:4}{more}", flush=True)


def addresses() -> dict[str, str]:
    """Return the measured URLs by name; the deep ones start in the middle of all rows."""
    from ratings.models import Rating
    from tournaments.models import Bot, Event, Game, Ladder

    ladder, event = Ladder.objects.get().slug, Event.objects.get().slug
    middle = Rating.objects.order_by("rank")[Rating.objects.count() // 2]
    bot = Bot.objects.order_by("-pk")[1]
    opponent = bot.sides.order_by("-game").first().opponent.slug
    game = Game.objects.order_by("-pk")[Game.objects.count() // 2].pk
    return {
        "ladder": f"/ladders/{ladder}/",
        "ladder, deep": f"/ladders/{ladder}/?after={middle.rank}",
        "ladders": "/ladders/",
        "API standings": f"/api/ladders/{ladder}/standings/",
        "API standings, 200 per page": f"/api/ladders/{ladder}/standings/?limit=200",
        "API standings, deep": f"/api/ladders/{ladder}/standings/?{cursor_at(middle.rank)}",
        "API ladders": "/api/ladders/",
        "bots": "/bots/",
        "bots, deep": "/bots/?after=bot-5",
        "bots, by name": "/bots/?q=ot+99",
        "bots, by an unknown name": "/bots/?q=nobody",
        "API bots": "/api/bots/",
        "API bots, deep": f"/api/bots/?{cursor_at(bot.pk // 2)}",
        "bot": f"/bots/{bot.slug}/",
        "bot with a tenth of all games": "/bots/bot-1/",
        "games": "/games/",
        "games, deep": f"/games/?before={game}",
        "games of a bot": f"/games/?bot={bot.slug}",
        "games of a bot and another": f"/games/?bot={bot.slug}&vs={opponent}",
        "games of two bots that never met": f"/games/?bot={bot.slug}&vs={bot.slug}",
        "games of the busy bot, deep": f"/games/?bot=bot-1&before={game}",
        "games of an event": f"/games/?event={event}",
        **{f"games by {sort}{name}": f"/games/?sort={sort}{filters}"
           for sort in ("upset", "longest") for name, filters in {
               "": "", ", last page": "&page=10", " of a bot": f"&bot={bot.slug}", " of the busy bot": "&bot=bot-1",
               " of two bots": f"&bot={bot.slug}&vs={opponent}", " of an event": f"&event={event}",
               " of a ladder": f"&ladder={ladder}", " of an absent ruleset": "&ruleset=squ",
               " by a fault": "&ended_by=conduct", " by adjudication": "&ended_by=policy"}.items()},
        "games by rating": "/games/?sort=rating",
        "API games by upset": "/api/games/?sort=upset",
        "search": "/search/?q=ot+99",
        "search, unknown name": "/search/?q=nobody",
        "API search": "/api/search/?q=ot+99",
        "API games": "/api/games/",
        "API games, deep": f"/api/games/?{cursor_at(game)}",
        "API games of a bot": f"/api/games/?bot={bot.slug}",
        "API games of the busy bot, deep": f"/api/games/?bot=bot-1&{cursor_at(game)}",
        "API games of an event": f"/api/games/?event={event}",
        "API games that ended by a fault": "/api/games/?ended_by=conduct",
        "API games of an absent reason": "/api/games/?reason=memory",
        "API matches": "/api/matches/",
        "API matches of an event": f"/api/matches/?event={event}",
        "home": "/",
        "events": "/events/",
        "fairness of the ladder": f"/ladders/{ladder}/fairness/",
        "fairness of the ladder, deep": f"/ladders/{ladder}/fairness/?after={middle.bot_id}",
        "fairness of the event": f"/events/{event}/fairness/",
        "feed of events": "/events/feed/",
        "feed of the busy bot": "/bots/bot-1/feed/",
        f"event of {EVENT_BOTS} bots": f"/events/{event}/",
        f"event of {EVENT_BOTS} bots{CHANGED}": f"/events/{event}/",
        "crosstable of the event": f"/events/{event}/crosstable/",
        "API standings of the event": f"/api/events/{event}/standings/",
        f"API standings of the event{CHANGED}": f"/api/events/{event}/standings/",
        "API crosstable of the event": f"/api/events/{event}/crosstable/",
        "API progress of the event": f"/api/events/{event}/progress/",
    }


def cursor_at(position: object) -> str:
    """Return DRF's cursor for the rows after this position."""
    return urlencode({"cursor": b64encode(urlencode({"p": position}).encode()).decode()})


def measure(path: str, requests: int, *, changed: bool = False) -> Measured:
    """Request the URL repeatedly, after three warm-up requests in which the queries are counted.

    `changed` changes the event each time, as a finished match does, so that nothing cached about it is valid.
    """
    from django.db import connection
    from django.db.models import F
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    from tournaments.models import Event

    client = Client(headers={"accept-encoding": "gzip", "host": "localhost"})
    for _ in range(3):
        if changed:
            Event.objects.update(revision=F("revision") + 1)
        with CaptureQueriesContext(connection) as queries:
            answer = client.get(path)
            count = len(queries)
        if answer.status_code != 200:
            raise SystemExit(f"{path} returned {answer.status_code}")
    times = []
    cpu_began = cpu_seconds()
    for _ in range(requests):
        if changed:
            Event.objects.update(revision=F("revision") + 1)
        began = time.perf_counter()
        client.get(path)
        times.append((time.perf_counter() - began) * 1000)
    return Measured(times, (cpu_seconds() - cpu_began) / requests * 1000, count)


def cpu_seconds() -> float:
    """Return the processor time so far of this process and the database process that serves it, without its helpers."""
    from django.db import connection

    return time.process_time() + own_cpu(connection.connection.info.backend_pid)


# --- a large event ----------------------------------------------------------------------------------------------------


def round_robin(bots: int) -> None:
    """Start a round-robin of this many bots; print where the time goes."""
    from django.contrib.auth.models import User
    from django.db import connection, transaction

    from tournaments.models import Match, Version
    from tournaments.services.events.events import create_event, start_event
    from tournaments.services.ladders.ladders import create_ladder

    ladder = create_ladder(ruleset="square-grid-hex", size=7, base_seconds=10.0, increment_seconds=0.1)
    with transaction.atomic(), connection.cursor() as cursor:
        load_bots(cursor, bots)
    for turn in ("first", "second"):
        began = time.perf_counter()
        event = create_event(name=f"The {turn}", ladder=ladder, versions=list(Version.objects.all()), cycles=1,
                             starts_at=START, created_by=User.objects.get(pk=1), now=START, seed=1)
        created, cpu_began = time.perf_counter(), cpu_seconds()
        start_event(event=event, now=START)
        started, cpu = time.perf_counter(), cpu_seconds() - cpu_began
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{turn} event: {Match.objects.filter(event=event).count():,} matches of {bots:,} bots; scheduled in "
              f"{created - began:.1f} s, started in {started - created:.1f} s, "
              f"of which {cpu:.1f} s CPU; at most {peak:.0f} MiB")


if __name__ == "__main__":
    main()
