"""Joining and leaving ladders, and changing versions."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import IntegrityError, transaction

from ratings.models import Rating
from tests.factories import make_event, make_user, make_version, play_match
from tournaments.models import AuditEntry, Ban, LadderEntry, Match, Membership, Team, Version
from tournaments.models.leased import FULL_TIER
from tournaments.models.lifecycle import VersionStatus
from tournaments.selectors.shared.permissions import Forbidden
from tournaments.services.accounts.bans import ban
from tournaments.services.bots.versions import rest, withdraw
from tournaments.services.ladders.challenges import challenge
from tournaments.services.ladders.ladder_play import LadderPlayRefused, bring_back, join, leave, take_over
from tournaments.services.ladders.ladders import create_ladder
from tournaments.services.ladders.matchmaking import pair_ladders
from tournaments.services.ladders.rating import rate_due
from tournaments.services.matches.matches import claim, void

pytestmark = pytest.mark.django_db


@pytest.fixture
def ladder(db):
    return create_ladder(ruleset="square-grid-hex", size=5, base_seconds=5)


@pytest.fixture
def mia(db):
    return make_user("mia")


@pytest.fixture
def opponent(ladder, now):
    version = make_version("Basalt", owner="otto")
    join(actor=version.bot.owner, ladder=ladder, version=version, now=now)
    return version


def verbs_done():
    return list(AuditEntry.objects.order_by("pk").values_list("verb", flat=True))


class TestJoin:
    def test_puts_the_bot_on_the_ladder(self, ladder, mia, now):
        version = make_version("Alder")
        entry = join(actor=mia, ladder=ladder, version=version, now=now)
        assert (entry.version, entry.active, entry.matches, entry.waiting_since) == (version, True, 0, now)
        assert verbs_done() == ["join"]

    def test_replaces_the_version(self, ladder, mia, opponent, now):
        one, two = make_version("Alder"), make_version("Alder")
        join(actor=mia, ladder=ladder, version=one, now=now)
        pair_ladders(now)
        later = now + timedelta(hours=1)
        entry = join(actor=mia, ladder=ladder, version=two, now=later)
        assert (entry.version, entry.matches, entry.version_since, entry.joined_at) == (two, 0, later, now)
        assert LadderEntry.objects.filter(bot=one.bot).count() == 1
        assert not Match.objects.filter(status="queued").exists()
        assert verbs_done()[-1] == "change version"

    def test_keeps_the_rating_when_the_version_changes(self, ladder, mia, opponent, now):
        one, two = make_version("Alder"), make_version("Alder")
        join(actor=mia, ladder=ladder, version=one, now=now)
        pair_ladders(now)
        for match in Match.objects.all():
            play_match(match, now=now)
        rate_due(now + timedelta(minutes=1))
        before = Rating.objects.get(bot=one.bot)
        join(actor=mia, ladder=ladder, version=two, now=now)
        assert Rating.objects.get(bot=one.bot).value == before.value

    def test_refuses_a_version_that_already_plays_there(self, ladder, mia, now):
        version = make_version("Alder")
        join(actor=mia, ladder=ladder, version=version, now=now)
        with pytest.raises(LadderPlayRefused, match="Alder v1 already plays on Square Grid Hex 5×5, "):
            join(actor=mia, ladder=ladder, version=version, now=now)

    def test_refuses_another_users_bot(self, ladder, mia, now):
        with pytest.raises(Forbidden, match="Basalt is not your bot"):
            join(actor=mia, ladder=ladder, version=make_version("Basalt", owner="otto"), now=now)
        with pytest.raises(Forbidden):
            join(actor=AnonymousUser(), ladder=ladder, version=make_version("Alder"), now=now)

    def test_is_open_to_the_bots_team_and_to_staff(self, ladder, now):
        version = make_version("Alder")
        team = Team.objects.create(slug="t", name="T", created_at=now)
        type(version.bot).objects.update(team=team)
        member = make_user("nils")
        Membership.objects.create(team=team, user=member, joined_at=now)
        version = Version.objects.get(pk=version.pk)
        assert join(actor=member, ladder=ladder, version=version, now=now).active
        leave(actor=make_user("staff", staff=True), ladder=ladder, bot=version.bot, now=now)

    def test_refuses_the_wrong_ruleset(self, ladder, mia, now):
        with pytest.raises(LadderPlayRefused, match="Alder v1 does not play square-grid-hex, only squ, scware"):
            join(actor=mia, ladder=ladder, version=make_version("Alder", rulesets=["squ", "scware"]), now=now)

    @pytest.mark.parametrize("status", [VersionStatus.RESTED, VersionStatus.WITHDRAWN])
    def test_refuses_an_inactive_version(self, ladder, mia, now, status):
        version = make_version("Alder")
        version.status = status
        with pytest.raises(LadderPlayRefused, match=f"Alder v1 is {status.label.lower()}"):
            join(actor=mia, ladder=ladder, version=version, now=now)

    def test_refuses_a_banned_bot_and_says_why(self, ladder, mia, now):
        version = make_version("Alder")
        Ban.objects.create(bot=version.bot, reason="it mines coins", created_by=mia, created_at=now)
        with pytest.raises(Forbidden, match="Alder is banned: it mines coins"):
            join(actor=mia, ladder=ladder, version=version, now=now)

    def test_refuses_a_closed_ladder(self, ladder, mia, now):
        ladder.is_open = False
        with pytest.raises(LadderPlayRefused, match="is closed: only events use it"):
            join(actor=mia, ladder=ladder, version=make_version("Alder"), now=now)

    def test_leaves_nothing_behind_after_a_refusal(self, ladder, mia, now):
        with pytest.raises(LadderPlayRefused):
            join(actor=mia, ladder=ladder, version=make_version("Alder", rulesets=["squ"]), now=now)
        assert not LadderEntry.objects.exists()
        assert not AuditEntry.objects.exists()


class TestLeave:
    def test_keeps_the_row_and_running_matches(self, ladder, mia, opponent, now):
        version = make_version("Alder")
        join(actor=mia, ladder=ladder, version=version, now=now)
        pair_ladders(now)
        running = Match.objects.first()
        Match.objects.filter(pk=running.pk).update(status="running", lease_until=now)
        entry = leave(actor=mia, ladder=ladder, bot=version.bot, now=now)
        assert not entry.active
        assert sorted(Match.objects.values_list("status", flat=True)) == ["cancelled", "running"]
        assert verbs_done()[-1] == "leave"

    def test_can_be_undone(self, ladder, mia, now):
        version = make_version("Alder")
        join(actor=mia, ladder=ladder, version=version, now=now)
        LadderEntry.objects.update(matches=7)
        leave(actor=mia, ladder=ladder, bot=version.bot, now=now)
        assert join(actor=mia, ladder=ladder, version=version, now=now + timedelta(days=1)).matches == 7

    def test_refuses_a_bot_that_is_not_on_the_ladder(self, ladder, mia, now):
        with pytest.raises(LadderPlayRefused, match="Alder is not on Square Grid Hex"):
            leave(actor=mia, ladder=ladder, bot=make_version("Alder").bot, now=now)

    def test_refuses_another_users_bot(self, ladder, mia, opponent, now):
        with pytest.raises(Forbidden):
            leave(actor=mia, ladder=ladder, bot=opponent.bot, now=now)


class TestQueuedMatches:
    @pytest.fixture
    def alder(self, ladder, mia, opponent, now):
        version = make_version("Alder")
        join(actor=mia, ladder=ladder, version=version, now=now)
        pair_ladders(now)
        challenge(actor=mia, ladder=ladder, first=version, second=opponent, matches=1, seed=1, now=now)
        return version

    @pytest.mark.parametrize("verb", [rest, withdraw])
    def test_are_cancelled_when_the_version_becomes_inactive(self, alder, mia, now, verb):
        verb(version=alder, actor=mia, now=now)
        assert set(Match.objects.values_list("kind", "status")) == {("ladder", "cancelled"), ("challenge", "cancelled")}

    def test_are_cancelled_when_the_bot_is_banned(self, alder, now):
        ban(actor=make_user("staff", staff=True), bot=alder.bot, reason="it mines coins", now=now)
        assert set(Match.objects.values_list("status", flat=True)) == {"cancelled"}

    def test_of_a_challenge_are_played_when_the_bot_leaves_the_ladder(self, alder, ladder, mia, now):
        leave(actor=mia, ladder=ladder, bot=alder.bot, now=now)
        assert set(Match.objects.values_list("kind", "status")) == {("ladder", "cancelled"), ("challenge", "queued")}

    def test_of_an_event_are_played_in_any_case(self, alder, opponent, mia, now):
        make_event([alder, opponent], ruleset="square-grid-hex", size=5)
        rest(version=alder, actor=mia, now=now)
        assert Match.objects.get(kind="event").status == "queued"


class TestARunningMatch:
    @pytest.mark.parametrize("kind", ["ladder", "challenge"])
    def test_is_cancelled_once_its_attempt_is_void_if_the_version_is_suspended(self, ladder, mia, opponent, now, kind):
        version = make_version("Alder")
        join(actor=mia, ladder=ladder, version=version, now=now)
        pair_ladders(now)
        challenge(actor=mia, ladder=ladder, first=version, second=opponent, matches=1, seed=1, now=now)
        match = Match.objects.filter(kind=kind).order_by("pk")[0]
        lease = claim(match_id=match.pk, worker="here:1", tier=FULL_TIER, now=now)
        rest(version=version, actor=mia, now=now)
        match.refresh_from_db()
        assert match.status == "running"
        void(lease, "the worker's disk is full", now)
        match.refresh_from_db()
        assert (match.status, match.ended_at) == ("cancelled", now)


class TestTakeOver:
    def test_puts_a_new_version_on_every_ladder_of_its_bot(self, ladder, mia, now):
        other = create_ladder(ruleset="squ", size=8, base_seconds=5)
        left = create_ladder(ruleset="squ", size=10, base_seconds=5)
        one = make_version("Alder")
        for each in (ladder, other, left):
            join(actor=mia, ladder=each, version=one, now=now)
        leave(actor=mia, ladder=left, bot=one.bot, now=now)
        two = make_version("Alder", rulesets=["square-grid-hex"])
        assert take_over(two, now) == 1
        assert dict(LadderEntry.objects.values_list("ladder", "version")) == {
            ladder.pk: two.pk, other.pk: one.pk, left.pk: one.pk}
        assert take_over(two, now) == 0

    def test_happens_automatically_when_a_version_is_accepted(self, hex_ladder, author, enter, now):
        one = enter("Alder")
        join(actor=author, ladder=hex_ladder, version=one, now=now)
        two = enter("Alder", command='["python3", "main.py"]')
        assert two.number == 2
        assert LadderEntry.objects.get().version == two

    def test_ends_a_suspension(self, ladder, mia, now):
        join(actor=mia, ladder=ladder, version=make_version("Alder"), now=now)
        LadderEntry.objects.update(faults=3, probe_at=now + timedelta(hours=1), rests=4, matches=30)
        take_over(make_version("Alder"), now)
        entry = LadderEntry.objects.get()
        assert (entry.faults, entry.probe_at, entry.rests, entry.matches) == (0, None, 0, 0)


class TestBringBack:
    def test_ends_a_suspension_manually(self, ladder, mia, now):
        version = make_version("Alder")
        join(actor=mia, ladder=ladder, version=version, now=now)
        LadderEntry.objects.update(faults=3, probe_at=now + timedelta(hours=1), rests=2)
        entry = bring_back(actor=mia, ladder=ladder, bot=version.bot, now=now)
        assert (entry.probe_at, entry.faults, entry.rests) == (None, 0, 2)
        assert verbs_done()[-1] == "bring back"

    def test_refuses_a_bot_not_suspended_or_owned_by_another_user(self, ladder, mia, opponent, now):
        version = make_version("Alder")
        join(actor=mia, ladder=ladder, version=version, now=now)
        with pytest.raises(LadderPlayRefused, match="Alder is not suspended on"):
            bring_back(actor=mia, ladder=ladder, bot=version.bot, now=now)
        with pytest.raises(Forbidden):
            bring_back(actor=mia, ladder=ladder, bot=opponent.bot, now=now)


class TestTheDatabase:
    def test_refuses_a_second_row_for_a_bot(self, ladder, mia, now):
        version = make_version("Alder")
        entry = join(actor=mia, ladder=ladder, version=version, now=now)
        entry.pk = None
        with pytest.raises(IntegrityError), transaction.atomic():
            entry.save(force_insert=True)
