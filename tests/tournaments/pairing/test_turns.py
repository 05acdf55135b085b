"""Ladders that share bots: each gets its turn, however the rulesets are called and however long their games take."""

import heapq
from collections import Counter, defaultdict

from tournaments.pairing.matchmaking import Candidate, make_pairs, remember
from tournaments.pairing.turns import share_out

MATCHES_OF_A_BOT = 2


class Site:
    """Ladders of one ruleset each, and workers that play matches of a fixed length; no database, no sandbox."""

    def __init__(self, seconds, bots, slots):
        """Use the length of each ladder's matches, and the bots on each ladder."""
        self.seconds, self.bots, self.slots, self.time = seconds, bots, slots, 0.0
        self.entries = defaultdict(lambda: {"matches": 0, "firsts": 0, "recent": (), "since": 0.0})
        self.newest = dict.fromkeys(seconds, -1.0)
        self.made, self.open_on, self.open_of = Counter(), Counter(), Counter()
        self.queue, self.running = [], []

    def play(self, matches):
        """Return how many of this many matches each ladder was given."""
        while self.made.total() < matches:
            in_turn = sorted(self.seconds, key=lambda ladder: (self.newest[ladder], ladder))
            room = sum(MATCHES_OF_A_BOT - self.open_of[bot] for bot in set().union(*self.bots.values())) // 2
            missing = {str(ladder): 2 * self.slots - self.open_on[ladder] for ladder in in_turn}
            share_out(room, missing, {ladder: str(ladder) for ladder in in_turn}, self.fill)
            while self.queue and len(self.running) < self.slots:
                ladder, pair = self.queue.pop(0)
                heapq.heappush(self.running, (self.time + self.seconds[ladder], ladder, pair))
            self.time, ladder, pair = heapq.heappop(self.running)
            self.open_on[ladder] -= 1
            self.open_of.subtract(pair)
        return self.made

    def fill(self, ladder, count):
        candidates = [Candidate(
            id=bot, rating=1500, matches=entry["matches"], firsts=entry["firsts"], recent=entry["recent"],
            waiting=self.time - entry["since"], room=MATCHES_OF_A_BOT - self.open_of[bot], open=self.open_of[bot])
            for bot in self.bots[ladder] for entry in [self.entries[ladder, bot]]]
        pairs = make_pairs(candidates, count)
        for pair in pairs:
            self.entries[ladder, pair[0]]["firsts"] += 1
            for bot, other in (pair, pair[::-1]):
                entry = self.entries[ladder, bot]
                entry.update(matches=entry["matches"] + 1, recent=remember(entry["recent"], other), since=self.time)
            self.open_of.update(pair)
            self.queue.append((ladder, pair))
        self.newest[ladder] = self.time if pairs else self.newest[ladder]
        self.made[ladder] += len(pairs)
        self.open_on[ladder] += len(pairs)
        return len(pairs)


class TestShareOut:
    def test_gives_each_of_five_ladders_its_share_of_the_matches_of_three_bots(self):
        made = Site({1: 3, 2: 20, 3: 10, 4: 40, 5: 8}, dict.fromkeys(range(1, 6), (1, 2, 3)), slots=2).play(500)
        assert min(made[ladder] for ladder in range(1, 6)) >= 50, made

    def test_lets_no_ladder_wait_whose_bots_are_also_on_larger_ones(self):
        large = tuple(range(8))
        made = Site({1: 3, 2: 30, 3: 10}, {1: large, 2: large, 3: (0, 1)}, slots=2).play(200)
        # Two of eight bots are on all three ladders.
        assert made[3] >= 200 / 3 * 2 / 8, made

    def test_splits_equally_and_gives_what_one_ladder_cannot_use_to_the_others(self):
        def asked(room, missing, ladders, able):
            given = Counter()

            def fill(ladder, count):
                got = min(count, able.get(ladder, 99) - given[ladder])
                given[ladder] += got
                return got

            assert share_out(room, missing, ladders, fill) == given.total()
            return dict(+given)

        two, both = {1: "hex", 2: "squ"}, {1: "hex", 2: "hex"}
        cases = [
            ((6, {"hex": 9, "squ": 9}, two, {}), {1: 3, 2: 3}),
            ((1, {"hex": 9, "squ": 9}, two, {}), {1: 1}),
            ((9, {"hex": 2, "squ": 9}, two, {}), {1: 2, 2: 7}),
            ((9, {"hex": 4}, both, {}), {1: 2, 2: 2}),
            ((9, {"hex": 4}, both, {1: 1}), {1: 1, 2: 3}),
            ((9, {"hex": 4, "squ": 4}, two, {1: 0, 2: 1}), {2: 1}),
            ((0, {"hex": 4}, both, {}), {}),
            ((9, {}, both, {}), {}),
            ((9, {"hex": 4}, {}, {}), {}),
        ]
        assert [(case, asked(*case)) for case, _ in cases] == cases
