"""Which facts make a story, and which stories a short list has."""

from datetime import date
from itertools import count

from tournaments.stories import choosing, series, single, turns
from tournaments.stories.facts import Fact, Story

DAY = date(2026, 11, 12)
_numbers = count(1)


def game(first=1, second=2, winner=0, **facts) -> Fact:
    return Fact(**{"game": next(_numbers), "ladder": 1, "bots": (first, second), "winner": winner, "played_out": True,
                   "plies": 40, "level": 1500.0, "lead": 0.0, "chance": 0.5, "day": DAY, "games": (100, 100), **facts})


def story(kind, weight, *bots, number=None) -> Story:
    return Story(kind=kind, game=number or next(_numbers), bots=bots, weight=weight)


def document(leads, winner, *, opening=0, views=None):
    """Return a replay document whose turns have these numbers of seat 0 and seat 1; the lower number leads."""
    return {"opening": opening, "result": {"winner": winner}, "turns": [
        {"seat": place % 2, "measure": {"counts": [[a, b]], "leader": None if a == b else int(b < a)},
         **({"view": {"win": views[place]}} if views else {})} for place, (a, b) in enumerate(leads)]}


class TestAnUpset:
    def test_states_both_ratings_and_the_chance(self):
        found, = single.upsets([game(chance=1 / 11, level=1500.0, lead=-400.0)])
        assert found.facts["chance"] == 1 / 11
        assert round(found.facts["winner"]) == 1300
        assert round(found.facts["loser"]) == 1700

    def test_is_no_likely_win_no_draw_no_forfeit_and_no_result_of_a_newcomer(self):
        assert not [*single.upsets([
            game(chance=0.26), game(winner=None, chance=None), game(played_out=False, chance=0.1),
            game(chance=0.1, games=(100, 19)), game(1, 1, chance=0.1)])]


class TestALength:
    def test_is_compared_with_the_usual_one_of_the_ladder(self):
        usual = [game(plies=40) for _ in range(30)]
        long, short = game(plies=60), game(plies=24)
        elsewhere = [game(plies=plies, ladder=2) for plies in (5, 10, 90)]
        found = {each.kind: each for each in single.lengths([*usual, long, short, *elsewhere])}
        assert {kind: each.game for kind, each in found.items()} == {"longest": long.game, "shortest": short.game}
        assert found["longest"].facts == {"turns": 60, "usual": 40, "games": 32}

    def test_is_no_story_among_few_games_or_if_a_forfeit_made_it(self):
        assert not [*single.lengths([game(plies=plies) for plies in (5, *[40] * 28)])]
        assert not [*single.lengths([game(plies=40) for _ in range(30)] + [game(plies=3, played_out=False)])]


class TestARun:
    def test_goes_on_or_ends_with_the_game_that_it_links_to(self):
        wins = [game(1, opponent) for opponent in (2, 3, 4, 2, 3, 4)]
        going, = [each for each in series.runs(wins) if each.bots == (1,)]
        assert going.game == wins[-1].game
        assert going.facts == {"seat": 0, "won": True, "games": 6, "over": False, "at_least": True}
        end = game(5, 1)
        over, = series.runs([*wins, end])
        assert over.game == end.game
        assert over.facts == {"seat": 1, "won": True, "games": 6, "over": True, "at_least": True}

    def test_is_exact_if_an_earlier_game_is_known(self):
        met = [game(2, 1), *(game(1, bot) for bot in (2, 3, 4, 5, 6, 7))]
        found, = [each for each in series.runs(met) if each.facts["won"]]
        assert not found.facts["at_least"]

    def test_is_cut_short_by_a_draw_or_a_forfeit(self):
        for facts in ({"winner": None, "chance": None}, {"played_out": False}):
            assert not [*series.runs([*(game(1, opponent) for opponent in (2, 3, 4)), game(1, 3, **facts),
                                      *(game(1, opponent) for opponent in (2, 3, 4))])]

    def test_needs_several_opponents_and_an_improbable_result(self):
        assert not [*series.runs([game(1, 2) for _ in range(9)])]
        assert not [*series.runs([game(1, opponent, chance=0.95) for opponent in (2, 3, 4) * 3])]


