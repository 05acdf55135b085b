"""The arena: who meets whom, and what it brings."""

import random
from dataclasses import replace
from itertools import combinations

from tournaments.formats.arena import MOST_MATCHES, Arena, Table
from tournaments.formats.history import Bout, History, RoundSoFar
from tournaments.pairing.arena import just_met, paired
from tournaments.scoring.standings import Counts

ARENA = Arena()


def won(wave: int, first: int, second: int, points: tuple[float, float] = (2.0, 0.0), status: str = "finished") -> Bout:
    return Bout(wave, 1, first, second, status, points)


def running(entrants: int, *bouts: Bout, **facts) -> History:
    rounds = [RoundSoFar(number, (), frozenset()) for number in range(1, max([0, *(bout.wave for bout in bouts)]) + 1)]
    return History(entrants, 1, rounds=rounds, bouts=bouts, **{"minutes": 60, "seconds": 1.0, **facts})


def most_pairs(free: list[int], last: dict[int, int]) -> int:
    """The largest number of pairs, by trying all."""
    if len(free) < 2:
        return 0
    best, *rest = free
    met = [1 + most_pairs([each for each in rest if each != other], last)
           for other in rest if not just_met(best, other, last)]
    return max([most_pairs(rest, last), *met])


def lasted(entrants: int, seed: int):
    """Yield each pass of an arena, and the history before it; matches end, and entrants come and go, at random."""
    dice = random.Random(seed)
    history = running(entrants, seconds=0.0)
    for _ in range(40):
        due = ARENA.next(history)
        yield history, due
        bouts = [bout if not bout.is_open or dice.random() < 0.5 else bout._replace(
            status=dice.choice(["finished", "finished", "finished", "void"]),
            points=dice.choice([(2.0, 0.0), (1.0, 1.0), (0.5, 1.5)])) for bout in history.bouts]
        rounds = list(history.rounds)
        if due is not None:
            rounds.append(RoundSoFar(due.number, (), frozenset(), known=due.known))
            bouts += [Bout(due.number, number, *pair, "queued") for number, pair in enumerate(due.pairs, start=1)]
        left = history.left ^ ({dice.randrange(entrants)} if dice.random() < 0.2 else set())
        history = replace(history, rounds=rounds, bouts=bouts, left=frozenset(left), seconds=history.seconds + 1.0)


class TestPairing:
    def test_leaves_nobody_waiting_who_could_play_and_repeats_no_pair(self):
        for entrants, seed in ((2, 0), (3, 1), (4, 2), (4, 3), (5, 0), (7, 1), (8, 2)):
            for history, due in lasted(entrants, seed):
                busy = {place for bout in history.bouts if bout.is_open for place in (bout.first, bout.second)}
                free = [place for place in range(entrants) if place not in busy | history.left]
                last = {place: line.last for place, line in Table.of(history).lines.items()}
                pairs = [] if due is None else list(due.pairs)
                there = [place for pair in pairs for place in pair]
                assert len(there) == len(set(there))
                assert set(there) <= set(free)
                if len(free) == 2 and not busy:
                    assert len(pairs) == 1
                    continue
                assert len(pairs) == most_pairs(free, last)
                assert not any(just_met(*pair, last) for pair in pairs)
                waiting = [place for place in free if place not in there]
                assert all(just_met(*pair, last) for pair in combinations(waiting, 2))
                assert ARENA.next(replace(history)) == due

    def test_prefers_neighbours_in_the_standings(self):
        assert paired([4, 2, 0, 1], {}, {}) == [(4, 2), (0, 1)]
        assert paired([4, 2, 0, 1], {4: 2, 2: 4}, {}) == [(4, 0), (2, 1)]

    def test_lets_those_wait_who_were_paired_last(self):
        assert paired([0, 1, 2], {}, {0: 3, 1: 1, 2: 2}) == [(1, 2)]

    def test_waits_while_only_the_same_two_are_free(self):
        met = won(1, 0, 1)
        other = Bout(1, 2, 2, 3, "running")
        assert ARENA.next(running(4, met, other)) is None
        alone = running(4, met, left=frozenset({2, 3}))
        assert [set(pair) for pair in ARENA.next(alone).pairs] == [{0, 1}]

    def test_puts_the_one_first_that_was_first_less_often(self):
        assert ARENA.next(running(2, won(1, 0, 1))).pairs == [(1, 0)]

    def test_stops_when_the_time_is_over_or_the_limit_of_matches_is_reached(self):
        assert ARENA.next(running(4, seconds=3599.9)) is not None
        assert ARENA.next(running(4, seconds=3600.0)) is None
        many = [won(1, 0, 1)] * (MOST_MATCHES - 1)
        assert len(ARENA.next(running(4, *many)).pairs) == 1
        assert ARENA.is_complete(running(4, *many, won(1, 0, 1)))


class TestPoints:
    def test_are_two_one_or_none_and_doubled_after_two_wins_in_a_row(self):
        """Win, win, win, level, win, loss: as on lichess, a level match on a streak gives two points and ends it."""
        for streaks, points in ((False, [2, 4, 6, 7, 9, 9]), (True, [2, 4, 8, 10, 12, 12])):
            table, found = Table(streaks), []
            for wave, games in enumerate([(2, 0), (1.5, 0.5), (2, 0), (1, 1), (2, 0), (0, 2)], start=1):
                table.add([won(wave, 0, wave, games)])
                found.append(table.line(0).points)
            assert found == points

    def test_are_unchanged_by_a_void_match_which_still_counts_as_met(self):
        table = Table(streaks=True)
        table.add([won(1, 0, 1), won(2, 0, 2), won(3, 0, 3, status="void"), won(4, 4, 0, status="cancelled")])
        assert (table.line(0).points, table.line(0).last, table.is_on_a_streak(0)) == (4, 3, True)

    def test_order_the_table(self):
        rows = ARENA.standings([10, 11, 12, 13], Counts(), (), running(4, won(1, 3, 0), won(2, 1, 2, (1.0, 1.0))))
        assert [(row.entrant, row.points, row.place) for row in rows] == [
            (13, 2.0, 1), (11, 1.0, 2), (12, 1.0, 2), (10, 0.0, 4)]
