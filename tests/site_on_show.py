"""A site with real games, served as in production, for the benchmark of the pages and for their pictures.

Eight bots of different strength on a ladder with an official table, a finished and a running round-robin, knockouts,
games at each ruleset's largest size, and games in progress. The database, Redis and the collected static files are in
a temporary directory, which is removed afterwards.
"""

import os
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
NAMES = ("Alder", "Basalt", "Cinder", "Dune", "Ember", "Flint", "Gorse", "Heath")
OWNERS = ("mia", "noor", "tom", "ada")
MOST_PLIES = 2000
LIVE_GAMES = 4
# Machines with a worker each, by their names as workers; they play the live games.
WORKERS = ("arena-1:812", "arena-2:794")


@dataclass
class Shown:
    """A running site: its address, and the paths of its pages by what they show."""

    address: str
    pages: dict[str, str] = field(default_factory=dict)
    # The longest games by ruleset, each at its largest size.
    largest: dict[str, str] = field(default_factory=dict)
    # The cookies of the visitor who plays the game started by `begin_game`.
    visitor: Any = None
    # The cookies of an organiser, after `sign_in`.
    staff: Any = None


@contextmanager
def site_on_show(port: int = 8765) -> Iterator[Shown]:
    """Fill a site and serve it with `manage.py web`. Configures Django, so nothing may have used Django before."""
    from tournaments.setup.bootstrap.children import Child, tied_to_parent
    from tournaments.setup.embedded import EmbeddedRedis

    with tempfile.TemporaryDirectory(prefix="sqf-") as scratch, EmbeddedRedis() as redis:
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": "tournaments.settings", "SQUAREFIELD_NO_BOOTSTRAP": "1",
            "SQUAREFIELD_VAR": scratch, "SQUAREFIELD_SECRET_KEY": "of no use elsewhere", "REDIS_URL": redis.url,
            "SQUAREFIELD_LOG_LEVEL": "WARNING", "SQUAREFIELD_API_ANONYMOUS": "1000000"}
        for name in ("DATABASE_URL", "PROMETHEUS_MULTIPROC_DIR"):
            os.environ.pop(name, None)
        import django
        from django.core.management import call_command
        from django.db import connection

        django.setup()
        call_command("migrate", verbosity=0)
        shown = _fill(f"http://127.0.0.1:{port}")
        connection.close()
        command = tied_to_parent([sys.executable, str(ROOT / "manage.py"), "web", "--port", str(port)])
        with Child(command, Path(scratch) / "web.log", env=dict(os.environ), cwd=ROOT) as web:
            web.wait_until(lambda: _answers(shown.address))
            yield shown


def begin_game(browser: Any, shown: Shown) -> str:
    """Start a game against a bot and return its address when it is the turn of the visitor `shown.visitor`."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{shown.address}{shown.pages['play']}")
    page.locator("main form button.primary").first.click()
    page.wait_for_url("**/play/games/*/")
    shown.visitor = context.storage_state()
    path = str(page.url).removeprefix(shown.address)
    context.close()
    return path


def sign_in(browser: Any, shown: Shown) -> None:
    """Sign in as the site's organiser; `shown.staff` is the session."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{shown.address}/account/login/")
    page.fill("input[name=login]", "organiser")
    page.fill("input[name=password]", "organiser")
    page.locator("main form button").first.click()
    page.wait_for_url("**/account/")
    shown.staff = context.storage_state()
    context.close()


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/bots/", timeout=5) as answer:  # noqa: S310 - our own site
            return bool(answer.status == 200)
    except OSError:
        return False


def _fill(address: str) -> Shown:
    from django.utils import timezone

    from engines.rules.registry import RULESETS
    from tests.factories import make_version
    from tournaments.services.ladders.official import compute_due
    from tournaments.services.ladders.openings import count_due
    from tournaments.services.ladders.stories import find_stories

    now = timezone.now()
    bots = [make_version(name, owner=OWNERS[place % len(OWNERS)]) for place, name in enumerate(NAMES)]
    shown = Shown(address, largest={slug: _largest(bots, slug, now) for slug in RULESETS})
    over = _round_robin(bots, "Autumn Round-Robin", cycles=2)
    for event in (_cup(bots, "knockout", "Stone Cup", now), _cup(bots, "double knockout", "Second Chance Cup", now)):
        shown.pages[event.format] = f"/events/{event.slug}/"
    running = _running(bots, now)
    compute_due(datetime.now(UTC) + timedelta(minutes=1))
    find_stories(now)
    count_due(now)
    game = max(over.games.all(), key=lambda game: game.plies)
    _analyse(game, bots[-2:], now)
    shown.pages |= {
        "home": "/", "ladder": f"/ladders/{over.ladder.slug}/", "table": f"/ladders/{over.ladder.slug}/table/",
        "event": f"/events/{running.slug}/", "event over": f"/events/{over.slug}/", "bot": "/bots/bot-1/",
        "person": "/people/mia/", "pair": "/bots/bot-1/vs/bot-2/", "game": f"/games/{game.pk}/", "watch": "/watch/",
        "director": "/watch/director/", "analysis": f"/games/{game.pk}/analysis/?turn=14",
        "openings": f"/openings/{over.ladder.ruleset}/{over.ladder.size}/",
        "play": "/play/bot-1/", "games": "/games/", "rules": "/rules/scware/", "docs": "/docs/write-a-bot/",
        "api": "/api/docs/", "admin live": "/admin/tournaments/match/live/"}
    return shown


