"""Profiles, bans on uploading, and notices to authors about their submissions."""

import pytest

from engines.check import Failure, Stage
from tests.factories import make_user, ready_version
from tests.tournaments.conftest import make_archive
from tournaments.models import Ban, Delivery, Profile, Submission, Version, Webhook
from tournaments.models.leased import FULL_TIER
from tournaments.selectors.shared.permissions import Forbidden
from tournaments.services.accounts.accounts import ProfileRefused, change_profile, profile_of
from tournaments.services.accounts.teams import add_member, found_team, give_bot
from tournaments.services.bots import qualification
from tournaments.services.bots.submissions import SubmissionRefused, accept_upload

pytestmark = pytest.mark.django_db


@pytest.fixture
def received(author, now):
    """A submission of Otter that is waiting for its check."""
    return accept_upload(archive=make_archive("Otter"), filename="otter.zip", uploader=author, now=now)


@pytest.fixture
def ban(staff, now):
    def ban(**subject):
        return Ban.objects.create(**subject, reason="it floods the site", created_by=staff, created_at=now)
    return ban


def _claimed(submission, now):
    return qualification.claim(submission_id=submission.pk, worker="w:1", tier=FULL_TIER, now=now)


class TestAProfile:
    def test_is_created_once_and_changes_only_the_given_fields(self, author, now):
        assert profile_of(author) == profile_of(author) == Profile.objects.get()
        change_profile(user=author, now=now, about="I write bots.", link="https://example.org/me")
        author.email = "a@example.org"
        change_profile(user=author, now=now, mail_on=["event.finished", "submission.accepted"])
        profile = Profile.objects.get()
        assert (profile.about, profile.link) == ("I write bots.", "https://example.org/me")
        assert profile.mail_on == ["submission.accepted", "event.finished"]
        assert change_profile(user=author, now=now, link="").link == ""

    def test_refuses_invalid_values(self, author, now):
        for change, why in (
                ({"about": "x" * 2001}, "2,001 characters, but at most 2,000 are allowed"), ({"about": "\0"}, "NUL"),
                ({"link": "javascript:alert(1)"}, "not a web address"), ({"link": "example"}, "not a web address"),
                ({"link": "https://x.org/" + "a" * 200}, "200 are allowed"),
                ({"mail_on": ["rain"]}, "Unknown kind of notice"), ({"mail_on": ["event.finished"]}, "no e-mail")):
            with pytest.raises(ProfileRefused, match=why):
                change_profile(user=author, now=now, **change)


class TestABan:
    def test_stops_uploads_by_a_user(self, author, ban, now):
        sentence = ban(user=author)
        with pytest.raises(Forbidden, match="You are banned: it floods the site"):
            accept_upload(archive=make_archive("Otter"), filename="otter.zip", uploader=author, now=now)
        assert not Submission.objects.exists()
        sentence.lifted_at = now
        sentence.save()
        accept_upload(archive=make_archive("Otter"), filename="otter.zip", uploader=author, now=now)

    def test_stops_uploads_of_a_bot(self, enter, author, ban, now):
        ban(bot=enter("Otter").bot)
        with pytest.raises(SubmissionRefused, match="Otter is banned: it floods the site") as refusal:
            accept_upload(archive=make_archive("Otter", code="# 2"), filename="o.zip", uploader=author, now=now)
        assert (refusal.value.step, refusal.value.submission) == ("ban", Submission.objects.first())
        accept_upload(archive=make_archive("Beaver"), filename="b.zip", uploader=author, now=now)

    def test_applies_to_a_submission_that_is_being_checked(self, received, author, ban, now):
        lease = _claimed(received, now)
        ban(user=author)
        assert qualification.accept(lease, rulesets=["squ"], artefact=None, log="", now=now) is None
        received.refresh_from_db()
        assert (received.status, received.step) == ("refused", "ban")
        assert not Version.objects.exists()


class TestANotice:
    @pytest.fixture(autouse=True)
    def _webhooks(self, author, now):
        for user in (author, make_user("ann"), make_user("bob")):
            Webhook.objects.create(owner=user, url="https://example.org/", secret="s", created_at=now)

    def test_tells_the_bots_owner_and_team_about_a_version(self, enter, author, now):
        bot, ann = enter("Otter").bot, make_user("ann")
        team = found_team(name="Lutra", founder=author, now=now)
        add_member(team=team, user=ann, actor=author, now=now)
        give_bot(bot=bot, team=team, actor=author, now=now)
        Delivery.objects.all().delete()
        second = ready_version(accept_upload(archive=make_archive("Otter", code="# 2"), filename="o.zip",
                                             uploader=ann, now=now))
        assert {(row.kind, row.user.username) for row in Delivery.objects.all()} == {
            ("submission.accepted", "author"), ("submission.accepted", "ann")}
        assert Delivery.objects.first().payload == {"submission": second.submission_id, "bot": "otter",
                                                    "name": "Otter", "version": 2, "version_id": second.pk}

    def test_tells_only_the_uploader_about_a_refusal(self, received, now):
        failure = Failure(Stage.HANDSHAKE, "handshake", "it says nothing", "", "")
        assert qualification.refuse(_claimed(received, now), failure, log="", now=now)
        told = Delivery.objects.get()
        assert (told.kind, told.user.username) == ("submission.refused", "author")
        assert told.payload == {"submission": received.pk, "name": "Otter", "step": "handshake",
                                "refusal": "Handshake: it says nothing."}

    def test_is_not_sent_for_a_check_that_does_not_count(self, received, now):
        lease = _claimed(received, now)
        qualification.void(lease, "the disk was full", now)
        assert qualification.accept(lease, rulesets=["squ"], artefact=None, log="", now=now) is None
        assert not Delivery.objects.exists()
