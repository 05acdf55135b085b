"""Pages and forms for accounts, passwords, addresses and profiles."""

import re

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from django.urls import reverse

from tests.factories import make_user
from tests.frontend.visits import body

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse 42"


@pytest.fixture(autouse=True)
def _own_cache(settings, tmp_path):
    """Count failures for one test alone."""
    settings.CACHES = {**settings.CACHES, "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache",
                                                      "LOCATION": str(tmp_path)}}


@pytest.fixture
def mia(client: Client) -> User:
    """Return Mia, signed in."""
    user = make_user("mia")
    client.force_login(user)
    return user


def messages(response) -> list[str]:
    """Return the messages on the page that the POST redirects to."""
    return [str(message) for message in response.context["messages"]]


def sign_up(client: Client, name: str = "otto", email: str = "", password: str = PASSWORD):
    return client.post(reverse("account_signup"),
                       {"username": name, "email": email, "password1": password, "password2": password})


def sign_in(client: Client, name: str, password: str, **fields: str):
    return client.post(reverse("account_login"), {"login": name, "password": password, **fields})


def mailed_link(number: int = 0) -> str:
    return re.search(r"http://\S+", mail.outbox[number].body)[0]


class TestSignUp:
    def test_creates_an_account_signs_in_and_mails_a_confirmation_link(self, client):
        assert sign_up(client, email="otto@example.org")["Location"] == reverse("account")
        page = client.get(reverse("account"))
        assert b"otto" in page.content
        assert page["Cache-Control"] == "private, no-store"
        link = mailed_link()
        assert b"Is <bdi>otto@example.org</bdi>" in client.get(link).content
        client.post(link)
        assert User.objects.get().emailaddress_set.get().verified

    def test_refuses_a_name_that_looks_like_that_of_another_account(self, client):
        make_user("searcher")
        assert b"looks like that of another account" in sign_up(client, "s\u0435archer").content
        assert b"already exists" in sign_up(client, "Searcher").content
        assert sign_up(client, "searcher-2").status_code == 302

    def test_can_be_closed(self, client, settings):
        settings.SIGN_UP_OPEN = False
        assert b"Only the site staff can create accounts" in sign_up(client).content
        assert not User.objects.exists()

    def test_succeeds_without_a_mail_server(self, client, settings):
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        # Nothing listens on this port of the loopback interface, which only root could use.
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
        assert sign_up(client, email="otto@example.org")["Location"] == reverse("account")
        assert "could not be sent" in messages(client.get(reverse("account")))[0]


class TestSignIn:
    def test_is_throttled(self, client):
        make_user("mia")
        answers = [sign_in(client, "mia", "wrong").content.decode() for _ in range(7)]
        assert "are not correct" in answers[0]
        assert "Too many" in answers[-1]
        assert "Too many" in sign_in(client, "mia", "mia").content.decode()

    def test_opens_the_admin_for_staff(self, client):
        assert client.get(reverse("admin:login"))["Location"].startswith(reverse("account_login"))
        make_user("organiser", staff=True)
        sign_in(client, "organiser", "organiser")
        assert client.get(reverse("admin:index")).status_code == 200

    def test_is_refused_to_a_closed_account(self, client):
        User.objects.filter(pk=make_user("mia").pk).update(is_active=False)
        sign_in(client, "mia", "mia")
        assert "_auth_user_id" not in client.session
        body(client, reverse("person", args=["mia"]), expect=404)

    def test_is_possible_with_a_password_that_was_reset_with_a_mailed_link(self, client):
        User.objects.filter(pk=make_user("mia").pk).update(email="mia@example.org")
        for address in ("mia@example.org", "nobody@example.org"):
            answer = client.post(reverse("account_reset_password"), {"email": address}, follow=True)
            assert b"If an account has that address" in answer.content
        link = mailed_link()
        form = client.get(link, follow=True)
        client.post(form.request["PATH_INFO"], {"password1": PASSWORD, "password2": PASSWORD})
        assert sign_in(client, "mia", PASSWORD)["Location"] == reverse("account")
        assert b"does not work" in Client().get(link).content


class TestAnAddress:
    def test_is_added_later_and_changed_once_confirmed(self, client, mia):
        client.post(reverse("account_reauthenticate"), {"password": "mia"})
        for address in ("mia@example.org", "mia@example.com"):
            before = mia.email
            client.post(reverse("account_email"), {"email": address, "action_add": ""})
            mia.refresh_from_db()
            assert mia.email == before
            client.post(mailed_link(max(place for place, sent in enumerate(mail.outbox) if sent.to == [address])))
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


class TestAProfile:
    def test_is_changed_and_shown_to_everyone(self, client, mia):
        page = client.post(reverse("account-profile"), {"link": "javascript:alert(1)"}, follow=True)
        assert "not a web address" in messages(page)[0]
        page = client.post(reverse("account-profile"), {"about": "I write bots.", "link": "https://example.org/"},
                           follow=True)
        assert messages(page) == ["Profile saved."]
        shown = body(Client(), reverse("person", args=["mia"]))
        assert "I write bots." in shown
        assert 'href="https://example.org/" rel="nofollow ugc noopener"' in shown
