"""Pages and forms for accounts, tokens, teams, uploads and versions."""

import re

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.archives import NOT_AN_ARCHIVE, manifest, packed, upload
from tests.factories import START, make_user, make_version
from tournaments.models import Ban, Submission, Team, Token
from tournaments.services.accounts.accounts import change_profile
from tournaments.services.accounts.teams import add_member, found_team
from tournaments.services.accounts.tokens import make_token, use_token

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse 42"
HOSTILE = '<img src=x onerror=alert("1")>'


@pytest.fixture(autouse=True)
def _separate_storage(settings, tmp_path):
    """Count failures and store archives for one test alone."""
    settings.CACHES = {**settings.CACHES, "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache",
                                   "LOCATION": str(tmp_path)}}
    default = {**settings.STORAGES["default"], "OPTIONS": {"location": str(tmp_path)}}
    settings.STORAGES = {**settings.STORAGES, "default": default}


@pytest.fixture
def mia(client):
    """Return Mia, signed in."""
    user = make_user("mia")
    client.force_login(user)
    return user


def _messages(response):
    """Return the messages on the page that the POST redirects to."""
    return [str(message) for message in response.context["messages"]]


def _sign_up(client, name="otto", email="", password=PASSWORD):
    return client.post(reverse("account_signup"),
                       {"username": name, "email": email, "password1": password, "password2": password})


def _sign_in(client, name, password):
    return client.post(reverse("account_login"), {"login": name, "password": password})


class TestSignUp:
    def test_creates_an_account_and_signs_in(self, client):
        assert _sign_up(client)["Location"] == reverse("account")
        page = client.get(reverse("account"))
        assert b"otto" in page.content
        assert page["Cache-Control"] == "private, no-store"

    def test_mails_a_confirmation_link(self, client):
        _sign_up(client, email="otto@example.org")
        link = re.search(r"http://\S+", mail.outbox[0].body)[0]
        assert b"Is <bdi>otto@example.org</bdi>" in client.get(link).content
        client.post(link)
        assert User.objects.get().emailaddress_set.get().verified

    @pytest.mark.parametrize(("name", "password", "why"), [
        ("mia", PASSWORD, "already exists"), ("<b>", PASSWORD, "valid username"), ("otto", "12345", "too short")])
    def test_explains_invalid_input(self, client, name, password, why):
        make_user("mia")
        page = _sign_up(client, name, password=password)
        assert why in page.content.decode()
        assert User.objects.count() == 1

    def test_can_be_closed(self, client, settings):
        settings.SIGN_UP_OPEN = False
        assert b"Only the site staff can create accounts" in _sign_up(client).content
        assert not User.objects.exists()

    def test_succeeds_without_a_mail_server(self, client, settings):
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
        assert _sign_up(client, email="otto@example.org")["Location"] == reverse("account")
        assert "could not be sent" in _messages(client.get(reverse("account")))[0]


class TestSignIn:
    def test_redirects_to_the_requested_page(self, client):
        make_user("mia")
        gate = client.get(reverse("upload"))["Location"]
        assert gate == f"{reverse('account_login')}?next={reverse('upload')}"
        response = client.post(gate, {"login": "mia", "password": "mia", "next": reverse("upload")})
        assert response["Location"] == reverse("upload")

    def test_does_not_redirect_to_other_sites(self, client):
        make_user("mia")
        response = client.post(reverse("account_login"),
                               {"login": "mia", "password": "mia", "next": "https://evil.example/"})
        assert response["Location"] == reverse("account")

    def test_is_throttled(self, client):
        make_user("mia")
        answers = [_sign_in(client, "mia", "wrong").content.decode() for _ in range(7)]
        assert "are not correct" in answers[0]
        assert "Too many" in answers[-1]
        assert "Too many" in _sign_in(client, "mia", "mia").content.decode()

    def test_opens_the_admin_for_staff(self, client):
        assert client.get(reverse("admin:login"))["Location"].startswith(reverse("account_login"))
        make_user("organiser", staff=True)
        _sign_in(client, "organiser", "organiser")
        assert client.get(reverse("admin:index")).status_code == 200

    def test_is_refused_to_a_closed_account(self, client):
        User.objects.filter(pk=make_user("mia").pk).update(is_active=False)
        assert "_auth_user_id" not in client.session
        _sign_in(client, "mia", "mia")
        assert "_auth_user_id" not in client.session

    def test_ends_at_sign_out(self, client, mia):
        client.post(reverse("account_logout"))
        assert client.get(reverse("account")).status_code == 302