class TestARivalry:
    def test_has_many_games_and_a_close_score_of_the_seats_of_the_last_one(self):
        met = [game(1, 2, winner=number % 2) for number in range(19)] + [game(2, 1), game(2, 1)]
        found, = series.rivalries([*met, *(game(1, 3) for _ in range(30))])
        assert found.facts == {"games": 21, "score": (11, 10)}
        assert found.game == met[-1].game


class TestTheCourseOfAGame:
    def test_is_decided_when_the_winner_leads_for_good(self):
        leads = [(4, 5), (4, 3), (3, 3), (2, 3), (1, 2)]
        assert turns.decisive_turn(document(leads, 0)) == 4
        assert turns.decisive_turn(document(leads, 1)) == 5
        assert turns.decisive_turn(document([(1, 2)] * 5, 0, opening=2)) == 2
        assert turns.decisive_turn(document([], 0)) == 0

    def test_counts_changes_of_a_clear_lead(self):
        assert turns.lead_changes(document([(4, 6), (4, 3), (6, 3), (4, 4), (3, 5)], 0)) == 2

    def test_has_a_comeback_if_the_winner_was_clearly_behind_for_two_turns(self):
        assert turns.comeback(document([(6, 3), (3, 3), (2, 3)], 0)) is None
        assert turns.comeback(document([(5, 3), (5, 3), (2, 3)], 0)) is None
        assert turns.comeback(document([(6, 3), (7, 3), (2, 3)], 1)) is None
        assert turns.comeback(document([(6, 3), (7, 3), (2, 3)], 0)) == {"turn": 2, "counts": [[7, 3]]}

    def test_has_a_comeback_only_if_both_bots_doubted_the_winner(self):
        level = [(3, 3)] * 4
        assert turns.comeback(document(level, 0, views=[0.1, 0.85, 0.6, 0.2])) == {"turn": 2, "chance": 1 - 0.85}
        assert turns.comeback(document(level, 0, views=[0.1, 0.5, 0.1, 0.5])) is None


class TestTheList:
    def test_takes_the_kinds_in_turn_and_neither_a_bot_nor_a_game_fills_it(self):
        first, second, third = (story("upset", weight, 1, 10 + weight) for weight in (9, 8, 7))
        lower = story("upset", 6, 2, 3)
        run, same_game = story("run", 1, 4), story("longest", 5, 5, 6, number=first.game)
        assert choosing.choose([lower, run, third, second, first, same_game]) == [first, run, second]
        assert choosing.choose([third, lower, first, story("run", 3, 1)])[2:] == [lower]
        assert choosing.choose([]) == []

    def test_is_the_same_for_every_order_of_its_input(self):
        stories = [story(kind, 1, number) for number, kind in enumerate(choosing.KINDS * 3)]
        assert choosing.choose(stories) == choosing.choose(stories[::-1])
        assert len(choosing.choose(stories)) == choosing.MOST


class TestTheGameOfTheDay:
    def test_is_of_the_last_finished_day_with_games(self):
        old, new = game(day=date(2026, 11, 10)), game(day=DAY)
        unfit = game(day=date(2026, 11, 11), played_out=False)
        assert choosing.day_to_show([old, new, unfit], DAY) == old.day
        assert choosing.day_to_show([new], DAY) == DAY
        assert choosing.day_to_show([unfit], DAY) is None

    def test_is_the_one_with_the_most_changes_of_the_lead_among_the_strongest(self):
        strong, stronger, newcomers = game(level=1700), game(level=1800), game(level=1900, games=(5, 100))
        long = game(level=2000, plies=151)
        listed = choosing.candidates([strong, newcomers, stronger, long], DAY)
        assert listed == [stronger, strong]
        assert choosing.game_of_the_day(listed, {strong.game: 3, stronger.game: 1}) == strong
        assert choosing.game_of_the_day(listed, {strong.game: 1, stronger.game: 1}) == stronger
        assert choosing.candidates([newcomers], DAY) == [newcomers]
        assert choosing.game_of_the_day([], {}) is None
