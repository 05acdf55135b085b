"""Joining and leaving ladders, and changing versions."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import IntegrityError, transaction

from ratings.models import Rating
from tests.factories import make_event, make_rating, make_user, make_version
from tournaments.models import AuditEntry, Ban, Candidacy, LadderEntry, Match
from tournaments.models.leased import FULL_TIER
from tournaments.selectors.shared.permissions import Forbidden
from tournaments.services.accounts.bans import ban
from tournaments.services.bots.versions import rest, withdraw
from tournaments.services.ladders.challenges import challenge
from tournaments.services.ladders.ladder_play import LadderPlayRefused, bring_back, join, leave, take_over
from tournaments.services.ladders.ladders import create_ladder
from tournaments.services.ladders.matchmaking import pair_ladders
from tournaments.services.ladders.trials import choose
from tournaments.services.matches.matches import claim, void

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


@pytest.fixture
def opponent(ladder, now):
    version = make_version("Basalt", owner="otto")
    join(actor=version.bot.owner, ladder=ladder, version=version, now=now)
    return version


@pytest.fixture
def alder(ladder, mia, now):
    """A version that plays on the ladder."""
    version = make_version("Alder")
    join(actor=mia, ladder=ladder, version=version, now=now)
    return version


def verbs_done():
    return list(AuditEntry.objects.order_by("pk").values_list("verb", flat=True))


def kinds_and_statuses():
    return set(Match.objects.values_list("kind", "status"))


class TestJoin:
    @pytest.mark.database
    def test_puts_the_bot_on_the_ladder_once_also_for_the_database(self, ladder, mia, alder, now):
        entry = LadderEntry.objects.get()
        assert (entry.version, entry.active, entry.matches, entry.waiting_since) == (alder, True, 0, now)
        assert verbs_done() == ["join"]
        with pytest.raises(LadderPlayRefused, match="Alder v1 already plays on Square Grid Hex 5×5, "):
            join(actor=mia, ladder=ladder, version=alder, now=now)
        entry.pk = None
        with pytest.raises(IntegrityError), transaction.atomic():
            entry.save(force_insert=True)

    def test_replaces_the_version_and_keeps_the_rating(self, ladder, mia, opponent, alder, now):
        make_rating(ladder, alder, 1600, rank=1)
        pair_ladders(now)
        newer = make_version("Alder")
        entry = join(actor=mia, ladder=ladder, version=newer, now=now + HOUR)
        assert (entry.version, entry.matches, entry.version_since, entry.joined_at) == (newer, 0, now + HOUR, now)
        assert LadderEntry.objects.filter(bot=alder.bot).count() == 1
        assert not Match.objects.filter(status="queued").exists()
        assert verbs_done()[-1] == "change version"
        assert Rating.objects.get(bot=alder.bot).value == 1600

    def test_is_refused_with_a_reason_and_leaves_nothing_behind(self, ladder, mia, now):
        rested, withdrawn, banned = (make_version(name) for name in ("Cinder", "Dune", "Elm"))
        rested.status, withdrawn.status = "rested", "withdrawn"
        Ban.objects.create(bot=banned.bot, reason="it mines coins", created_by=mia, created_at=now)
        for version, refusal, sentence in (
            (make_version("Basalt", owner="otto"), Forbidden, "Basalt is not your bot"),
            (make_version("Alder", rulesets=["squ", "scware"]), LadderPlayRefused,
             "Alder v1 does not play square-grid-hex, only squ, scware"),
            (rested, LadderPlayRefused, "Cinder v1 is suspended"),
            (withdrawn, LadderPlayRefused, "Dune v1 is withdrawn"),
            (banned, Forbidden, "Elm is banned: it mines coins"),
        ):
            with pytest.raises(refusal, match=sentence):
                join(actor=mia, ladder=ladder, version=version, now=now)
        version = make_version("Fir")
        with pytest.raises(Forbidden):
            join(actor=AnonymousUser(), ladder=ladder, version=version, now=now)
        ladder.is_open = False
        with pytest.raises(LadderPlayRefused, match="is closed: only events use it"):
            join(actor=mia, ladder=ladder, version=version, now=now)
        assert not LadderEntry.objects.exists()
        assert not AuditEntry.objects.exists()


class TestLeave:
    def test_keeps_the_row_and_running_matches(self, ladder, mia, opponent, alder, now):
        pair_ladders(now)
        running = Match.objects.order_by("pk")[0]
        Match.objects.filter(pk=running.pk).update(status="running", lease_until=now)
        entry = leave(actor=mia, ladder=ladder, bot=alder.bot, now=now)
        assert not entry.active
        assert sorted(Match.objects.values_list("status", flat=True)) == ["cancelled", "running"]
        assert verbs_done()[-1] == "leave"
        # It can come back with the same version, as if it had never been away.
        LadderEntry.objects.update(matches=7)
        assert join(actor=mia, ladder=ladder, version=alder, now=now + timedelta(days=1)).matches == 7
        with pytest.raises(Forbidden):
            leave(actor=mia, ladder=ladder, bot=opponent.bot, now=now)
        with pytest.raises(LadderPlayRefused, match="Cinder is not on Square Grid Hex"):
            leave(actor=mia, ladder=ladder, bot=make_version("Cinder").bot, now=now)


class TestQueuedMatches:
    @pytest.fixture(autouse=True)
    def queued(self, ladder, mia, opponent, alder, now):
        pair_ladders(now)
        challenge(actor=mia, ladder=ladder, first=alder, second=opponent, matches=1, seed=1, now=now)

    @pytest.mark.parametrize("verb", [rest, withdraw])
    def test_are_cancelled_when_the_version_becomes_inactive_except_those_of_events(self, alder, opponent, mia, now,
                                                                                   verb):
        make_event([alder, opponent], ruleset="square-grid-hex", size=5)
        verb(version=alder, actor=mia, now=now)
        assert kinds_and_statuses() == {("ladder", "cancelled"), ("challenge", "cancelled"), ("event", "queued")}

    def test_are_cancelled_when_the_bot_is_banned_or_leaves_the_ladder(self, alder, ladder, mia, now):
        leave(actor=mia, ladder=ladder, bot=alder.bot, now=now)
        assert kinds_and_statuses() == {("ladder", "cancelled"), ("challenge", "queued")}
        ban(actor=make_user("staff", staff=True), bot=alder.bot, reason="it mines coins", now=now)
        assert kinds_and_statuses() == {("ladder", "cancelled"), ("challenge", "cancelled")}

    def test_that_run_are_cancelled_once_their_attempts_are_void_if_the_version_is_suspended(self, alder, mia, now):
        leases = {kind: claim(match_id=Match.objects.filter(kind=kind).order_by("pk")[0].pk, worker="here:1",
                              tier=FULL_TIER, now=now) for kind in ("ladder", "challenge")}
        rest(version=alder, actor=mia, now=now)
        for lease in leases.values():
            match = Match.objects.get(pk=lease.work.pk)
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
        LadderEntry.objects.update(faults=3, probe_at=now + HOUR, rests=4, matches=30)
        two = make_version("Alder", rulesets=["square-grid-hex"])
        assert take_over(two, now) == 1
        entry = LadderEntry.objects.get(ladder=ladder)
        assert (entry.faults, entry.probe_at, entry.rests, entry.matches) == (0, None, 0, 0)
        assert dict(LadderEntry.objects.values_list("ladder", "version")) == {
            ladder.pk: two.pk, other.pk: one.pk, left.pk: one.pk}
        assert take_over(two, now) == 0

    def test_or_a_trial_happens_automatically_when_a_version_is_accepted(self, hex_ladder, author, enter, now):
        one = enter("Alder")
        join(actor=author, ladder=hex_ladder, version=one, now=now)
        two = enter("Alder", command='["python3", "main.py"]')
        assert two.number == 2
        assert LadderEntry.objects.get().version == two
        choose(actor=author, ladder=hex_ladder, bot=one.bot, on_trial=True, now=now)
        three = enter("Alder", code="# better")
        assert (Candidacy.objects.get().candidate, LadderEntry.objects.get().version) == (three, two)


class TestBringBack:
    def test_ends_a_suspension_manually(self, ladder, mia, opponent, alder, now):
        with pytest.raises(LadderPlayRefused, match="Alder is not suspended on"):
            bring_back(actor=mia, ladder=ladder, bot=alder.bot, now=now)
        LadderEntry.objects.update(faults=3, probe_at=now + HOUR, rests=2)
        entry = bring_back(actor=mia, ladder=ladder, bot=alder.bot, now=now)
        assert (entry.probe_at, entry.faults, entry.rests) == (None, 0, 2)
        assert verbs_done()[-1] == "bring back"
        with pytest.raises(Forbidden):
            bring_back(actor=mia, ladder=ladder, bot=opponent.bot, now=now)