class TestAPassword:
    def test_is_reset_with_a_mailed_link(self, client):
        user = make_user("mia")
        User.objects.filter(pk=user.pk).update(email="mia@example.org")
        client.post(reverse("account_reset_password"), {"email": "mia@example.org"})
        link = re.search(r"http://\S+", mail.outbox[0].body)[0]
        form = client.get(link, follow=True)
        client.post(form.request["PATH_INFO"], {"password1": PASSWORD, "password2": PASSWORD})
        assert _sign_in(client, "mia", PASSWORD)["Location"] == reverse("account")
        assert b"does not work" in Client().get(link).content

    def test_reset_does_not_reveal_known_addresses(self, client):
        answer = client.post(reverse("account_reset_password"), {"email": "nobody@example.org"}, follow=True)
        assert b"If an account has that address" in answer.content

    def test_change_requires_the_old_one(self, client, mia):
        page = reverse("account_change_password")
        for old, done in (("wrong", False), ("mia", True)):
            client.post(page, {"oldpassword": old, "password1": PASSWORD, "password2": PASSWORD})
            mia.refresh_from_db()
            assert mia.check_password(PASSWORD) is done


class TestAnAddress:
    def test_is_added_later_and_changed_once_confirmed(self, client, mia):
        client.post(reverse("account_reauthenticate"), {"password": "mia"})
        for address in ("mia@example.org", "mia@example.com"):
            before = mia.email
            client.post(reverse("account_email"), {"email": address, "action_add": ""})
            mia.refresh_from_db()
            assert mia.email == before
            link = re.search(r"http://\S+", next(sent for sent in mail.outbox[::-1] if sent.to == [address]).body)[0]
            client.post(link)
            mia.refresh_from_db()
            assert mia.email == address

    def test_change_requires_the_password(self, client, mia):
        """Otherwise anyone at a signed-in browser could have the password reset to their own address."""
        asked = client.post(reverse("account_email"), {"email": "mia@example.org", "action_add": ""})
        assert asked["Location"] == f"{reverse('account_reauthenticate')}?next=%2Faccount%2Femail%2F"
        assert b"Enter your password again" in client.get(asked["Location"]).content
        key = client.session.session_key
        client.post(asked["Location"], {"password": "guess", "next": reverse("account_email")})
        assert (mail.outbox, client.session.session_key) == ([], key)
        client.post(asked["Location"], {"password": "mia", "next": reverse("account_email")})
        assert "mia@example.org" in [sent.to[0] for sent in mail.outbox]
        assert client.session.session_key != key
        assert not client.session.exists(key)

    def test_is_not_confirmed_by_a_forged_link(self, client):
        assert b"This link has expired" in client.get(reverse("account_confirm_email", args=["made-up"])).content


class TestTooManyAttempts:
    def test_get_an_explanation(self, client, settings):
        settings.ACCOUNT_RATE_LIMITS = {"signup": "2/h/ip"}
        answers = [_sign_up(Client(), f"otto{number}") for number in range(3)]
        assert [answer.status_code for answer in answers] == [302, 302, 429]
        assert b"Wait a few minutes" in answers[-1].content


class TestEveryPageOfAnAccount:
    def test_answers(self, client, mia):
        found_team(name="Lutra", founder=mia, now=START)
        for name in ("account", "account_email", "account_change_password", "account_logout", "upload", "teams",
                     "notices"):
            assert client.get(reverse(name)).status_code == 200, name
        for address in (reverse("person", args=["mia"]), reverse("team", args=["lutra"])):
            for reader in (client, Client()):
                assert reader.get(address).status_code == 200
        for name in ("account_login", "account_signup", "account_reset_password", "account_reset_password_done"):
            assert Client().get(reverse(name)).status_code == 200, name

    @pytest.mark.parametrize("name", ["account", "upload"])
    def test_requires_signing_in(self, name):
        assert Client().get(reverse(name))["Location"].startswith(reverse("account_login"))

    def test_escapes_untrusted_text(self, client, mia):
        change_profile(user=mia, now=START, about=HOSTILE + "\u202e")
        team = found_team(name=HOSTILE, founder=mia, now=START)
        make_token(user=mia, name=HOSTILE, now=timezone.now())
        for address in (reverse("person", args=["mia"]), reverse("team", args=[team.slug]), reverse("teams"),
                        reverse("account")):
            page = client.get(address).content.decode()
            assert "<img src=x" not in page
            # The form field where it was written shows it unchanged.
            assert "\u202e" not in re.sub(r"<textarea.*?</textarea>", "", page, flags=re.DOTALL)


