"""Rows for tests of pages and API: users, bots, events, and matches with real games of random turns."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from random import Random

from django.contrib.auth.models import User

from engines.records.record import EndedBy, Fault, GameRecord, Result, SeatRecord, TurnRecord, name_cells, verify
from engines.records.time_control import ClockKind, TimeControl
from engines.referee.conduct import printable_line
from engines.rules.notation import Turn
from engines.rules.outcome import Adjudication, Forfeit
from engines.rules.registry import RULESETS, find
from engines.rules.ruleset import Position
from engines.sandbox.staging.submission import read_submission
from ratings.models import Rating
from tournaments.models import Bot, Check, Event, Ladder, Match, Submission, Version
from tournaments.models.leased import FULL_TIER
from tournaments.services.bots import qualification
from tournaments.services.events import events
from tournaments.services.ladders import ladders, rating
from tournaments.services.matches import matches

START = datetime(2026, 11, 12, 14, 0, tzinfo=UTC)
MOST_PLIES = 200


def make_user(name: str = "mia", *, staff: bool = False) -> User:
    """Return the user with this name, creating it if necessary; its password is its name."""
    user = User.objects.filter(username=name).first()
    return user or User.objects.create_user(name, password=name, is_staff=staff, is_superuser=staff)


def make_version(name: str, *, owner: str = "mia", rulesets: Sequence[str] = tuple(RULESETS)) -> Version:
    """Return a new version of the bot with this name, creating the bot if necessary."""
    user = make_user(owner)
    bot = Bot.objects.filter(name=name).first() or Bot.objects.create(
        slug=f"bot-{Bot.objects.count() + 1}", name=name, owner=user, created_at=START)
    number = bot.versions.count() + 1
    digest = sha256(f"{name} {number}".encode()).hexdigest()
    submission = Submission.objects.create(uploader=user, received_at=START, filename=f"{bot.slug}.zip", size=1000,
                                           sha256=digest, status="accepted", judged_at=START, name=name, slug=bot.slug,
                                           archive=f"bots/{digest}")
    Check.objects.create(submission=submission, number=1, worker="test:1", tier=FULL_TIER, status="counted",
                         started_at=START, ended_at=START)
    return Version.objects.create(bot=bot, number=number, submission=submission, archive=submission.archive.name,
                                  sha256=digest, artefact=submission.archive.name, artefact_sha256=digest,
                                  rulesets=list(rulesets), trusted=True, created_at=START)


def ready_version(submission: Submission) -> Version:
    """Make a received submission ready without a check: no build, no handshake, no game.

    For tests of ready versions; test_checks.py tests how they become ready.
    """
    lease = qualification.claim(submission_id=submission.pk, worker="test:1", tier=FULL_TIER,
                                now=submission.received_at)
    assert lease is not None
    with submission.archive.open("rb") as archive:
        rulesets = read_submission(archive.read()).rulesets
    version = qualification.accept(lease, rulesets=rulesets, artefact=None, log="", now=submission.received_at)
    assert version is not None
    submission.refresh_from_db()
    return version


def make_rating(ladder: Ladder, version: Version, value: float = 1500.0, *, rank: int, error: float = 40.0,
                games: int = 20, wins: int = 10) -> Rating:
    """Store a rating of the version's bot, as if the ladder's games had been fitted."""
    return Rating.objects.create(ladder=ladder, bot=version.bot, version=version, value=value, low=value - 2 * error,
                                 high=value + 2 * error, error=error, games=games, wins=wins, draws=0,
                                 losses=games - wins, rank=rank)


def make_event(
    versions: Sequence[Version], *, name: str = "Autumn Round Robin", ruleset: str = "scware", size: int = 6,
    cycles: int = 1, started: bool = True, openings: bool = False,
) -> Event:
    """Create a round-robin scheduled for START and by default started; without openings, plies are easy to count."""
    ladder = ladders.create_ladder(ruleset=ruleset, size=size, base_seconds=5.0, increment_seconds=0.1)
    event = events.create_event(name=name, ladder=ladder, versions=versions, cycles=cycles, starts_at=START,
                                created_by=make_user("organiser", staff=True), now=START, seed=7, openings=openings)
    return events.start_event(event=event, now=START) if started else event


def random_record(
    ruleset: str, size: int, names: tuple[str, str], seed: int, *, fault_after: int | None = None,
    fault_line: str = "e4\x1b[2J\u202eevil", most_plies: int = MOST_PLIES, opening: Sequence[str] = (),
    choose: Callable[[Position, Random], Turn] | None = None,
) -> GameRecord:
    """Return a game of random legal turns; with `fault_after`, the seat to move breaks off after that many turns.

    `choose` may select better turns than random ones.
    """
    dice = Random(seed)
    position = find(ruleset).start(size)
    for text in opening:
        position = position.play(position.parse(text))
    turns: list[TurnRecord] = []
    while position.outcome is None and len(turns) < most_plies and len(turns) != fault_after:
        turn = choose(position, dice) if choose else position.random_turn(dice)
        seconds = round(dice.expovariate(4), 6)
        turns.append(TurnRecord(position.format(turn), seconds, seconds))
        position = position.play(turn)
    fault = None
    if position.outcome is not None:
        outcome = position.outcome
        result = Result(outcome.winner, EndedBy.RULE, outcome.reason, name_cells(outcome.cells, size), outcome.counts)
    elif len(turns) == fault_after:
        seat = position.seat_to_move
        # Stored as the referee stores it: a NUL, which PostgreSQL cannot store, is escaped.
        line = printable_line(fault_line.encode())
        fault = Fault(seat, Forfeit.PROTOCOL, line, "the answer is no line of the protocol", len(opening) + len(turns))
        result = Result(1 - seat, EndedBy.CONDUCT, Forfeit.PROTOCOL)
    else:
        result = Result(None, EndedBy.POLICY, Adjudication.PLY_CAP)
    record = GameRecord(
        ruleset=ruleset, size=size, time_control=TimeControl(5.0, 0.1), clock=ClockKind.WALL,
        tier=str(FULL_TIER), seats=(SeatRecord(names[0]), SeatRecord(names[1])), opening=tuple(opening),
        turns=tuple(turns), result=result, fault=fault)
    verify(record)
    return record


def play_match(match: Match, *, seed: int | None = None, fault_after: int | None = None,
               fault_line: str = "e4\x1b[2J\u202eevil", most_plies: int = MOST_PLIES,
               now: datetime | None = None, lease: matches.MatchLease | None = None) -> Match:
    """Claim the match, unless its lease is given, and finish it with two games of random turns."""
    moment = now or START + timedelta(minutes=match.pk)
    lease = lease or matches.claim(match_id=match.pk, worker="test:1", tier=FULL_TIER,
                                   now=max(moment, match.due_at or moment))
    assert lease is not None
    # Named as workers name them.
    names = (str(match.first), str(match.second))
    ladder: Ladder = match.ladder
    records = [
        random_record(ladder.ruleset, ladder.size, pair, (match.seed // 2 if seed is None else seed) * 2 + number,
                      fault_after=fault_after if number == 0 else None, fault_line=fault_line, most_plies=most_plies,
                      opening=match.opening)
        for number, pair in enumerate((names, names[::-1]))
    ]
    assert matches.finish(lease, records, moment)
    match.refresh_from_db()
    return match


def play_event(event: Event, *, matches_to_play: int | None = None) -> Event:
    """Play the event's first matches, by default all; rate finished rounds, and finish the event when it is over."""
    due = Match.objects.filter(event=event, status="queued").order_by("round__number", "number")
    for match in due[:matches_to_play]:
        play_match(match)
    rating.rate_due(START + timedelta(hours=1))
    events.finish_event(event=event, now=START + timedelta(hours=1))
    event.refresh_from_db()
    return event


def spoil_match(match: Match, reason: str) -> Match:
    """Claim the match as soon as it is due, and void the attempt through an infrastructure fault."""
    moment = match.due_at or START
    lease = matches.claim(match_id=match.pk, worker="test:1", tier=FULL_TIER, now=moment)
    assert lease is not None
    matches.void(lease, reason, moment + timedelta(seconds=30))
    match.refresh_from_db()
    return match
