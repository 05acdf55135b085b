"""The explorer of openings: turns of rated games are counted exactly once, and can be recounted."""

from collections import Counter
from io import StringIO

import pytest
from django.core.management import call_command

from engines.rules.registry import find
from engines.rules.symmetry import END, EXPLORED_PLIES, path
from ratings import openings
from ratings.models import OpeningCount, OpeningTurn
from tests.factories import START, make_event, make_version, play_event, play_match
from tournaments.models import Event, Game, Version
from tournaments.scoring.scores import Score
from tournaments.selectors.ladders import openings as reads
from tournaments.services.ladders import openings as services
from tournaments.services.ladders.openings import count_batch, count_due, recount

pytestmark = pytest.mark.django_db
FIELDS = ("ladder", "place", "turn", "band", "games", "wins", "draws", "newest")


@pytest.fixture(scope="module")
def counted(module_db):
    """An event whose twelve games are counted; tests must not change the object."""
    event = play_event(make_event([make_version(name) for name in ("ant", "bee", "cat", "dog")],
                                  ruleset="squaresquared", size=3))
    count_all()
    return event


@pytest.fixture
def event(counted, db):
    return Event.objects.get(pk=counted.pk)


@pytest.fixture
def fresh(counted, db):
    """An event of three bots on another ladder, of which nothing has been played."""
    return make_event(Version.objects.order_by("pk")[:3], ruleset="squaresquared", size=4)


def rows():
    return sorted(OpeningTurn.objects.values_list(*FIELDS))


def expected():
    """Return the rows that follow from the rated games."""
    found = {}
    for game in Game.objects.filter(rated__isnull=False).order_by("pk"):
        turns = [*game.record["opening"], *(turn["turn"] for turn in game.record["turns"])]
        for place, turn in path(find(game.record["ruleset"]), game.record["size"], turns):
            band = openings.band_of(game.rated.level)
            row = found.setdefault((game.match.ladder_id, place, turn, band), [0, 0, 0, 0])
            row[:] = (row[0] + 1, row[1] + (game.winner == 0), row[2] + (game.winner is None), game.pk)
    return sorted((*key, *counts) for key, counts in found.items())


def count_all():
    while count_due(START):
        pass


class TestCountDue:
    @pytest.mark.database
    def test_counts_every_turn_of_rated_games(self, event):
        assert rows() == expected()
        assert sum(row[4] for row in rows() if row[2] == END) == Game.objects.count() == 12
        assert reads.counted("squaresquared", 3) == reads.Counted(12, complete=True)

    @pytest.mark.database
    def test_counts_each_game_once_in_small_batches(self, fresh, monkeypatch):
        """A batch ends within a period and at its end, and counting continues after more games are rated."""
        monkeypatch.setattr(services, "_GAMES", 3)
        play_event(fresh, matches_to_play=2)
        assert count_batch(fresh.ladder_id)
        assert OpeningCount.objects.get(ladder=fresh.ladder).games == 3
        assert not reads.counted("squaresquared", 4).complete
        count_all()
        assert rows() == expected()
        play_event(fresh)
        count_all()
        count_all()
        assert rows() == expected()
        assert OpeningCount.objects.get(ladder=fresh.ladder).games == 6

    def test_adds_nothing_if_it_fails_midway(self, event, monkeypatch):
        OpeningTurn.objects.all().delete()
        OpeningCount.objects.all().delete()
        add = openings.add

        def fail(**given):
            add(**given)
            raise OSError("no disk")

        monkeypatch.setattr(openings, "add", fail)
        with pytest.raises(OSError, match="no disk"):
            count_batch(event.ladder_id)
        assert not OpeningTurn.objects.exists()
        monkeypatch.setattr(openings, "add", add)
        count_all()
        assert rows() == expected()

    def test_leaves_out_private_events_games_by_other_rules_and_unrated_games(self, event, fresh):
        play_match(fresh.matches.order_by("pk")[0])
        Event.objects.update(private=True)
        list(recount(event.ladder))
        assert rows() == []
        Event.objects.update(private=False)
        for game in Game.objects.all():
            Game.objects.filter(pk=game.pk).update(record={**game.record, "rules": 99})
        list(recount(event.ladder))
        count_all()
        assert rows() == []
        assert reads.explore(reads.reach(find("squaresquared"), 3, ["a1"])) == reads.Explored(Score(), [], 0)


class TestRecounting:
    def test_of_one_ladder_gives_the_same_and_keeps_the_others(self, event, monkeypatch):
        # Some of its turns are of several stones.
        play_event(make_event(Version.objects.order_by("pk")[:2], ruleset="scware", size=6))
        count_all()
        before = rows()
        assert before == expected()
        assert any("," in row[2] for row in before)
        monkeypatch.setattr(openings, "_ROWS_DELETED", 10)
        list(recount(event.ladder))
        assert rows() == before
        OpeningTurn.objects.filter(turn=END).update(games=7)
        said = StringIO()
        call_command("rebuild_ratings", "--openings", stdout=said)
        assert rows() == before
        assert "12 of 12 games counted" in said.getvalue()


class TestExplore:
    def reach(self, *turns):
        return reads.reach(find("squaresquared"), 3, turns)

    @pytest.mark.database
    def test_adds_up_the_images_of_a_turn(self, event):
        games = list(Game.objects.all())
        firsts = Counter(game.record["turns"][0]["turn"] for game in games)
        found = reads.explore(self.reach())
        assert found.score.games == len(games)
        corners = next(line for line in found.lines if "a1" in line.images)
        assert sorted(corners.images) == ["a1", "a3", "c1", "c3"]
        assert corners.score.games == sum(firsts[turn] for turn in corners.images)
        wins = sum(game.winner == 0 for game in games if game.record["turns"][0]["turn"] in corners.images)
        assert corners.score.wins == wins
        # The second player's score is turned around.
        after = reads.explore(self.reach(corners.turn))
        assert after.score == Score(corners.score.losses, corners.score.draws, corners.score.wins)
        assert {game.pk for game in games} >= set(after.games)
        # The same from every image, and in each band.
        one, other = (reads.explore(self.reach(*turns)) for turns in (("a1", "b2"), ("c3", "b2")))
        assert one.score == other.score
        assert [line.score for line in one.lines] == [line.score for line in other.lines]
        bands = [reads.explore(self.reach(), band).score.games for band in range(openings.BANDS)]
        assert sum(bands) == found.score.games == 12

    def test_names_the_turn_and_the_rule_that_forbids_it(self):
        for turns, legal, said in (
            (("a1", "z9"), 1, "Turn 2, 'z9', cannot be played: 'z9' is not a cell"),
            (("a1", "b1", "a1"), 2, "Turn 3, 'a1', cannot be played: a1 is not empty"),
            (("pass", "pass", "a1"), 2, "Turn 3, 'a1', cannot be played: the game is over"),
            (("a1", "pass", "b1", "pass", "c1", "pass", "a2", "pass", "b2", "pass", "c2", "pass", "a3"), 12,
             f"Games are followed for {EXPLORED_PLIES} turns only: leave out turn 13"),
        ):
            with pytest.raises(reads.TurnsRefused) as refused:
                self.reach(*turns)
            assert said in str(refused.value)
            assert refused.value.legal == list(turns[:legal])


def test_bands_begin_at_their_limits():
    assert [openings.band_of(level) for level in (-50.0, 1399.9, 1400.0, 1600.0, 1799.0, 1800.0, 3000.0)] == [
        0, 0, 1, 2, 2, 3, 3]