class TestAProfile:
    def test_is_changed_and_shown_to_everyone(self, client, mia):
        answer = client.post(reverse("account-profile"), {"about": "I write bots.", "link": "https://example.org/"},
                             follow=True)
        assert _messages(answer) == ["Profile saved."]
        page = Client().get(reverse("person", args=["mia"])).content.decode()
        assert "I write bots." in page
        assert 'href="https://example.org/" rel="nofollow ugc noopener"' in page

    def test_says_why_a_link_is_refused(self, client, mia):
        answer = client.post(reverse("account-profile"), {"link": "javascript:alert(1)"}, follow=True)
        assert "not a web address" in _messages(answer)[0]

    def test_of_a_closed_account_is_hidden(self, client):
        User.objects.filter(pk=make_user("mia").pk).update(is_active=False)
        assert client.get(reverse("person", args=["mia"])).status_code == 404


class TestTokens:
    def test_are_shown_once(self, client, mia):
        answer = client.post(reverse("token-make"), {"name": "my laptop", "days": "90", "scope": "uploads"})
        assert (answer.status_code, answer["Cache-Control"]) == (201, "private, no-store")
        text = re.search(r"sqf_\w{40}", answer.content.decode())[0]
        assert use_token(text=text, now=timezone.now()).expires_at is not None
        page = client.get(reverse("account")).content.decode()
        assert text not in page
        assert text[:10] in page

    def test_are_revoked_only_by_their_owner(self, client, mia):
        mine, _ = make_token(user=mia, name="n", now=timezone.now())
        theirs, _ = make_token(user=make_user("ann"), name="n", now=timezone.now())
        client.post(reverse("token-revoke", args=[mine.pk]))
        assert client.post(reverse("token-revoke", args=[theirs.pk])).status_code == 404
        assert set(Token.objects.filter(revoked_at=None)) == {theirs}

    @pytest.mark.parametrize("form", [{"name": "", "days": "90"}, {"name": "n", "days": "1"}, {}])
    def test_are_not_created_from_incomplete_forms(self, client, mia, form):
        assert client.post(reverse("token-make"), form).status_code == 400
        assert not Token.objects.exists()


class TestTeams:
    def test_are_created_joined_and_left(self, client, mia):
        make_user("ann")
        answer = client.post(reverse("teams"), {"name": "Lutra"}, follow=True)
        assert _messages(answer) == ["Team Lutra created. You are its captain."]
        team = Team.objects.get()
        answer = client.post(reverse("team-add", args=["lutra"]), {"username": "ann"}, follow=True)
        assert _messages(answer) == ["ann is now a member of Lutra."]
        ann = User.objects.get(username="ann")
        client.post(reverse("team-appoint", args=["lutra", ann.pk]), follow=True)
        answer = client.post(reverse("team-remove", args=["lutra", mia.pk]), follow=True)
        assert _messages(answer) == ["You have left Lutra."]
        assert [member.role for member in team.memberships.all()] == ["captain"]

    def test_explain_refusals(self, client, mia):
        answer = client.post(reverse("teams"), {"name": " "})
        assert answer.status_code == 400
        found_team(name="Meles", founder=make_user("ann"), now=START)
        answer = client.post(reverse("teams"), {"name": "meles"}, follow=True)
        assert _messages(answer) == ["A team with the name meles already exists: choose another name."]
        answer = client.post(reverse("team-add", args=["meles"]), {"username": "mia"}, follow=True)
        assert _messages(answer) == ["Only captains of Meles can change its members."]
        found_team(name="Lutra", founder=mia, now=START)
        answer = client.post(reverse("team-add", args=["lutra"]), {"username": "nobody"})
        assert (answer.status_code, b"There is no account" in answer.content) == (400, True)

    def test_require_signing_in(self):
        assert "login" in Client().post(reverse("teams"), {"name": "Lutra"})["Location"]

    def test_receive_bots_on_the_bots_page(self, client, mia):
        bot = make_version("Otter").bot
        team = found_team(name="Lutra", founder=mia, now=START)
        assert b"Shared with" in client.get(reverse("bot", args=[bot.slug])).content
        client.post(reverse("bot-give", args=[bot.slug]), {"team": team.slug})
        bot.refresh_from_db()
        assert bot.team == team
        add_member(team=team, user=make_user("ann"), actor=mia, now=START)
        ann = Client()
        ann.force_login(make_user("ann"))
        assert b"Otter" in ann.get(reverse("account")).content
        assert b"Shared with" not in ann.get(reverse("bot", args=[bot.slug])).content
        answer = ann.post(reverse("bot-give", args=[bot.slug]), {"team": ""}, follow=True)
        assert _messages(answer) == ["Otter is not your bot: only its owner, mia, can give it to a team."]


