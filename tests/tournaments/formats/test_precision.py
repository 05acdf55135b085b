"""The format of precision events: batches, limits, reasons to stop, all from the seed and the games so far."""

import random
from collections import Counter
from dataclasses import replace

from tournaments.formats.history import Goal, History, Played, RoundSoFar, Tie
from tournaments.formats.precision import state, stopping
from tournaments.formats.registry import find

FORMAT = find("precision")


def history(entrants: int = 6, *, kind: str = "first", value: int = 1, most: int = 400, hours: int | None = None,
            seed: int = 1) -> History:
    return History(entrants, 1, goal=Goal(kind, value, most, hours, seed))


def after(before: History, dice: random.Random, *, repeated: bool = False, hours: float = 0.1,
          step: float = 0.08) -> History:
    """The history after the next batch: a better seed wins more often, by `step` per place."""
    due = FORMAT.next(before)
    assert due is not None
    games = []
    for number, (first, second) in enumerate(due.pairs, start=1):
        chance = min(max(0.5 + step * (second - first), 0.02), 0.98)
        scores = (1.0, 0.0) if repeated else (float(dice.random() < chance), float(dice.random() < chance))
        key = "same" if repeated else f"{due.number} {number}"
        games.append(Played(due.number, number, first, second, scores, key, key, hours * due.number))
    rounds = [*before.rounds, RoundSoFar(due.number, [Tie(*pair) for pair in due.pairs], frozenset(), pairs=due.pairs)]
    return replace(before, rounds=rounds, games=(*before.games, *games))


def played(before: History, seed: int = 1, **options) -> History:
    dice = random.Random(seed)
    while FORMAT.next(before) is not None:
        before = after(before, dice, **options)
    return before


class TestAPrecisionEvent:
    def test_first_plays_whole_rounds_of_a_round_robin(self):
        for entrants in (2, 6, 7, 40):
            due = FORMAT.next(history(entrants))
            there = Counter(place for pair in due.pairs for place in pair)
            assert set(there) == set(range(entrants))
            assert max(there.values()) - min(there.values()) <= 1 + entrants % 2
            assert min(there.values()) >= 10

    def test_stops_when_the_first_place_is_separated(self):
        done = played(history())
        assert stopping.stopped(done) == stopping.TARGET
        assert sum(len(round_.pairs) for round_ in done.rounds) < 400
        assert stopping.measured(done).lines[0].place == 0

    def test_gives_most_matches_to_the_boundary_and_some_to_every_pair(self):
        done = played(history(value=2, most=1500), step=0.03)
        met = Counter(frozenset(pair) for round_ in done.rounds[1:] for pair in round_.pairs)
        assert len(met) == 15
        assert met[frozenset((1, 2))] > 3 * met[frozenset((4, 5))]

    def test_has_even_seats(self):
        done = played(history(value=2), step=0.02)
        first = Counter(pair for round_ in done.rounds for pair in round_.pairs)
        assert all(abs(first[a, b] - first[b, a]) <= len(done.rounds) for a in range(6) for b in range(a))

    def test_repeats_every_pairing_from_its_seed_and_games(self):
        done = played(history(most=250), step=0.0)
        for number, round_ in enumerate(done.rounds):
            before = replace(done, rounds=done.rounds[:number],
                             games=tuple(game for game in done.games if game.round <= number))
            assert list(FORMAT.next(before).pairs) == list(round_.pairs)
        other = replace(done, goal=replace(done.goal, seed=2), rounds=done.rounds[:1],
                        games=tuple(game for game in done.games if game.round == 1))
        assert list(FORMAT.next(other).pairs) != list(done.rounds[1].pairs)

    def test_stops_at_its_limit_of_matches_exactly(self):
        done = played(history(kind="ratings", value=5, most=123))
        assert (stopping.stopped(done), sum(len(round_.pairs) for round_ in done.rounds)) == (stopping.MATCHES, 123)
        # Repeated matches count once.
        twice = replace(done, games=(*done.games, *(game._replace(number=game.number + 1000) for game in done.games)))
        assert stopping.share(twice) == stopping.share(done)

    def test_stops_at_its_limit_of_hours_and_slows_down_before(self):
        done = played(history(kind="ratings", value=5, hours=1), hours=0.45)
        assert stopping.stopped(done) == stopping.HOURS
        assert len(done.rounds[2].pairs) < len(done.rounds[1].pairs)

    def test_stops_when_matches_only_repeat_earlier_ones(self):
        done = played(history(kind="ratings", value=5), repeated=True)
        assert stopping.stopped(done) == stopping.REPEATS
        assert len(done.rounds) == 2

    def test_pairs_no_entrant_that_has_left(self):
        one = after(history(), random.Random(1), step=0.0)
        due = FORMAT.next(replace(one, left=frozenset({2})))
        assert 2 not in {place for pair in due.pairs for place in pair}
        assert stopping.stopped(replace(one, left=frozenset(range(5)))) == stopping.ENTRANTS


def test_its_limit_grows_with_its_longest_course():
    assert state.limit_for(36, 36) == 1.96
    assert state.limit_for(36, 400) < state.limit_for(36, 4000)
