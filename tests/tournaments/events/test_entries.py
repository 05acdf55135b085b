"""Entering and leaving events, invitations, and permissions to create events."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Q

from tests.factories import START, make_user, make_version, play_event, play_match, random_record
from tournaments.models import AuditEntry, Ban, Event, Match, Membership, Team, Version, Webhook
from tournaments.models.leased import FULL_TIER
from tournaments.models.lifecycle import EventStatus, MatchStatus
from tournaments.selectors.events import events as reads
from tournaments.selectors.events.permissions import OverEventQuota
from tournaments.selectors.shared.permissions import Forbidden
from tournaments.services.events.entries import (
    EntryRefused,
    InvitationRefused,
    enter_event,
    invite,
    leave_event,
    uninvite,
    withdraw_ineligible,
)
from tournaments.services.events.events import cancel_event, create_event, pause_event, start_event
from tournaments.services.events.requeueing import RequeueRefused, requeue_match
from tournaments.services.events.scheduling import EventRefused
from tournaments.services.ladders.ladders import create_ladder
from tournaments.services.matches.matches import claim, finish, void

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


def announce(**facts) -> Event:
    """Create an event with registration from START for an hour; it starts an hour later."""
    ladder = create_ladder(ruleset="square-grid-hex", size=3, base_seconds=5.0)
    return create_event(**{"name": "Open", "ladder": ladder, "registration_opens_at": START,
                           "registration_closes_at": START + HOUR, "starts_at": START + 2 * HOUR, "now": START,
                           "created_by": make_user("organiser", staff=True), "seed": 7, **facts})


def enter(event: Event, name: str, *, owner: str = "mia", by: str | None = None, at=START, **facts):
    version = make_version(name, owner=owner, **facts)
    return enter_event(event=event, version=version, actor=make_user(by or owner), now=at)


def in_a_team(user: User) -> Team:
    team = Team.objects.create(slug="t", name="t", created_at=START)
    Membership.objects.create(team=team, user=user, joined_at=START)
    return team


def banned(**subject) -> None:
    Ban.objects.create(**subject, reason="It cheated.", created_by=make_user("organiser", staff=True),
                       created_at=START)


class TestEntering:
    def test_is_for_the_bots_owner_and_team(self):
        event = announce()
        enter(event, "ant")
        version = make_version("bee", owner="noor")
        version.bot.team = in_a_team(make_user("mia"))
        version.bot.save()
        entry = enter_event(event=event, version=version, actor=make_user("mia"), now=START)
        assert (entry.bot.name, entry.place, event.entries.count()) == ("bee", None, 2)
        assert AuditEntry.objects.filter(verb="enter", actor__username="mia").count() == 2
        with pytest.raises(Forbidden, match="cat is not your bot: only its owner and its team"):
            enter(event, "cat", owner="mia", by="noor")

    def test_is_possible_from_the_opening_to_the_deadline(self):
        event = announce()
        for hours, sentence in ((-0.5, "opens at 2026-11-12 14:00 UTC"), (1, "closed at 2026-11-12 15:00 UTC"),
                                (1.5, "closed at")):
            with pytest.raises(EntryRefused, match=f"Registration for Open {sentence}"):
                enter(event, "ant", at=START + hours * HOUR)
        # The organiser can enter bots after the deadline.
        enter(event, "bee", by="organiser", at=START + 1.5 * HOUR)
        unopened = announce(registration_opens_at=None, registration_closes_at=None,
                            versions=[make_version("x"), make_version("y")])
        with pytest.raises(EntryRefused, match="Open has no open registration: only its organiser can enter bots"):
            enter(unopened, "ant")
        event = announce(registration_closes_at=None)
        enter(event, "ant", at=START + 1.9 * HOUR)
        with pytest.raises(EntryRefused, match="closed at 2026-11-12 16:00 UTC"):
            enter(event, "bee", at=START + 2 * HOUR)

    @pytest.mark.database
    def test_is_refused_with_the_reason(self):
        event = announce(max_entries=2)
        enter(event, "ant")
        eve, bat = make_version("eel", owner="eve"), make_version("bat")
        banned(user=eve.bot.owner)
        banned(bot=bat.bot)
        Version.objects.filter(pk=make_version("dog").pk).update(status="rested")
        Version.objects.filter(pk=make_version("doe").pk).update(status="withdrawn")
        for version, refusal, sentence in (
                (make_version("ant"), EntryRefused, "ant is already entered, with version 1: leave"),
                (make_version("cat", rulesets=["squ"]), EventRefused,
                 "cat v1 does not play square-grid-hex, only squ: enter a version"),
                (Version.objects.get(bot__name="dog"), EventRefused, "dog v1 is suspended: bring it back, or enter"),
                (Version.objects.get(bot__name="doe"), EventRefused, "doe v1 is withdrawn: bring it back, or enter"),
                (eve, Forbidden, r"banned: It cheated\."), (bat, Forbidden, r"banned: It cheated\.")):
            with pytest.raises(refusal, match=sentence):
                enter_event(event=event, version=version, actor=version.bot.owner, now=START)
        assert event.entries.count() == 1
        enter(event, "bee")
        for act, sentence in ((lambda: None, "Open is full: it is limited to 2 entries"),
                              (lambda: start_event(event=event, now=START), "Open is running: entries are closed"),
                              (lambda: play_event(event), "Open is finished: entries are closed")):
            act()
            with pytest.raises(EntryRefused, match=sentence):
                enter(event, "fox")

    def test_refuses_more_entries_than_a_swiss_can_pair(self):
        versions = [make_version(f"bot {number}") for number in range(129)]
        with pytest.raises(EventRefused, match="The format Swiss allows up to 128 entries, not 129: hold several"):
            announce(format="swiss", versions=versions)
        event = announce(format="swiss", versions=versions[:127])
        enter_event(event=event, version=versions[127], actor=make_user("mia"), now=START)
        with pytest.raises(EntryRefused, match="Open is full: it is limited to 128 entries"):
            enter_event(event=event, version=versions[128], actor=make_user("mia"), now=START)


def of(entry) -> Q:
    """Condition that selects the matches of this entry's version."""
    return Q(first=entry.version) | Q(second=entry.version)


