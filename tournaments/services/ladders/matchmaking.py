"""Ladder play: matches are made as fast as workers play them. `tournaments.pairing.matchmaking` chooses the pairs."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from random import Random, SystemRandom
from typing import Final, NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import F, Max, Q, QuerySet

from ratings.models import OfficialLine, Rating
from ratings.services import INITIAL
from tournaments.models import Ladder, LadderEntry, Match
from tournaments.models.lifecycle import MatchKind
from tournaments.operations import workers
from tournaments.operations.workers import Fleet
from tournaments.pairing.matchmaking import Candidate, make_pairs, remember
from tournaments.pairing.turns import share_out
from tournaments.scoring.scores import GAMES_PER_MATCH
from tournaments.selectors.ladders.pairable import able_to_play, open_matches
from tournaments.selectors.shared.quotas import games_left
from tournaments.services.matches.openings import draw_openings
from tournaments.services.shared.failures import Tries
from tournaments.services.shared.locks import Lock, holding
from tournaments.services.shared.wakeups import Step, wake

LEAST_DEPTH: Final = 2
# Slots assumed before the first worker has declared how many it has.
_SLOTS_UNTOLD: Final = 4
_LOT: Final = SystemRandom()


@dataclass(slots=True)
class _Open:
    """Ladder matches that have not ended: counts by ruleset and by bot, and which bots have some on which ladder."""

    by_ruleset: Counter[str] = field(default_factory=Counter)
    by_bot: Counter[int] = field(default_factory=Counter)
    here: set[tuple[int, int]] = field(default_factory=set)

    def add(self, ladder: int, ruleset: str, bots: Iterable[int]) -> None:
        """Count one more match."""
        self.by_ruleset[ruleset] += 1
        for bot in bots:
            self.by_bot[bot] += 1
            self.here.add((ladder, bot))


class _Row(NamedTuple):
    """Columns read of an entry: ten thousand rows of the model would take three times as long."""

    bot: int
    owner: int
    version: int
    matches: int
    firsts: int
    recent: list[int]
    waiting_since: datetime
    probe_at: datetime | None


def pair_ladders(now: datetime, lot: Random = _LOT) -> int:
    """Create as many ladder matches as the workers need in stock; return how many.

    Each ruleset has its own depth, and all ladders take turns, because a bot has room for few matches on all of them
    together. While only workers of a lower tier play a ruleset, only bots that they may play are paired. `lot` draws
    the matches' seeds. Safe to run concurrently.
    """
    fleet = workers.fleet(now)
    depths = _depths(fleet)
    if not _missing(depths, _open_matches()):
        return 0
    tries = Tries("pair ladders", now)
    with holding(Lock.OPENINGS):
        # Again under the lock: another coordinator may have created some.
        open_now = _open_matches()
        missing = _missing(depths, open_now)
        ladders = {ladder.pk: ladder for ladder in _in_turn(missing)}
        fill = partial(_fill, open_now=open_now, fleet=fleet, now=now, lot=lot)
        return share_out(_room(ladders, open_now), missing, {pk: ladder.ruleset for pk, ladder in ladders.items()},
                         lambda pk, count: tries.attempt(ladders[pk], partial(fill, ladders[pk], count)))


def _missing(depths: dict[str, int], open_now: _Open) -> dict[str, int]:
    """Return how many matches each ruleset needs, without those that need none."""
    missing = {ruleset: depth - open_now.by_ruleset[ruleset] for ruleset, depth in depths.items()}
    return {ruleset: count for ruleset, count in missing.items() if count > 0}


def _in_turn(rulesets: Iterable[str]) -> QuerySet[Ladder]:
    """Return the open ladders of these rulesets, the one that was longest without a match first."""
    newest = Max("entries__waiting_since", filter=Q(entries__active=True, entries__matches__gt=0))
    return (Ladder.objects.filter(is_open=True, ruleset__in=rulesets).annotate(newest=newest)
            .order_by(F("newest").asc(nulls_first=True), "pk"))


def _room(ladders: Iterable[int], open_now: _Open) -> int:
    """Return an upper limit of the matches for which the bots of these ladders have room."""
    bots = LadderEntry.objects.filter(ladder__in=ladders, active=True).order_by().values_list("bot", flat=True)
    return sum(max(0, settings.LADDER_MATCHES_OF_A_BOT - open_now.by_bot[bot]) for bot in bots.distinct()) // 2


def _depths(fleet: Fleet) -> dict[str, int]:
    """Return how many ladder matches must be queued or running, for each ruleset with an open ladder."""
    untold = 0 if fleet.by_tier() else _SLOTS_UNTOLD
    rulesets = Ladder.objects.filter(is_open=True).order_by("ruleset").values_list("ruleset", flat=True).distinct()
    return {ruleset: max(LEAST_DEPTH, settings.LADDER_DEPTH * (_slots(fleet, ruleset) or untold))
            for ruleset in rulesets}


def _slots(fleet: Fleet, ruleset: str) -> int:
    """Return how many ladder matches can be played at a time; if bots need the full tier, only on its workers."""
    fewest, most = fleet.slots(ruleset, trusted=False), fleet.slots(ruleset, trusted=True)
    if not 0 < fewest < most:
        return most
    untrusted = LadderEntry.objects.filter(ladder__ruleset=ruleset, ladder__is_open=True, active=True,
                                           version__trusted=False)
    return fewest if untrusted.exists() else most


def _open_matches() -> _Open:
    found = _Open()
    for _, ladder, ruleset, *bots in open_matches(MatchKind.LADDER, "ladder", "ruleset", "first__bot", "second__bot"):
        found.add(ladder, ruleset, bots)
    return found


@transaction.atomic
def _fill(ladder: Ladder, count: int, *, open_now: _Open, fleet: Fleet, now: datetime, lot: Random) -> int:
    """Create up to `count` matches on the ladder. In a savepoint: if it fails, the other ladders keep theirs."""
    able = able_to_play(ladder.entries.all(), now)
    if fleet.only_trusted(ladder.ruleset):
        able = able.filter(version__trusted=True)
    listed = able.order_by().values_list(
        "bot", "bot__owner", "version", "matches", "firsts", "recent", "waiting_since", "probe_at")
    rows = {row.bot: row for row in map(_Row._make, listed)}
    games = games_left({row.owner for row in rows.values()}, now)
    pairs = make_pairs(_candidates(ladder, rows, games, open_now, now), count)
    matches = _insert(ladder, _still_there(ladder, _affordable(pairs, rows, games), rows), now, lot)
    for match in matches:
        open_now.add(ladder.pk, ladder.ruleset, (match.first.bot_id, match.second.bot_id))
    return len(matches)


def _candidates(ladder: Ladder, rows: dict[int, _Row], games: dict[int, float], open_now: _Open,
                now: datetime) -> Iterable[Candidate]:
    ratings = dict(Rating.objects.filter(ladder=ladder).values_list("bot", "value"))
    lines = {version: line for version, *line in OfficialLine.objects.filter(
        table__ladder=ladder, version__in=ladder.entries.filter(active=True).order_by().values("version"))
        .order_by().values_list("version", "rating", "error", "rank", "covariances")}
    for bot, row in rows.items():
        room = settings.LADDER_MATCHES_OF_A_BOT - open_now.by_bot[bot]
        if games[row.owner] < GAMES_PER_MATCH:
            room = 0
        elif row.probe_at is not None:
            # One match shows whether the bot is healthy.
            room = min(room, int((ladder.pk, bot) not in open_now.here))
        # A version without rated games is taken to be near the one before it.
        unrated = (ratings.get(bot, INITIAL), None, 0, ())
        value, error, rank, covariances = lines.get(row.version, unrated)
        yield Candidate(id=bot, rating=value, matches=row.matches, firsts=row.firsts,
                        waiting=(now - row.waiting_since).total_seconds(), recent=tuple(row.recent),
                        room=max(0, room), open=open_now.by_bot[bot], variance=None if error is None else error ** 2,
                        rank=rank, covariances=covariances)


def _affordable(pairs: Sequence[tuple[int, int]], rows: dict[int, _Row],
                games: dict[int, float]) -> list[tuple[int, int]]:
    """Return the pairs for which both owners have games left, counting them one after the other."""
    left, affordable = dict(games), []
    for pair in pairs:
        owners = {rows[bot].owner for bot in pair}
        if all(left[owner] >= GAMES_PER_MATCH for owner in owners):
            affordable.append(pair)
            for owner in owners:
                left[owner] -= GAMES_PER_MATCH
    return affordable


def _still_there(ladder: Ladder, pairs: Sequence[tuple[int, int]],
                 rows: dict[int, _Row]) -> list[tuple[LadderEntry, LadderEntry]]:
    """Lock and return the pairs' entries, without those that left or changed their version since they were read."""
    chosen = {bot for pair in pairs for bot in pair}
    locked = {entry.bot_id: entry for entry in LadderEntry.objects.filter(ladder=ladder, bot__in=chosen, active=True)
              .select_for_update(of=("self",)).select_related("version").order_by("pk")
              if entry.version_id == rows[entry.bot_id].version}
    return [(locked[first], locked[second]) for first, second in pairs if first in locked and second in locked]


def _insert(ladder: Ladder, pairs: Sequence[tuple[LadderEntry, LadderEntry]], now: datetime,
            lot: Random) -> list[Match]:
    matches = []
    for first, second in pairs:
        matches.append(Match(kind=MatchKind.LADDER, ladder=ladder, created_at=now, first=first.version,
                             second=second.version, seed=lot.getrandbits(63), ruleset=ladder.ruleset))
        first.firsts += 1
        for entry, opponent in ((first, second), (second, first)):
            entry.matches += 1
            entry.waiting_since = now
            entry.recent = list(remember(entry.recent, opponent.bot_id))
    draw_openings(ladder, matches)
    Match.objects.bulk_create(matches, batch_size=1000)
    wake(Step.PUBLISH)
    touched = {entry.pk: entry for pair in pairs for entry in pair}
    # The rows exist and are locked: this updates all of them in one statement, ten times as fast as bulk_update.
    LadderEntry.objects.bulk_create(
        touched.values(), batch_size=500, update_conflicts=True, unique_fields=["pk"],
        update_fields=["matches", "firsts", "waiting_since", "recent"])
    return matches
