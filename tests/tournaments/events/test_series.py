"""Recurring events."""

from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone

from tests.factories import START, make_user, make_version, play_match
from tests.tournaments.operations.test_coordinator import at_once
from tournaments.coordinator import steps
from tournaments.models import Ban, Bot, Event, Invitation, LadderEntry, Match, Series
from tournaments.models.lifecycle import EventStatus, MatchStatus
from tournaments.platform.refusals import Refused
from tournaments.selectors.events import events as reads
from tournaments.selectors.events import permissions
from tournaments.selectors.events.permissions import OverEventQuota
from tournaments.selectors.ladders import waiting
from tournaments.selectors.ladders.waiting import Waits
from tournaments.selectors.shared.permissions import Forbidden
from tournaments.services.events import room
from tournaments.services.events.editing import edit_series
from tournaments.services.events.entries import enter_event
from tournaments.services.events.scheduling import EventRefused
from tournaments.services.events.series import (
    SeriesRefused,
    announce_due,
    create_series,
    end_series,
    next_time,
    pause_series,
    resume_series,
)
from tournaments.services.ladders.ladders import create_ladder

WEEK = timedelta(weeks=1)
# START is a Thursday, 14:00 UTC; 18:00 on the following Friday in Berlin is 17:00 UTC.
FRIDAY = datetime(2026, 11, 13, 17, 0, tzinfo=UTC)


def found(**facts) -> Series:
    ladder = create_ladder(ruleset="square-grid-hex", size=3, base_seconds=5.0)
    return create_series(**{"name": "Weekly Blitz", "ladder": ladder, "cron": "0 18 * * FRI",
                            "time_zone": "Europe/Berlin", "created_by": make_user("organiser", staff=True),
                            "now": START, **facts})


def on_ladder(series: Series, name: str, *, active: bool = True) -> LadderEntry:
    version = make_version(name)
    return LadderEntry.objects.create(ladder=series.ladder, bot=version.bot, version=version, active=active,
                                      joined_at=START, version_since=START, waiting_since=START)