class TestLeaving:
    def started(self, *names: str):
        """Start a round-robin of these bots and return it with their entries."""
        event = announce()
        entries = [enter(event, name) for name in names]
        return start_event(event=event, now=START), entries

    def leave_in_mid_match(self, attempt: int = 1, *, leave: bool = True):
        """Play a round-robin of three in which one leaves while a worker plays its match, at the given attempt."""
        event, (entry, *_) = self.started("ant", "bee", "cat")
        Match.objects.filter(event=event).update(attempt=attempt - 1)
        running = Match.objects.filter(of(entry), event=event).order_by("pk")[0]
        lease = claim(match_id=running.pk, worker="here:1", tier=FULL_TIER, now=START)
        if leave:
            leave_event(entry=entry, actor=make_user("mia"), now=START)
        return event, entry, lease

    def test_withdraws_the_entry_before_the_start(self):
        event = announce()
        entry = enter(event, "ant")
        with pytest.raises(Forbidden, match="ant is not your bot"):
            leave_event(entry=entry, actor=make_user("noor"), now=START)
        leave_event(entry=entry, actor=make_user("mia"), now=START)
        assert not event.entries.exists()
        entry = enter(event, "ant")
        cancel_event(event=event, now=START)
        with pytest.raises(EntryRefused, match="Open is cancelled: it is too late to leave it"):
            leave_event(entry=entry, actor=make_user("mia"), now=START)

    def test_cancels_open_matches_in_a_running_round_robin_and_keeps_results(self):
        event, (entry, *_) = self.started("ant", "bee", "cat")
        play_match(Match.objects.filter(of(entry)).order_by("pk")[0])
        leave_event(entry=entry, actor=make_user("mia"), now=START)
        assert sorted(Match.objects.values_list("status", flat=True)) == [
            MatchStatus.CANCELLED, MatchStatus.FINISHED, MatchStatus.QUEUED]
        with pytest.raises(EntryRefused, match="ant has already left Open"):
            leave_event(entry=entry, actor=make_user("mia"), now=START)
        assert play_event(event).status == EventStatus.FINISHED

    def test_lets_a_running_match_finish_and_count(self):
        event, entry, lease = self.leave_in_mid_match()
        records = [random_record("square-grid-hex", 3, ("x", "y"), seed, opening=lease.work.opening)
                   for seed in (1, 2)]
        assert finish(lease, records, START)
        assert Match.objects.get(pk=lease.work.pk).status == MatchStatus.FINISHED
        assert not Match.objects.filter(event=event, status=MatchStatus.QUEUED).filter(of(entry)).exists()

    @pytest.mark.parametrize("attempt", [1, 5])
    def test_cancels_a_running_match_once_its_attempt_is_void(self, attempt):
        event, _, lease = self.leave_in_mid_match(attempt)
        void(lease, "the worker's disk is full", START)
        match = Match.objects.get(pk=lease.work.pk)
        assert (match.status, match.ended_at, match.lease_until) == (MatchStatus.CANCELLED, START, None)
        assert claim(match_id=match.pk, worker="here:1", tier=FULL_TIER, now=START) is None
        assert play_event(event).status == EventStatus.FINISHED

    def test_prevents_the_replay_of_a_void_match(self):
        _, entry, lease = self.leave_in_mid_match(leave=False, attempt=5)
        void(lease, "the worker's disk is full", START)
        leave_event(entry=entry, actor=make_user("mia"), now=START)
        with pytest.raises(RequeueRefused, match="has left Open"):
            requeue_match(match=Match.objects.get(pk=lease.work.pk), now=START)

    def test_happens_automatically_to_withdrawn_versions_and_banned_bots(self):
        event, entries = self.started("ant", "bee", "cat", "dog")
        pause_event(event=event, now=START)
        assert withdraw_ineligible(START) == 0
        Version.objects.filter(pk=entries[0].version_id).update(status="withdrawn")
        banned(bot=entries[1].bot)
        assert withdraw_ineligible(START) == 2
        assert withdraw_ineligible(START) == 0
        assert set(event.entries.filter(left_at=START).values_list("pk", flat=True)) == {entries[0].pk, entries[1].pk}

    def test_excludes_versions_withdrawn_before_the_start_from_the_draw(self):
        event = announce()
        ant, *_ = [enter(event, name) for name in ("ant", "bee", "cat")]
        Version.objects.filter(pk=ant.version_id).update(status="withdrawn")
        start_event(event=event, now=START)
        assert sorted(event.entries.exclude(place=None).values_list("bot__name", flat=True)) == ["bee", "cat"]
        assert len(reads.standings(event)) == 2


