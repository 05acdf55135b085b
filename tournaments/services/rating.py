"""When rounds are rated, and a ladder's ratings again from its games. The arithmetic is `ratings.elo`."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby

from django.db import transaction
from django.db.models import F, Min

from engines.sandbox.limits import Tier
from ratings import elo
from ratings import services as ratings
from ratings.models import Period
from tournaments.lifecycle import MATCH_ENDED, MatchStatus
from tournaments.models import Event, Game, Ladder, Match, Round
from tournaments.services.locks import Lock, hold


def rate_due(now: datetime) -> int:
    """Close a period for every round that is over and not rated, in order; returns how many.

    Safe beside others who do the same: the ladder is locked, and what is rated is marked in the same transaction.
    """
    return sum(_rate_ladder(ladder, now) for ladder in _ladders_with_unrated_matches())


def rebuild(ladder: Ladder, *, check_only: bool = False) -> bool:
    """Compute the ladder's ratings again from its periods and games; whether they stood there bit for bit.

    What differs is replaced, unless `check_only`.
    """
    with transaction.atomic():
        hold(Lock.LADDER, ladder.pk)
        changes, standings = ratings.recompute(_periods(ladder))
        same = ratings.stands(ladder_id=ladder.pk, changes=changes, standings=standings)
        if not same and not check_only:
            ratings.replace_all(ladder_id=ladder.pk, changes=changes, standings=standings)
    return same


def _ladders_with_unrated_matches() -> list[int]:
    unrated = Match.objects.filter(status=MatchStatus.FINISHED, rating_period=None)
    return sorted(set(unrated.values_list("round__event__ladder", flat=True)))


def _rate_ladder(ladder: int, now: datetime) -> int:
    with transaction.atomic():
        hold(Lock.LADDER, ladder)
        due = _due_rounds(ladder)
        for round_ in due:
            _rate_round(ladder, round_, now)
    return len(due)


def _due_rounds(ladder: int) -> list[Round]:
    """Rounds with unrated matches that are over, as are all before them: event by event, in number order."""
    unrated = Round.objects.filter(
        event__ladder=ladder, matches__status=MatchStatus.FINISHED, matches__rating_period=None).distinct()
    going_on = dict(Match.objects.exclude(status__in=MATCH_ENDED).filter(round__event__in=unrated.values("event"))
                    .order_by().values_list("round__event").annotate(Min("round__number")))
    return [round_ for round_ in unrated.order_by("event_id", "number")
            if round_.number < going_on.get(round_.event_id, round_.number + 1)]


def _rate_round(ladder: int, round_: Round, now: datetime) -> None:
    # The event first, as everybody locks it before its matches; and its pages show ratings.
    Event.objects.filter(pk=round_.event_id).update(revision=F("revision") + 1)
    unrated = Match.objects.filter(round=round_, status=MatchStatus.FINISHED, rating_period=None)
    matches = list(unrated.values_list("pk", flat=True))
    games = _games().filter(match__in=matches).order_by("match_id", "number")
    period = ratings.apply_period(ladder_id=ladder, round_id=round_.pk, results=[_result(*row[1:]) for row in games],
                                  now=now)
    Match.objects.filter(pk__in=matches).update(rating_period=period.number)


def _periods(ladder: Ladder) -> Iterator[tuple[Period, Sequence[elo.Result]]]:
    games = (_games().filter(match__round__event__ladder=ladder, match__rating_period__isnull=False)
             .order_by("match__rating_period", "match_id", "number"))
    by_number = {number: [_result(*row[1:]) for row in rows]
                 for number, rows in groupby(games.iterator(), key=lambda row: row[0])}
    for period in Period.objects.filter(ladder=ladder).order_by("number"):
        yield period, by_number.get(period.number, [])


def _games():  # type: ignore[no-untyped-def]
    # What was played without any wall stands, but changes no rating.
    return (Game.objects.exclude(attempt__tier=Tier.UNSAFE_LOCAL)
            .values_list("match__rating_period", "pk", "seat0__bot", "seat1__bot", "winner"))


def _result(game: int, bot0: int, bot1: int, winner: int | None) -> elo.Result:
    return elo.Result(game, (bot0, bot1), 0.5 if winner is None else 1.0 - winner)
