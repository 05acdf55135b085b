"""What authors do on pages: tokens, teams, uploads and versions."""

import re
from types import SimpleNamespace

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.archives import NOT_AN_ARCHIVE, manifest, packed, upload
from tests.factories import START, make_user, make_version
from tests.frontend.visits import body, signed_in
from tournaments.models import Ban, Submission, Team, Token
from tournaments.services.accounts.teams import add_member, found_team
from tournaments.services.accounts.tokens import make_token, use_token

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def world(module_db) -> SimpleNamespace:
    """Mia with a bot, and Ann with a team."""
    version = make_version("Otter")
    found_team(name="Meles", founder=make_user("ann"), now=START)
    return SimpleNamespace(version=version, page=reverse("bot", args=[version.bot.slug]))


@pytest.fixture
def mia(world) -> Client:
    return signed_in("mia")


@pytest.fixture
def ann(world) -> Client:
    return signed_in("ann")


def message(client: Client, address: str, /, *args: object, **form: object) -> str:
    """Return the newest message on the page that the form leads to."""
    return str(list(client.post(reverse(address, args=args), form, follow=True).context["messages"])[-1])


class TestTokens:
    def test_are_shown_once(self, mia):
        answer = mia.post(reverse("token-make"), {"name": "my laptop", "days": "90", "scope": "uploads"})
        assert (answer.status_code, answer["Cache-Control"]) == (201, "private, no-store")
        text = re.search(r"sqf_\w{40}", answer.content.decode())[0]
        assert use_token(text=text, now=timezone.now()).expires_at is not None
        page = body(mia, reverse("account"))
        assert text not in page
        assert text[:10] in page
        for form in ({"name": "", "days": "90"}, {"name": "n", "days": "1"}, {}):
            assert mia.post(reverse("token-make"), form).status_code == 400
        assert Token.objects.count() == 1

    def test_are_revoked_only_by_their_owner(self, mia):
        mine, theirs = (make_token(user=make_user(name), name="n", now=timezone.now())[0] for name in ("mia", "ann"))
        mia.post(reverse("token-revoke", args=[mine.pk]))
        assert mia.post(reverse("token-revoke", args=[theirs.pk])).status_code == 404
        assert set(Token.objects.filter(revoked_at=None)) == {theirs}


class TestTeams:
    def test_are_created_joined_and_left(self, mia):
        assert "login" in Client().post(reverse("teams"), {"name": "Lutra"})["Location"]
        assert message(mia, "teams", name="Lutra") == "Team Lutra created. You are its captain."
        assert message(mia, "team-add", "lutra", username="ann") == "ann is now a member of Lutra."
        ids = dict(User.objects.values_list("username", "pk"))
        mia.post(reverse("team-appoint", args=["lutra", ids["ann"]]))
        assert message(mia, "team-remove", "lutra", ids["mia"]) == "You have left Lutra."
        assert [member.role for member in Team.objects.get(slug="lutra").memberships.all()] == ["captain"]

    def test_explain_refusals(self, mia, ann):
        assert mia.post(reverse("teams"), {"name": " "}).status_code == 400
        assert "already exists" in message(mia, "teams", name="meles")
        assert message(mia, "team-add", "meles", username="mia") == "Only captains of Meles can change its members."
        answer = ann.post(reverse("team-add", args=["meles"]), {"username": "nobody"})
        assert (answer.status_code, b"There is no account" in answer.content) == (400, True)

    def test_receive_bots_on_the_bots_page(self, mia, ann, world):
        bot = world.version.bot
        team = found_team(name="Lutra", founder=make_user("mia"), now=START)
        assert "Shared with" in body(mia, world.page)
        mia.post(reverse("bot-give", args=[bot.slug]), {"team": team.slug})
        assert type(bot).objects.get(pk=bot.pk).team == team
        add_member(team=team, user=make_user("ann"), actor=make_user("mia"), now=START)
        assert "Otter" in body(ann, reverse("account"))
        assert "Shared with" not in body(ann, world.page)
        assert "only its owner, mia, can give it to a team" in message(ann, "bot-give", bot.slug, team="")


class TestAnUpload:
    @pytest.fixture(autouse=True)
    def _own_storage(self, settings, tmp_path):
        default = {**settings.STORAGES["default"], "OPTIONS": {"location": str(tmp_path)}}
        settings.STORAGES = {**settings.STORAGES, "default": default}

    def send(self, client: Client, content: bytes, **options):
        return client.post(reverse("upload"), {"archive": upload(content)}, **options)

    def test_redirects_to_the_submissions_page_even_if_it_is_rejected(self, mia):
        answer = self.send(mia, packed(manifest("Morphy")), follow=True)
        assert answer.redirect_chain[-1][0] == reverse("submission", args=[Submission.objects.latest("pk").pk])
        assert b"Morphy" in answer.content
        assert b"is not a .zip, .tar or .tar.gz archive" in self.send(mia, NOT_AN_ARCHIVE, follow=True).content

    def test_shows_the_remaining_quota_and_an_error_when_it_is_used_up(self, mia, settings):
        settings.UPLOADS_PER_DAY = 1
        assert "1 <small>of 1 in" in body(mia, reverse("upload"))
        self.send(mia, NOT_AN_ARCHIVE)
        count = Submission.objects.count()
        answer = self.send(mia, packed(manifest()))
        assert answer.status_code == 409
        [said] = answer.context["form"]["archive"].errors
        assert said.startswith("Your quota of uploads in 24 hours (1) is used up")
        assert 'aria-invalid="true" aria-describedby="id_archive_helptext id_archive_error"' in answer.content.decode()
        assert Submission.objects.count() == count

    def test_is_not_read_if_it_is_missing_too_large_or_of_a_banned_user(self, mia, settings):
        assert mia.post(reverse("upload")).status_code == 400
        settings.MAX_ARCHIVE_BYTES = 10
        answer = self.send(mia, b"x" * 11)
        assert answer.status_code == 400
        assert b"The archive has 11 bytes; the limit is 10. Upload a smaller archive." in answer.content
        Ban.objects.create(user=make_user("mia"), reason="spam.", created_by=make_user("ann"), created_at=START)
        assert self.send(mia, b"x").context["form"]["archive"].errors == ["You are banned: spam."]


class TestAVersion:
    def test_is_suspended_withdrawn_and_brought_back_by_its_owner_only(self, mia, ann, world):
        version, rest = world.version, reverse("version-rest", args=[world.version.pk])
        assert rest not in body(ann, world.page)
        assert "only its owner and its team can manage it" in message(ann, "version-rest", version.pk)
        assert ann.get(rest).status_code == 405
        for verb, status in (("rest", "rested"), ("withdraw", "withdrawn"), ("bring-back", "active")):
            address = reverse(f"version-{verb}", args=[version.pk])
            assert address in body(mia, world.page)
            mia.post(address)
            assert type(version).objects.get(pk=version.pk).status == status