class TestAPrivateEvent:
    def test_and_its_games_are_visible_to_organisers_and_invited_users(self):
        event = announce(private=True, created_by=make_user("noor"))
        for owner in ("noor", "mia"):
            invite(event=event, user=make_user(owner), actor=make_user("noor"), now=START)
            enter(event, f"bot of {owner}", owner=owner)
        start_event(event=event, now=START)
        play_match(Match.objects.get())
        people = [AnonymousUser(), *map(make_user, ("mia", "noor", "otto")), make_user("organiser", staff=True)]
        seen = {str(user): (reads.visible_to(user).count(), Match.objects.filter(
            reads.visible_events(user, "event")).count()) for user in people}
        assert seen == {"AnonymousUser": (0, 0), "mia": (1, 1), "noor": (1, 1), "otto": (0, 0), "organiser": (1, 1)}

    def test_is_entered_only_by_invited_users(self):
        event = announce(private=True)
        facts = {"event": event, "user": make_user("mia"), "actor": event.created_by, "now": START}
        with pytest.raises(Forbidden, match="Open is private: ask its organiser for an invitation"):
            enter(event, "ant")
        invite(**facts)
        entry = enter(event, "ant")
        with pytest.raises(InvitationRefused, match="ant is entered, and mia manages it: withdraw it from Open first"):
            uninvite(**facts)
        # So does a member of its team.
        entry.bot.team = in_a_team(make_user("noor"))
        entry.bot.save()
        invite(**facts | {"user": make_user("noor")})
        with pytest.raises(InvitationRefused, match="ant is entered, and noor manages it"):
            uninvite(**facts | {"user": make_user("noor")})
        leave_event(entry=entry, actor=event.created_by, now=START)
        uninvite(**facts)
        with pytest.raises(InvitationRefused, match="mia is not invited"):
            uninvite(**facts)

    def test_invites_only_by_its_organiser_once_before_the_end_and_if_private(self):
        event = announce(private=True)
        facts = {"user": make_user("mia"), "actor": event.created_by, "now": START}
        with pytest.raises(Forbidden, match="Only its organiser, organiser, and the site's organisers"):
            invite(event=event, **facts | {"actor": make_user("mia")})
        invite(event=event, **facts)
        with pytest.raises(InvitationRefused, match="mia is already invited"):
            invite(event=event, **facts)
        with pytest.raises(InvitationRefused, match="Open is public"):
            invite(event=announce(), **facts)
        cancel_event(event=event, now=START)
        with pytest.raises(InvitationRefused, match="Open is cancelled"):
            invite(event=event, **facts)


