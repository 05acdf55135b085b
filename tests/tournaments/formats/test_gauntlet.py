"""The tables of a gauntlet: runners and the others are ranked apart."""

import json
from pathlib import Path

import pytest

from frontend.text.events.standing_lines import standing_lines
from tests.factories import make_version, play_match
from tests.tournaments.events.test_bundles import edited, saved, tampered
from tests.tournaments.events.test_rounds import hold_event, to_the_end
from tournaments.formats.gauntlet import OTHERS, RUNNERS
from tournaments.formats.history import History
from tournaments.formats.registry import find
from tournaments.kit.main import main
from tournaments.models import Event, Follow, Match
from tournaments.scoring.standings import Counts, Tally
from tournaments.selectors.events import events as reads
from tournaments.selectors.matches.stakes import gap
from tournaments.selectors.notices.news import Reports


class TestAGauntletsTables:
    def test_do_not_place_a_runner_with_more_games_above_the_bot_that_beat_it(self):
        """The runner has 4 points of 10 games against five bots; the first of them beat it 2-0."""
        results = [Tally(1, 0, 0, 2), Tally(0, 2, 0, 2), Tally(0, 3, 0, 2), Tally(4, 0, 0, 2), Tally(5, 0, 0, 2)]
        history = History(6, 1, runners=[0])
        rows = find("gauntlet").standings(range(6), Counts.of(results), ("wins",), history)
        assert [(row.table, row.entrant, row.place, row.points) for row in rows] == [
            (RUNNERS, 0, 1, 4.0), (OTHERS, 1, 1, 2.0), (OTHERS, 4, 1, 2.0), (OTHERS, 5, 1, 2.0), (OTHERS, 2, 4, 0.0),
            (OTHERS, 3, 4, 0.0)]


@pytest.fixture
def gauntlet(db: None) -> Event:
    """A finished gauntlet: its runner, which is second in the draw, won against two of three bots."""
    versions = [make_version(f"bot {number}") for number in range(4)]
    event = hold_event(4, "gauntlet", versions=versions, runners=versions[1:2], openings=False)
    for match in Match.objects.filter(event=event).order_by("pk"):
        play_match(match)
    return to_the_end(event)


class TestAFinishedGauntlet:
    def test_has_two_tables_and_no_champion_and_verifies(self, gauntlet: Event, tmp_path: Path, capsys) -> None:
        lines = reads.standings(gauntlet)
        assert [line.row.table for line in lines] == [RUNNERS, OTHERS, OTHERS, OTHERS]
        assert (lines[0].row.place, lines[1].row.place) == (1, 1)
        assert reads.champions(gauntlet, lines) == []
        assert gap(Match.objects.filter(event=gauntlet)[0], lines) is None
        assert [str(line["heading"]) for line in standing_lines(gauntlet, lines)] == ["Runners", "The others", "", ""]
        path = saved(gauntlet, tmp_path)
        assert main(["verify", str(path)]) == 0
        assert main(["verify", str(tampered(path, edited(event=_swapped)))]) == 1
        assert "they are not in order of place" in capsys.readouterr().out

    def test_tells_a_follower_the_place_in_its_own_table(self, gauntlet: Event) -> None:
        runner = gauntlet.entries.get(runs_the_gauntlet=True).bot
        items = Reports().items(Follow(bot=runner, seen={}), {
            "events": {str(gauntlet.pk): {"started": True, "round": 1, "ended": "finished"}}, "versions": {},
            "places": {}, "upsets": []})
        assert items[-1]["text"].endswith(f" is over. {runner.name} took place 1 of 1 of the runners.")

    def test_of_an_earlier_release_still_verifies_with_its_one_table(self, gauntlet: Event, tmp_path: Path) -> None:
        path = tampered(saved(gauntlet, tmp_path), edited(event=_in_one_table))
        assert main(["verify", str(path)]) == 0


def _swapped(event: dict) -> None:
    """Put the runner below the others."""
    event["standings"].append(event["standings"].pop(0))


def _in_one_table(event: dict) -> None:
    """Rank all lines together by points and tie-breaks, as earlier releases did."""
    lines = event["standings"]
    for line in lines:
        del line["table"]

    def value(line: dict) -> tuple:
        return line["points"], *line["tie_breaks"]

    lines.sort(key=value, reverse=True)
    for line in lines:
        line["place"] = 1 + sum(value(other) > value(line) for other in lines)
    assert json.dumps(lines)