@pytest.mark.django_db
class TestASeries:
    def test_announces_its_first_event_at_once_with_registration_open(self):
        event = found().events.get()
        assert (event.name, event.starts_at, event.registration_opens_at) == (
            "Weekly Blitz 2026-11-13 18:00", FRIDAY, START)
        enter_event(event=event, version=make_version("ant"), actor=make_user("mia"), now=START)

    def test_shows_the_next_two_start_times(self):
        series = found()
        organiser = series.created_by
        shown = reads.series(organiser).get()
        assert (shown.announced_run_at, shown.following_run_at) == (FRIDAY, FRIDAY + WEEK)
        steps.start_due(FRIDAY)
        assert reads.series(organiser).get().announced_run_at is None
        announce_due(FRIDAY)
        shown = reads.series(organiser).get()
        assert (shown.announced_run_at, shown.following_run_at) == (FRIDAY + WEEK, FRIDAY + 2 * WEEK)
        pause_series(series=series, now=FRIDAY)
        shown = reads.series(organiser).get()
        assert (shown.announced_run_at, shown.following_run_at) == (FRIDAY + WEEK, None)

    def test_recurs(self, redis_url):
        series = found(enter_ladder=True)
        for name in ("ant", "bee"):
            on_ladder(series, name)
        moment = FRIDAY
        for number in (1, 2):
            # The coordinator starts this week's event and announces the next one.
            step = steps.step(moment)
            assert (step["announce events"], step["start events"]) == (1, 1)
            for match in Match.objects.filter(status=MatchStatus.QUEUED):
                play_match(match, now=moment)
            assert steps.step(moment + timedelta(seconds=1))["finish events"] == 1
            assert series.events.filter(status=EventStatus.FINISHED).count() == number
            moment += WEEK
        assert list(series.events.order_by("starts_at").values_list("starts_at", "status")) == [
            (FRIDAY, "finished"), (FRIDAY + WEEK, "finished"), (FRIDAY + 2 * WEEK, "scheduled")]

    def test_follows_its_time_zone(self):
        summer = datetime(2027, 3, 27, 12, 0, tzinfo=UTC)
        times = [next_time("0 18 * * *", "Europe/Berlin", summer + timedelta(days=days)).hour for days in (0, 1)]
        assert times == [17, 16]

    def test_skips_times_missed_by_the_coordinator(self):
        series = found()
        late = FRIDAY + 3 * WEEK + timedelta(hours=1)
        assert [announce_due(late), announce_due(late)] == [1, 0]
        assert list(series.events.order_by("starts_at").values_list("starts_at", flat=True)) == [
            FRIDAY, FRIDAY + 4 * WEEK]

    def test_enters_the_active_bots_of_its_ladder_at_the_start(self):
        series = found(enter_ladder=True)
        for name in ("ant", "bee", "cat"):
            on_ladder(series, name)
        on_ladder(series, "gone", active=False)
        event = series.events.get()
        enter_event(event=event, version=make_version("ant"), actor=make_user("mia"), now=START)
        steps.start_due(FRIDAY)
        assert sorted(event.entries.values_list("bot__name", "version__number")) == [
            ("ant", 2), ("bee", 1), ("cat", 1)]

    def test_enters_at_most_as_many_bots_as_the_match_limit_allows(self, monkeypatch):
        # Ten matches: five bots in one cycle.
        monkeypatch.setattr(room, "MOST_MATCHES", 10)
        series = found(enter_ladder=True)
        for number in range(8):
            on_ladder(series, f"bot {number}")
        Ban.objects.create(bot=Bot.objects.get(name="bot 0"), reason="x", created_by=make_user("organiser"),
                           created_at=START)
        steps.start_due(FRIDAY)
        event = series.events.get()
        assert (event.status, event.matches.count(), event.left_out) == (EventStatus.RUNNING, 10, 2)
        assert set(event.entries.values_list("bot__name", flat=True)) == {f"bot {number}" for number in range(1, 6)}
        assert room.note(event) == (
            "2 bots of the ladder were not entered: with more than 5 entries the event would have more than 10 "
            "matches. The bots that joined the ladder first were entered.")

    def test_has_room_for_as_many_entries_as_an_event_can_play(self):
        for facts, most in (
                ({"format": "round-robin"}, 1000), ({"format": "round-robin", "cycles": 1000}, 32),
                ({"format": "round-robin", "max_entries": 64}, 64), ({"format": "swiss"}, 128),
                ({"format": "knockout", "cycles": 1000}, 501), ({"format": "double knockout", "cycles": 1000}, 250)):
            assert room.room(Event(**facts)) == most

    def test_announces_nothing_while_paused_and_resumes_with_the_next_time(self):
        series = found()
        # After a short pause, no event is announced twice.
        resume_series(series=pause_series(series=series, now=START), now=START)
        assert announce_due(START) == 0
        pause_series(series=series, now=START, actor=series.created_by)
        assert announce_due(FRIDAY + WEEK) == 0
        resume_series(series=series, now=FRIDAY + 2 * WEEK, actor=series.created_by)
        assert announce_due(FRIDAY + 2 * WEEK) == 1
        assert series.events.latest("starts_at").starts_at == FRIDAY + 3 * WEEK

    def test_ends_permanently(self):
        series = end_series(series=found(), now=START)
        assert announce_due(FRIDAY) == 0
        for verb, word in ((pause_series, "pause"), (resume_series, "resume"), (end_series, "end")):
            with pytest.raises(SeriesRefused, match=f"Weekly Blitz is ended: you cannot {word} it now"):
                verb(series=series, now=START)
        assert series.events.get().status == EventStatus.SCHEDULED

    def test_is_paused_when_its_organiser_may_no_longer_create_events(self):
        series = found()
        Ban.objects.create(user=series.created_by, reason="x", created_by=series.created_by, created_at=START)
        assert announce_due(FRIDAY) == 0
        series.refresh_from_db()
        assert not series.active

    def test_is_refused_with_a_reason(self):
        for change, sentence in (
                ({"cron": "every friday"}, "The times must have five fields .*, such as 0 18 .* FRI, not 2"),
                ({"cron": "0 0 18 * * FRI"}, "five fields"),
                ({"cron": "61 18 * * FRI"}, "The times '61 18 .*' are invalid: bad minute"),
                ({"cron": "0 18 31 2 *"}, "are invalid|never occur"),
                ({"time_zone": "Europe/Atlantis"}, "Unknown time zone 'Europe/Atlantis'"),
                ({"time_zone": "../etc/passwd"}, "Unknown time zone"), ({"time_zone": ""}, "Unknown time zone"),
                ({"format": "gauntlet"}, "cannot recur"), ({"name": "x" * 61}, "1 to 60 characters, not 61")):
            with pytest.raises((SeriesRefused, EventRefused), match=sentence):
                found(**change)
        assert not Series.objects.exists()

    def test_copies_its_regulations_description_and_openings_to_each_event(self):
        series = found(format="swiss", description="Bring a bot.", apart_rounds=3, book="a1", private=True)
        first = series.events.get()
        Invitation.objects.create(event=first, user=make_user("noor"), created_at=START)
        announce_due(FRIDAY)
        for event in series.events.all():
            assert (event.description, event.apart_rounds) == ("Bring a bot.", 3)
            assert event.book == series.book
            assert event.invitations.get().user == make_user("noor")

    def test_of_other_users_is_weekly_unrated_and_limited_in_number(self):
        mia = make_user("mia")
        series = found(created_by=mia, starts_at=FRIDAY + WEEK)
        assert (series.rated, series.events.get().starts_at, series.events.get().max_entries) == (
            False, FRIDAY + WEEK, 64)
        for change, sentence in (
                ({"rated": True}, "Only the site's organisers can hold rated"),
                ({"enter_ladder": True}, "enter all bots of a ladder"),
                ({"cron": "0 18 * * *"}, "one event per week"), ({"cron": "0 18 1 * FRI"}, "one event per week"),
                ({"cycles": 11}, "at most 10 matches"),
                ({"format": "precision", "target": "first", "target_value": 1, "max_matches": 20_001},
                 "at most 20,000 matches")):
            with pytest.raises(Refused, match=sentence):
                found(created_by=mia, **change)
        found(created_by=mia, cron="0 12 1 * *")
        with pytest.raises(OverEventQuota, match="You hold 2 series"):
            found(created_by=mia)

    def test_waits_while_its_organiser_holds_too_many_events(self, monkeypatch, client, capsys):
        series = found(created_by=make_user("mia"))
        for module in (permissions, waiting):
            monkeypatch.setattr(module, "OPEN_EVENTS", 1)
        assert Waits(START).of_series([series]) == {series.pk: []}
        assert announce_due(FRIDAY) == 0
        series.refresh_from_db()
        assert series.active
        [wait] = Waits(FRIDAY).of_series([series])[series.pk]
        assert (wait.reason, wait.text) == ("events", (
            "The next event is not announced yet: mia holds 1 events that are not over, but at most 1 are allowed. It "
            "is announced when one of them has ended; the organiser can also cancel one."))
        monkeypatch.setattr(timezone, "now", lambda: FRIDAY)
        assert wait.text in client.get(f"/series/{series.slug}/").content.decode()
        assert client.get(f"/api/series/{series.slug}/").json()["waiting"] == [
            {"reason": "events", "text": wait.text}]
        call_command("series")
        assert wait.text in capsys.readouterr().out
        series.events.update(status=EventStatus.CANCELLED, ended_at=FRIDAY)
        assert Waits(FRIDAY).of_series([series]) == {series.pk: []}
        assert announce_due(FRIDAY) == 1

    def test_is_edited_only_by_its_organiser_and_for_the_events_to_come(self):
        series = found(created_by=make_user("mia"), format="swiss")
        edited = edit_series(series=series, actor=series.created_by, now=START, cron="30 19 * * SAT", swiss_rounds=5,
                             apart_rounds=1)
        assert edited.next_run_at == datetime(2026, 11, 14, 18, 30, tzinfo=UTC)
        assert (series.events.get().swiss_rounds, edited.swiss_rounds, edited.apart_rounds) == (None, 5, 1)
        for change, sentence in (({"cron": "0 18 * * *"}, "one event per week"), ({"cycles": 11}, "at most 10"),
                                 ({"apart_rounds": 101}, "must be 0 to 100"), ({"name": "x" * 61}, "1 to 60")):
            with pytest.raises(Refused, match=sentence):
                edit_series(series=series, actor=series.created_by, now=START, **change)
        with pytest.raises(Forbidden, match="Only its organiser"):
            edit_series(series=series, actor=make_user("noor"), now=START, name="Mine")
        with pytest.raises(Forbidden, match="Only its organiser"):
            pause_series(series=series, actor=make_user("noor"), now=START)
        end_series(series=series, now=START)
        with pytest.raises(SeriesRefused, match="has ended"):
            edit_series(series=series, actor=series.created_by, now=START, name="Late")


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
class TestSeveralCoordinators:
    def test_announce_each_event_once(self):
        series = found()
        assert sum(at_once(4, lambda: announce_due(FRIDAY))) == 1
        assert Event.objects.filter(series=series).count() == 2