class TestCreatingEvents:
    def test_is_for_everyone_within_limits_that_organisers_do_not_have(self):
        mia = make_user("mia")
        event = announce(created_by=mia)
        assert (event.rated, event.max_entries) == (False, 64)
        assert announce().rated
        for refusal, change, sentence in (
                (Forbidden, {"rated": True}, "Only the site's organisers can hold rated events"),
                (OverEventQuota, {"cycles": 11}, "at most 10 matches per pairing, not 11"),
                (Forbidden, {"versions": [make_version("ant", owner="noor")]},
                 "ant is not your bot: open registration so that its author can enter it")):
            with pytest.raises(refusal, match=sentence):
                announce(created_by=mia, **change)
        for _ in range(4):
            announce(created_by=mia)
        with pytest.raises(OverEventQuota, match="You hold 5 events that are not over, but at most 5 are allowed"):
            announce(created_by=mia)
        cancel_event(event=event, now=START, actor=mia)
        announce(created_by=mia)
        banned(user=mia)
        with pytest.raises(Forbidden, match=r"You are banned: It cheated\."):
            announce(created_by=mia)

    def test_lets_only_the_organiser_run_them(self):
        event = announce()
        for verb in (start_event, pause_event, cancel_event):
            with pytest.raises(Forbidden, match="Only its organiser, organiser, and the site's organisers can manage"):
                verb(event=event, now=START, actor=make_user("mia"))

    def test_refuses_an_impossible_event_and_says_why(self):
        for change, sentence in (
                ({"format": "league"}, "Unknown format 'league': choose from round-robin, swiss, accelerated swiss, "),
                ({"swiss_rounds": 3}, "The number of rounds cannot be set for the format Round-robin"),
                ({"format": "swiss", "swiss_rounds": 0}, "The format Swiss allows 1 to 100 rounds, not 0"),
                ({"seeding": "age"}, "Unknown seeding 'age': choose from rating, lot"),
                ({"tie_breaks": ["luck"]}, "Unknown tie-break 'luck': choose from buchholz"),
                ({"tie_breaks": ["wins", "wins"]}, "The tie-break wins is named twice"),
                ({"max_entries": 1}, "The maximum number of entries must be 2 to 10,000, not 1"),
                ({"format": "swiss", "max_entries": 129}, "Swiss allows up to 128 entries, not 129: hold several"),
                ({"format": "accelerated swiss", "max_entries": 129}, "Swiss allows up to 128 entries, not 129"),
                ({"format": "gauntlet"}, "The format Gauntlet needs at least one runner"),
                ({"runners": [make_version("ant")]}, "The format Round-robin has no runners"),
                ({"description": "x" * 4001}, "up to 4,000 characters, not 4,001"),
                ({"registration_closes_at": START + 3 * HOUR}, "must close by the start, 2026-11-12 16:00"),
                ({"registration_opens_at": START + HOUR}, "must open before it closes, at 2026-11-12 15:00 UTC"),
                ({"registration_opens_at": START - HOUR, "registration_closes_at": START}, "The deadline, 2026"),
                ({"registration_opens_at": None}, "A registration deadline needs an opening"),
                ({"starts_at": None, "registration_closes_at": None}, "starts at once leaves no time to enter")):
            with pytest.raises(EventRefused, match=sentence):
                announce(**change)
        assert not Event.objects.exists()

    def test_refuses_a_manual_start_with_too_few_entrants(self):
        event = announce()
        enter(event, "ant")
        with pytest.raises(EventRefused, match="Open cannot start: an event needs at least two entrants, but only one"):
            start_event(event=event, now=START, actor=event.created_by)
        event.refresh_from_db()
        assert event.status == EventStatus.SCHEDULED


class TestNotices:
    def test_tell_the_entrants_managers_that_it_starts_and_ends(self):
        for name in ("mia", "noor", "otto"):
            Webhook.objects.create(owner=make_user(name), url="https://bots.example/", secret="s", created_at=START)
        event = announce()
        enter(event, "ant")
        enter(event, "bee", owner="noor")
        start_event(event=event, now=START)
        play_event(event)
        told = {(user.username, delivery.kind) for user in User.objects.all() for delivery in user.deliveries.all()}
        assert told == {(name, kind) for name in ("mia", "noor") for kind in ("event.started", "event.finished")}
