"""Leagues: series with divisions."""

import pytest

from tests.factories import START, make_version, play_match
from tests.tournaments.events.test_series import FRIDAY, WEEK, found, on_ladder
from tournaments.coordinator import steps
from tournaments.models import Entry, Event, LadderEntry, Match, Series
from tournaments.models.lifecycle import EventStatus, MatchStatus
from tournaments.scoring.standings import Counts, Row, Tally
from tournaments.selectors.events.seasons import _separated, divisions_of, highest, seasons_of
from tournaments.selectors.events.tables import Standing
from tournaments.services.events.editing import edit_event, edit_series
from tournaments.services.events.entries import enter_event, leave_event
from tournaments.services.events.events import TransitionRefused, start_event
from tournaments.services.events.leagues import LeagueRefused
from tournaments.services.events.room import note


def league(names="abcdefgh", **facts) -> Series:
    series = found(**{"division_size": 4, "division_moves": 1, **facts})
    for name in names:
        enter(series, name)
    return series


def enter(series: Series, name: str, now=START) -> None:
    event = series.events.get(status=EventStatus.SCHEDULED)
    enter_event(event=event, version=make_version(name), actor=series.created_by, now=now)


def play(moment) -> None:
    for match in Match.objects.filter(status=MatchStatus.QUEUED):
        play_match(match, now=moment)


def every_division(series: Series) -> list:
    """Return every season that has started, newest first, with its divisions."""
    seasons = seasons_of(highest(series))
    return list(zip(seasons, divisions_of(seasons), strict=True))


def names(event: Event) -> set[str]:
    return set(event.entries.filter(place__isnull=False).values_list("bot__name", flat=True))


class TestEqualBots:
    def test_are_separated_by_the_games_between_them_before_their_entry(self):
        """Three share a place, and the last one to enter won its games against both others."""
        equal = [Standing(Entry(bot_id=bot), Row(bot), None) for bot in (1, 2, 3)]
        games = Counts.of([Tally(3, 1, 0, 2), Tally(2, 3, 1, 2), Tally(1, 2, 0, 1), Tally(2, 1, 0, 1)])
        ordered = _separated(equal, games, {1: 20, 2: 10, 3: 30})
        assert [line.entry.bot_id for line in ordered] == [3, 2, 1]


