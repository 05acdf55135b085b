"""Progress and standings of running events, compared with their final state."""

from collections import Counter
from datetime import timedelta
from itertools import pairwise
from random import Random

import pytest

from tests.factories import START, play_match
from tests.tournaments.events.test_rounds import hold_event
from tournaments.models import Event, Game, Match
from tournaments.models.lifecycle import MatchStatus
from tournaments.scoring.scores import GAMES_PER_MATCH
from tournaments.selectors.events import events as reads
from tournaments.services.events import rounds
from tournaments.services.events.entries import leave_event
from tournaments.services.events.events import finish_event

pytestmark = pytest.mark.django_db

KNOCKOUTS = ("knockout", "double knockout")
CASES = [("round-robin", 4, 1), ("swiss", 3, 2), ("swiss", 6, 3), ("knockout", 5, 1), ("double knockout", 2, 1),
         ("double knockout", 3, 1)]


def steps(event: Event, dice: Random, leavers: int = 0):
    """Play the event to its end, match by match in any order, and yield after each step; some entrants leave."""
    yield
    leaving = iter(range(leavers))
    while True:
        while open_ := list(Match.objects.filter(event=event, status=MatchStatus.QUEUED).order_by("pk")):
            play_match(dice.choice(open_), seed=dice.randrange(1000))
            yield
            there = list(event.entries.filter(left_at=None).order_by("pk"))
            if dice.random() < 0.2 and (number := next(leaving, None)) is not None:
                leave_event(entry=dice.choice(there), actor=None, now=START + timedelta(days=1 + number))
                yield
        if not rounds.pair_next(event=event, now=START):
            break
        yield
    event.refresh_from_db()


def seen(event: Event) -> reads.Progress:
    event.refresh_from_db()
    return reads.progress(event, START)


def eliminated(event: Event) -> set[int]:
    """Check that eliminated entrants are ranked below the others and play no more matches, and return them."""
    lines = reads.standings(event)
    out = {line.entry.version_id for line in lines if line.row.eliminated}
    open_ = Match.objects.filter(event=event, status=MatchStatus.QUEUED).values_list("first", "second")
    assert not out & {version for pair in open_ for version in pair}
    still_in = [line.row for line in lines if not line.row.eliminated]
    assert [line.row.eliminated for line in lines] == [False] * len(still_in) + [True] * len(out)
    assert {row.place for row in still_in} == {1}
    (worst,) = {row.worst_place for row in still_in}
    assert worst <= len(still_in)
    assert all(line.row.place >= max(2, worst) for line in lines if line.row.eliminated)
    return out


class TestProgress:
    @pytest.mark.parametrize(("format_", "bots", "seed"), CASES)
    def test_and_standings_are_consistent_throughout_and_final_at_the_end(self, format_, bots, seed):
        event, shown, out = hold_event(bots, format_), [], set()
        for _ in steps(event, Random(seed)):
            shown.append(seen(event))
            if format_ in KNOCKOUTS:
                before, out = out, eliminated(event)
                assert before <= out
        assert len(out) == (bots - 1 if format_ in KNOCKOUTS else 0)
        last = shown[-1]
        assert finish_event(event=event, now=START)
        end = seen(event)
        assert (end.games_total, end.games_done, end.share) == (last.games_total, last.games_done, 1.0)
        assert (end.rounds_least, end.rounds_most, end.at_least) == (event.rounds.count(), event.rounds.count(), False)
        for before, after in pairwise(shown):
            assert before.games_total <= after.games_total
            assert before.at_least or before.games_total == after.games_total
            assert before.rounds_least <= after.rounds_least <= after.rounds_most <= before.rounds_most
        for each in shown[:-1]:
            assert each.share < 1.0 or each.games_total == end.games_total

    @pytest.mark.parametrize(("format_", "bots", "seed"), CASES)
    def test_never_falls_below_the_matches_made_when_some_leave(self, format_, bots, seed):
        event = hold_event(bots, format_, cycles=2)
        for _ in steps(event, Random(seed), leavers=bots - 1):
            progress = seen(event)
            made = Match.objects.filter(event=event).exclude(status=MatchStatus.CANCELLED).count()
            assert progress.games_total >= made * GAMES_PER_MATCH
            assert progress.rounds_least <= progress.rounds_most
            assert event.rounds.count() <= progress.rounds_most
        last = seen(event)
        assert finish_event(event=event, now=START)
        end = seen(event)
        assert last.rounds_least <= end.rounds_least == end.rounds_most <= last.rounds_most
        # In a Swiss, all remaining entrants may have met already.
        assert end.games_total == last.games_total or last.rounds_least < last.rounds_most

    def test_of_a_double_knockout_includes_future_rounds_and_games(self):
        progress = seen(hold_event(6, "double knockout"))
        assert (progress.rounds_least, progress.rounds_most) == (6, 7)
        assert (progress.games_total, progress.at_least) == (20, True)

    def test_of_an_arena_is_its_time_and_of_a_precision_event_its_information(self):
        arena = hold_event(4, "arena", minutes=10)
        half = reads.progress(arena, START + timedelta(minutes=5))
        assert (half.measure, half.share, half.seconds_left, half.estimate) == ("time", 0.5, 300.0, "about")
        precise = hold_event(3, "precision", target="ratings", target_value=300, max_matches=200)
        shown = [seen(precise) for _ in steps(precise, Random(1))]
        assert {(each.measure, each.estimate) for each in shown} == {("information", "at most")}
        assert shown[0].share == 0.0 < shown[-1].share == 1.0
        assert finish_event(event=precise, now=START)
        end = seen(precise)
        assert (end.measure, end.share, end.estimate) == ("games", 1.0, "exact")


class TestTheBracket:
    @pytest.mark.parametrize("format_", KNOCKOUTS)
    def test_has_the_points_of_each_tie_and_marks_walkovers(self, format_):
        event = hold_event(6, format_)
        for _ in steps(event, Random(5), leavers=3):
            pass
        places = dict(event.entries.values_list("version", "place"))
        scored = Counter()
        for *seats, winner, number in Game.objects.filter(event=event).values_list(
                "seat0", "seat1", "winner", "match__round__number"):
            for seat, version in enumerate(seats):
                scored[number, places[version]] += 0.5 if winner is None else float(winner == seat)
        ties = [tie for column in reads.bracket(event) for tie in column.ties if not tie.is_bye]
        for tie in ties:
            assert tie.points in (None, tuple(scored[tie.stage, side] for side in tie.sides))
            assert tie.points is not None or tie.walkover
            better = tie.points is None or max(zip(tie.points, tie.sides, strict=True))[1] == tie.winner
            assert better or tie.walkover or tie.points[0] == tie.points[1]
        assert any(tie.walkover for tie in ties)
        assert any(tie.points and not tie.walkover for tie in ties)
