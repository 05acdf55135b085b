"""Helpers for tests of counts and ratings."""

from ratings.fit.pairs import from_games
from ratings.models import COUNTS, ClusterCounts, OfficialLine, OfficialTable, PairCounts, Rating, Statistics
from tests.factories import play_match, random_record
from tournaments.models import Game, Match, Version
from tournaments.services.ladders.official import compute_due
from tournaments.services.matches.matches import claim, finish

STANDS = {"counts": True, "ratings": True}


def counts(ladder):
    """The counts without ids, so that they are comparable between databases."""
    pairs = PairCounts.objects.filter(ladder=ladder).order_by("low", "high")
    clusters = ClusterCounts.objects.filter(pair__ladder=ladder).order_by("pair__low", "pair__high", "opening")
    return (list(pairs.values_list("low", "high", *COUNTS, "moments")),
            list(clusters.values_list("pair__low", "pair__high", "opening", *COUNTS)),
            Statistics.objects.values_list("period", "games").get(ladder=ladder))


def table(ladder):
    """The fit and the ratings without ids, revision and times."""
    facts = OfficialTable.objects.values().get(ladder=ladder)
    lines = list(OfficialLine.objects.filter(table__ladder=ladder).order_by("rank").values())
    ratings = list(Rating.objects.filter(ladder=ladder).order_by("rank").values())
    return ({key: fact for key, fact in facts.items() if key not in {"id", "revision", "computed_at", "seconds"}},
            [{key: fact for key, fact in line.items() if key not in {"id", "table_id"}} for line in lines],
            [{key: fact for key, fact in rating.items() if key != "id"} for rating in ratings])


def from_the_games(ladder):
    """Count the pairs from the rows of games with the rating code itself."""
    games = Game.objects.filter(match__ladder=ladder).values_list("seat0", "seat1", "winner", "match__opening")
    return from_games((first, second, 0.5 if winner is None else 1.0 - winner, tuple(opening))
                      for first, second, winner, opening in games)


def play_round(event, number):
    for match in Match.objects.filter(event=event, round__number=number).order_by("pk"):
        play_match(match)


def play_to(match, *winners, now, tier="standard"):
    """Finish the match with one game per given winner's seat."""
    lease = claim(match_id=match.pk, worker="w", tier=tier, now=now)
    size = match.ladder.size
    records = [next(record for seed in range(1000)
                    if (record := random_record("square-grid-hex", size, ("x", "y"), seed)).result.winner == winner)
               for winner in winners]
    assert finish(lease, records, now)


def versions_of(event):
    return list(Version.objects.filter(entries__event=event).order_by("pk"))


def stored(event):
    return OfficialTable.objects.get(ladder=event.ladder)


def compute_at_once(now):
    """Compute the due tables, as if that took no time: the next is due after ten times as long."""
    done = compute_due(now)
    OfficialTable.objects.update(seconds=0.0)
    return done
