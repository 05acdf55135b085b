"""Reads about challenges: their progress and results."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q, QuerySet

from ratings.score import interval
from tournaments.models import Challenge, Game, Match
from tournaments.models.lifecycle import MATCH_OPEN
from tournaments.scoring.scores import Score
from tournaments.selectors.matches.games import with_games


@dataclass(frozen=True, slots=True)
class Summary:
    """A challenge's results for its first version. `low` and `high` are the 95 % bounds of its score, 0 to 1."""

    tally: Score
    low: float
    high: float

    @property
    def score(self) -> float:
        """Points per game, 0 to 1; one half before the first game."""
        return 0.5 if self.tally.share is None else self.tally.share


def challenges() -> QuerySet[Challenge]:
    """Return challenges, newest first, with both sides and counts of matches.

    The counts are `matches_total`, `matches_ended` and `matches_open`.
    """
    return (Challenge.objects.select_related("ladder", "first__bot", "second__bot", "created_by")
            .annotate(matches_total=Count("matches"),
                      matches_ended=Count("matches", filter=~Q(matches__status__in=MATCH_OPEN)),
                      matches_open=Count("matches", filter=Q(matches__status__in=MATCH_OPEN)))
            .order_by("-id"))


def open_challenges(user: Any) -> QuerySet[Challenge]:
    """Return the challenges that this user requested and that are not over."""
    return Challenge.objects.filter(created_by=user, matches__status__in=MATCH_OPEN).distinct()


def summaries(listed: list[Challenge]) -> dict[int, Summary]:
    """Return the results of these challenges, by ID; one query."""
    tallies = {challenge.pk: Score() for challenge in listed}
    firsts = {challenge.pk: challenge.first_id for challenge in listed}
    counted = (Game.objects.filter(match__challenge__in=tallies).order_by()
               .values_list("match__challenge", "seat0", "winner").annotate(Count("id")))
    for challenge, seat0, winner, games in counted:
        tallies[challenge].add(0 if seat0 == firsts[challenge] else 1, winner, games)
    return {pk: Summary(tally, *interval(tally.wins, tally.draws, tally.losses)) for pk, tally in tallies.items()}


def summary(challenge: Challenge) -> Summary:
    """Return the results of the challenge so far."""
    return summaries([challenge])[challenge.pk]


def matches_of(challenge: Challenge) -> QuerySet[Match]:
    """Return the challenge's matches in order, with both sides and the games (without records)."""
    return with_games(challenge.matches.order_by("pk"))