def _analyse(game: Any, judges: list[Any], now: datetime) -> None:
    """Store an analysis of the game, with the views of `searcher` after 40 and 80 playouts as those of two judges."""
    from engines.rules.registry import RULESETS
    from tests.engines.bots.test_protocol import playing
    from tests.factories import make_user
    from tournaments.models import Bot
    from tournaments.services.casual import judging
    from tournaments.services.casual.analyses import analyse

    Bot.objects.filter(pk__in=[judge.bot_id for judge in judges]).update(judges=True)
    analysis = analyse(game=game, actor=make_user("mia"), now=now)
    lease = judging.claim(analysis_id=analysis.pk, worker=f"{WORKERS[0]}:1", tier="standard", now=now)
    seats, begun = RULESETS[game.match.ruleset].colours, len(game.record["opening"])
    turns = [*game.record["opening"], *(turn["turn"] for turn in game.record["turns"])]
    played = [(seats[place % 2], turn) for place, turn in enumerate(turns)]
    with playing("searcher", "5", "40") as first, playing("searcher", "5", "80") as second:
        for judge in (first, second):
            judge.ask(f"set_ruleset {game.match.ruleset}")
            judge.ask(f"boardsize {game.record['size']}")
            judge.ask("time_settings 60 0 0")
        rows = [[_verdict(judge, played[:place], played[place][0]) for judge in (first, second)]
                for place in range(begun, len(played))]
    judging.finish(lease, rows, now=now)


def _verdict(judge: Any, played: list[tuple[str, str]], colour: str) -> dict[str, str]:
    from engines.view import View
    from tournaments.scoring.analysis import Verdict

    judge.ask("clear_board")
    for seat, turn in played:
        judge.ask(f"play {seat} {turn}")
    judge.ask(f"time_left {colour} 9 0")
    turn, _, view = judge.ask(f"genmove {colour}").partition("\n")
    return Verdict(turn, View.parse(view)).to_json()


def _largest(bots: list[Any], ruleset: str, now: datetime) -> str:
    """Return the address of a game at the ruleset's largest size, with random turns, which make the longest games."""
    from engines.rules.registry import find
    from tests.factories import make_user
    from tournaments.models import Match
    from tournaments.services.events.events import create_event, finish_event, start_event
    from tournaments.services.ladders.ladders import create_ladder

    ladder = create_ladder(ruleset=ruleset, size=find(ruleset).sizes[-1], base_seconds=10.0, increment_seconds=0.1)
    event = create_event(name=f"Long {find(ruleset).name}", ladder=ladder, versions=bots[:2], starts_at=None, now=now,
                         created_by=make_user("organiser", staff=True), seed=1, rated=False, openings=False)
    start_event(event=event, now=now)
    match = Match.objects.get(event=event)
    _play(match, now, skilled=False)
    finish_event(event=event, now=now)
    return f"/games/{match.games.get(number=1).pk}/"


def _round_robin(bots: list[Any], name: str, **facts: Any) -> Any:
    from tests.factories import make_event
    from tournaments.models import Match
    from tournaments.services.events import events
    from tournaments.services.ladders import rating

    event = make_event(bots, name=name, size=8, openings=True, **facts)
    began = event.started_at
    for place, match in enumerate(Match.objects.filter(event=event).order_by("id")):
        _play(match, began + timedelta(minutes=place))
    rating.rate_due(began + timedelta(days=1))
    events.finish_event(event=event, now=began + timedelta(days=1))
    event.refresh_from_db()
    return event


