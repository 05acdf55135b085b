"""Reads about games that are running or queued: the players from the database, the turns from Redis.

Redis may have no turns or too few; the game is then shown with fewer turns.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Prefetch, QuerySet

from tournaments.models import Event, Game, Match, Version
from tournaments.models.lifecycle import MatchStatus
from tournaments.scoring.scores import GAMES_PER_MATCH
from tournaments.selectors.events.events import visible_events
from tournaments.selectors.matches.live_turns import GameKey, GameProgress, LiveTurn, live_turns

# The length of a longer queue does not matter.
_COUNTED = 1000


@dataclass(frozen=True, slots=True)
class LiveGame:
    """A match's game, `number` 1 or 2, before it is in the database, or `game` once it is there.

    `turns` are the turns received so far, without the opening; `over` says that no more will come, and `begun` that
    this game of the match has begun.
    """

    match: Match
    number: int
    seats: tuple[Version, Version]
    turns: tuple[LiveTurn, ...] = ()
    over: bool = False
    begun: bool = False
    game: Game | None = None

    @property
    def plies(self) -> int:
        """Number of turns, including those of the opening."""
        return len(self.match.opening) + len(self.turns) if self.begun else 0


def match_to_watch(user: Any, pk: int) -> QuerySet[Match]:
    """Return the match, if this user may see it, with the facts that its page shows and the IDs of its games."""
    return (Match.objects.filter(visible_events(user, "event"), pk=pk)
            .select_related("event", "round", "ladder", "first__bot", "second__bot")
            .prefetch_related(Prefetch("games", Game.objects.order_by("number").only("match", "number"))))


def watch(match: Match, number: int) -> LiveGame:
    """Return the match's game with this number, with its turns so far."""
    seats = _seats(match, number)
    for game in match.games.all():
        if game.number == number:
            return LiveGame(match, number, seats, over=True, begun=True, game=game)
    if match.status != MatchStatus.RUNNING:
        return LiveGame(match, number, seats)
    keys = [GameKey(match.pk, match.attempt, each) for each in range(1, GAMES_PER_MATCH + 1)]
    found = _read(keys)
    mine, later = found[number - 1], any(found[number:])
    first_over = found[0] is not None and found[0].over
    return LiveGame(match, number, seats, turns=mine.turns if mine else (), over=bool(later or (mine and mine.over)),
                    begun=number == 1 or mine is not None or first_over)


def current_number(match: Match) -> int:
    """Return the number of the match's game in progress; 1 if it is not running."""
    if match.status != MatchStatus.RUNNING:
        return 1
    return _current(match, *_read([GameKey(match.pk, match.attempt, number) for number in (1, 2)])).number


def being_played(user: Any, limit: int, event: Event | None = None) -> list[LiveGame]:
    """Return the running games, one per match, the match made last first; of an event, or of all."""
    running = Match.objects.filter(visible_events(user, "event"), status=MatchStatus.RUNNING)
    if event is not None:
        running = running.filter(event=event)
    matches = list(running.select_related("ladder", "event", "first__bot", "second__bot").order_by("-id")[:limit])
    keys = [GameKey(match.pk, match.attempt, number) for match in matches for number in (1, 2)]
    found = iter(_read(keys))
    return [_current(match, first, second) for match, first, second in zip(matches, found, found, strict=True)]


def matches_before(match: Match) -> int:
    """Return about how many queued matches of its kind and ruleset were made before this one; at most 1000."""
    before = Match.objects.filter(status=MatchStatus.QUEUED, held=False, ruleset=match.ruleset, kind=match.kind,
                                  pk__lt=match.pk)
    return before.order_by()[:_COUNTED].count()


def _current(match: Match, first: GameProgress | None, second: GameProgress | None) -> LiveGame:
    second_runs = second is not None or (first is not None and first.over)
    number, so_far = (2, second) if second_runs else (1, first)
    return LiveGame(match, number, _seats(match, number), turns=so_far.turns if so_far else (), begun=True,
                    over=so_far is not None and so_far.over)


def _seats(match: Match, number: int) -> tuple[Version, Version]:
    return (match.first, match.second) if number == 1 else (match.second, match.first)


def _read(keys: Sequence[GameKey]) -> list[GameProgress | None]:
    store = live_turns()
    return store.read(keys) if store is not None else [None] * len(keys)