class TestAnUpload:
    def test_redirects_to_the_submissions_page(self, client, mia):
        answer = client.post(reverse("upload"), {"archive": upload(packed(manifest("Morphy")))}, follow=True)
        assert answer.status_code == 200
        assert answer.redirect_chain[-1][0] == reverse("submission", args=[Submission.objects.get().pk])
        assert b"Morphy" in answer.content

    def test_that_is_rejected_redirects_there_too(self, client, mia):
        answer = client.post(reverse("upload"), {"archive": upload(NOT_AN_ARCHIVE)}, follow=True)
        assert b"is not a .zip, .tar or .tar.gz archive" in answer.content

    def test_shows_the_remaining_quota_and_an_error_when_it_is_used_up(self, client, mia, settings):
        settings.UPLOADS_PER_DAY = 1
        assert "1 <small>of 1 in" in client.get(reverse("upload")).content.decode()
        client.post(reverse("upload"), {"archive": upload(NOT_AN_ARCHIVE)})
        answer = client.post(reverse("upload"), {"archive": upload(packed(manifest()))})
        assert answer.status_code == 409
        [said] = answer.context["form"]["archive"].errors
        assert said.startswith("Your quota of uploads in 24 hours (1) is used up")
        assert 'aria-invalid="true" aria-describedby="id_archive_helptext id_archive_error"' in answer.content.decode()
        assert Submission.objects.count() == 1

    def test_is_not_read_if_it_is_too_large(self, client, mia, settings):
        settings.MAX_ARCHIVE_BYTES = 10
        answer = client.post(reverse("upload"), {"archive": upload(b"x" * 11)})
        assert answer.status_code == 400
        assert b"The archive has 11 bytes; the limit is 10. Upload a smaller archive." in answer.content

    def test_is_refused_to_a_banned_user(self, client, mia):
        Ban.objects.create(user=mia, reason="spam.", created_by=make_user("staff", staff=True), created_at=START)
        answer = client.post(reverse("upload"), {"archive": upload(packed(manifest()))})
        assert answer.context["form"]["archive"].errors == ["You are banned: spam."]

    def test_requires_a_file(self, client, mia):
        assert client.post(reverse("upload")).status_code == 400


class TestAVersion:
    def test_is_suspended_withdrawn_and_brought_back_on_the_bots_page(self, client, mia):
        version = make_version("Otter")
        for verb, status in (("rest", "rested"), ("withdraw", "withdrawn"), ("bring-back", "active")):
            page = client.get(reverse("bot", args=[version.bot.slug])).content.decode()
            address = reverse(f"version-{verb}", args=[version.pk])
            assert address in page
            client.post(address)
            version.refresh_from_db()
            assert version.status == status

    def test_shows_its_buttons_only_to_its_owner(self, client):
        version = make_version("Otter")
        address = reverse("version-rest", args=[version.pk])
        for name, shown in (("ann", False), ("mia", True)):
            client.force_login(make_user(name))
            assert (address in client.get(reverse("bot", args=[version.bot.slug])).content.decode()) is shown

    def test_cannot_be_changed_by_other_users(self, client):
        version = make_version("Otter")
        client.force_login(make_user("ann"))
        answer = client.post(reverse("version-rest", args=[version.pk]), follow=True)
        assert _messages(answer) == ["Otter is not your bot: only its owner and its team can manage it."]
        assert client.get(reverse("version-rest", args=[version.pk])).status_code == 405