def _cup(bots: list[Any], form: str, name: str, now: datetime) -> Any:
    """Return a knockout that is finished except for its last stage."""
    from tests.factories import make_user
    from tournaments.models import Match
    from tournaments.services.events.events import create_event, start_event
    from tournaments.services.events.rounds import pair_next
    from tournaments.services.ladders.ladders import create_ladder

    ladder = create_ladder(ruleset="square-grid-hex", size=7, base_seconds=10.0, increment_seconds=0.1)
    event = create_event(name=name, ladder=ladder, versions=bots[:7], format=form, starts_at=None, now=now, seed=5,
                         created_by=make_user("organiser", staff=True))
    start_event(event=event, now=now)
    rounds = 0
    while rounds == 0 or (rounds < 9 and pair_next(event=event, now=now)):
        rounds += 1
        due = Match.objects.filter(event=event, status="queued").order_by("id")
        if rounds > 2 and due.count() == 1:
            break
        for match in due:
            _play(match, now)
    event.refresh_from_db()
    return event


def _running(bots: list[Any], now: datetime) -> Any:
    """Return a round-robin that is half played, with some games in progress."""
    from tests.factories import make_user, random_record
    from tournaments.models import Match
    from tournaments.models.leased import FULL_TIER
    from tournaments.selectors.matches.live_turns import GameKey, LiveTurn, live_turns
    from tournaments.services.events.events import create_event, start_event
    from tournaments.services.ladders import rating
    from tournaments.services.ladders.ladders import create_ladder
    from tournaments.services.matches import matches

    ladder = create_ladder(ruleset="squ", size=10, base_seconds=10.0, increment_seconds=0.1)
    event = create_event(name="Winter League", ladder=ladder, versions=bots, starts_at=None, now=now, seed=3,
                         created_by=make_user("organiser", staff=True))
    start_event(event=event, now=now - timedelta(minutes=20))
    due = list(Match.objects.filter(event=event, status="queued").order_by("round__number", "id"))
    for match in due[:14]:
        _play(match, now)
    rating.rate_due(now)
    _declare_workers(now)
    for place, match in enumerate(due[14:14 + LIVE_GAMES]):
        worker = f"{WORKERS[place % len(WORKERS)]}:{place}"
        lease = matches.claim(match_id=match.pk, worker=worker, tier=FULL_TIER, now=now)
        assert lease is not None
        names = (match.first.bot.name, match.second.bot.name)
        record = random_record("squ", 10, names, match.pk, choose=_choice(names), opening=match.opening)
        turns = [LiveTurn(turn.turn, turn.seconds) for turn in record.turns[:14]]
        live = live_turns()
        assert live is not None
        live.append(GameKey(match.pk, lease.attempt.number, 1), turns, anew=True)
    event.refresh_from_db()
    return event


def _declare_workers(now: datetime) -> None:
    """Two workers, heard of for the next hour."""
    from engines.rules.registry import RULESETS
    from tournaments.models.leased import FULL_TIER
    from tournaments.services.matches.workers import Declaration, beat

    for name, load in zip(WORKERS, (2.1, 1.9), strict=True):
        beat(Declaration(name=name, host=name.partition(":")[0], tier=FULL_TIER, rulesets=list(RULESETS), cores=4,
                         concurrency=4, software="0.1.0"), load=load, now=now + timedelta(hours=1))


def _play(match: Any, now: datetime, *, skilled: bool = True) -> None:
    from tests.factories import random_record
    from tournaments.models.leased import FULL_TIER
    from tournaments.services.matches import matches

    lease = matches.claim(match_id=match.pk, worker="show:1", tier=FULL_TIER, now=now)
    assert lease is not None
    names = (match.first.bot.name, match.second.bot.name)
    records = [
        random_record(match.ladder.ruleset, match.ladder.size, pair, match.pk * 2 + number, most_plies=MOST_PLIES,
                      choose=_choice(pair) if skilled else None, opening=match.opening)
        for number, pair in enumerate((names, names[::-1]))]
    assert matches.finish(lease, records, now + timedelta(seconds=40))


def _choice(names: tuple[str, str]) -> Callable[[Any, Random], Any]:
    """Return how these two play: bots early in NAMES mostly as `greedy`, later ones mostly at random."""
    from engines.sdk import Clock
    from tests.engines.bots.in_process import reference_bot

    greedy = reference_bot("greedy", 1)

    def choose(position: Any, dice: Random) -> Any:
        share = 1 - NAMES.index(names[position.seat_to_move]) / len(NAMES)
        return greedy.choose(position, Clock(100.0)) if dice.random() < share else position.random_turn(dice)
    return choose