@pytest.mark.django_db
class TestALeague:
    @pytest.mark.slow
    def test_plays_seasons_between_which_bots_move(self, redis_url):
        series = league("abcdef", division_size=3)
        steps.step(FRIDAY)
        one, two = series.events.order_by("division")
        assert (one.division, one.status, two.division, two.status) == (1, "running", 2, "running")
        assert (len(names(one)), len(names(two)), one.name) == (3, 3, "Weekly Blitz 2026-11-13 18:00, division 1")
        play(FRIDAY)
        steps.step(FRIDAY)
        steps.step(FRIDAY)
        [(season, before)] = every_division(series)
        assert (season.number, season.is_over) == (1, True)
        down, up = before[0].lines[-1], before[1].lines[0]
        assert (down.move, up.move) == ("down", "up")
        leaver = before[1].lines[1].standing.entry.bot
        waiting = series.events.get(status=EventStatus.SCHEDULED)
        leave_event(entry=waiting.entries.get(bot=leaver), actor=series.created_by, now=FRIDAY)
        enter(series, "new", FRIDAY)
        steps.step(FRIDAY + WEEK)
        one, two = series.events.filter(starts_at=FRIDAY + WEEK).order_by("division")
        assert (len(names(one)), len(names(two))) == (3, 3)
        assert up.standing.entry.bot.name in names(one)
        assert {down.standing.entry.bot.name, "new"} < names(two)
        assert leaver.name not in names(one) | names(two)
        _, (_, before) = every_division(series)
        assert [line.move for line in before[1].lines] == ["up", "leaves", "stays"]
        assert [line.move for line in before[0].lines] == ["stays", "stays", "down"]

    def test_separates_equal_bots_by_their_entry_and_not_by_the_draw(self):
        series = league("dcba")
        steps.start_due(FRIDAY)
        event = series.events.get(division=1)
        event.entries.update(place=None)
        for place, entry in enumerate(event.entries.order_by("bot__name")):
            Entry.objects.filter(pk=entry.pk).update(place=place)
        assert "".join(line.standing.entry.bot.name for line in every_division(series)[0][1][0].lines) == "dcba"

    def test_announces_no_season_before_the_last_one_has_ended(self):
        series = league("abcd", division_size=2)
        steps.start_due(FRIDAY)
        steps.step(FRIDAY + WEEK)
        assert series.events.count() == 2
        play(FRIDAY + WEEK)
        steps.step(FRIDAY + WEEK)
        steps.step(FRIDAY + WEEK)
        waiting = series.events.get(status=EventStatus.SCHEDULED)
        assert (waiting.starts_at, waiting.entries.count()) == (FRIDAY + 2 * WEEK, 4)
        Event.objects.filter(series=series, division=2).update(status=EventStatus.RUNNING, ended_at=None)
        with pytest.raises(TransitionRefused, match="The last season of Weekly Blitz has not ended"):
            start_event(event=waiting, now=FRIDAY + 2 * WEEK)

    def test_has_as_many_entries_as_its_divisions_have_places(self):
        series = league("", max_entries=None)
        assert (series.max_entries, series.events.get().max_entries) == (200, 200)
        actor = series.created_by
        for change in (lambda: edit_series(series=series, actor=actor, now=START, max_entries=201),
                       lambda: edit_event(event=series.events.get(), actor=actor, now=START, max_entries=201)):
            with pytest.raises(LeagueRefused, match="at most 50 divisions, so with 4 bots each it has at most 200"):
                change()
        assert edit_series(series=series, actor=actor, now=START, max_entries=9).max_entries == 9
        assert edit_series(series=series, actor=actor, now=START, max_entries=None).max_entries == 200

    @pytest.mark.slow
    def test_enters_the_first_ones_of_the_last_season_if_its_limit_was_reduced(self, redis_url):
        series = league("abcdef", division_size=3)
        steps.step(FRIDAY)
        edit_series(series=series, actor=series.created_by, now=FRIDAY, max_entries=4)
        play(FRIDAY)
        steps.step(FRIDAY)
        steps.step(FRIDAY)
        [(_, before)] = every_division(series)
        last = {line.standing.entry.bot.name for line in before[1].lines[1:]}
        waiting = series.events.get(status=EventStatus.SCHEDULED)
        assert set("abcdef") - set(waiting.entries.values_list("bot__name", flat=True)) == last
        assert waiting.left_out == 2
        assert note(waiting) == ("2 bots were not entered: a season is limited to 4 entries. The bots of the last "
                                 "season were entered first, by division and place.")

    @pytest.mark.slow
    def test_divides_the_bots_of_its_ladder_and_rather_leaves_out_newcomers(self, redis_url):
        series = league("", enter_ladder=True, division_size=2, max_entries=4)
        for name in "abcd":
            on_ladder(series, name)
        steps.step(FRIDAY)
        one, two = series.events.order_by("division")
        assert (len(names(one)), len(names(two)), names(one) & names(two)) == (2, 2, set())
        play(FRIDAY)
        newcomer = on_ladder(series, "new")
        LadderEntry.objects.filter(pk=newcomer.pk).update(joined_at=START - WEEK)
        for moment in (FRIDAY, FRIDAY, FRIDAY + WEEK):
            steps.step(moment)
        one, two = series.events.filter(starts_at=FRIDAY + WEEK).order_by("division")
        assert names(one) | names(two) == set("abcd")
        assert (one.left_out, two.left_out) == (1, 0)

    def test_is_refused_with_a_reason(self):
        for facts, sentence in (
                ({"max_entries": 201}, "at most 50 divisions, so with 4 bots each it has at most 200 entries, not 201"),
                ({"division_moves": None}, "A league needs both numbers"),
                ({"division_size": None}, "A league needs both numbers"),
                ({"format": "swiss"}, "play a round-robin, not the format Swiss"),
                ({"division_moves": 0}, "At least 1 bot must move"),
                ({"division_size": 3, "division_moves": 2}, "must have 4 to 1,000 bots, not 3")):
            with pytest.raises(LeagueRefused, match=sentence):
                league("", **facts)
        assert not Series.objects.exists()
