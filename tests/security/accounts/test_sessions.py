"""Signing in: limits on failures, what a session survives, and the rotation of the secret key."""

import re
from typing import Any

import pytest
from django.contrib.auth.hashers import identify_hasher, make_password
from django.test import Client
from django.urls import reverse

from tests.factories import make_user
from tournaments import settings as site_settings

PASSWORD = "correct horse 42"
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_counters")]


def sign_in(client: Client, name: str, password: str, address: str = "192.0.2.1", claimed: str = "") -> str:
    """Sign in and return "in", "wrong" or "wait"; `claimed` is the address that the client itself claims."""
    answer = client.post(reverse("account_login"), {"login": name, "password": password},
                         headers={"X-Forwarded-For": ", ".join(filter(None, [claimed, address]))})
    if answer.status_code == 302:
        return "in"
    return "wait" if answer.status_code == 429 or b"Too many" in answer.content else "wrong"


class TestFailing:
    def test_five_times_throttles_this_account(self) -> None:
        make_user("mia")
        make_user("ann")
        said = [sign_in(Client(), "mia", "guess") for _ in range(6)]
        assert said == ["wrong"] * 5 + ["wait"]
        assert sign_in(Client(), "mia", "mia") == "wait"
        assert sign_in(Client(), "ann", "ann") == "in"

    def test_counts_for_the_address_seen_by_the_proxy_not_the_claimed_one(self) -> None:
        make_user("mia")
        said = [sign_in(Client(), "mia", "guess", claimed=f"198.51.100.{number}") for number in range(6)]
        assert said[-1] == "wait"

    def test_does_not_lock_out_users_at_other_addresses(self) -> None:
        make_user("mia")
        for _ in range(8):
            sign_in(Client(), "mia", "guess", address="198.51.100.7")
        assert sign_in(Client(), "mia", "mia", address="192.0.2.1") == "in"

    def test_with_many_names_throttles_the_address(self) -> None:
        said = [sign_in(Client(), f"user{number}", "guess") for number in range(12)]
        assert said == ["wrong"] * 10 + ["wait"] * 2

    def test_counts_ipv6_by_network(self) -> None:
        make_user("mia")
        said = [sign_in(Client(), "mia", "guess", address=f"2001:db8::{number}") for number in range(1, 7)]
        assert said[-1] == "wait"

    def test_shows_the_same_page_for_existing_and_unknown_accounts(self) -> None:
        make_user("mia")
        said = [Client().post(reverse("account_login"), {"login": name, "password": "guess"}, headers={
            "X-Forwarded-For": "192.0.2.1"}).content.decode() for name in ("mia", "nia")]
        assert scrubbed(said[0].replace("mia", "X")) == scrubbed(said[1].replace("nia", "X"))

    def test_shows_the_same_page_for_known_and_unknown_addresses_at_a_reset(self) -> None:
        make_user("mia").emailaddress_set.create(email="mia@example.org", verified=True, primary=True)
        said = [Client().post(reverse("account_reset_password"), {"email": f"{name}@example.org"},
                              headers={"X-Forwarded-For": "192.0.2.1"}) for name in ("mia", "nia")]
        assert {(answer.status_code, answer["Location"]) for answer in said} == {
            (302, reverse("account_reset_password_done"))}


def scrubbed(page: str) -> str:
    """Return the page without the parts that differ on every request."""
    return re.sub(r'value="\w{64}"|nonce="[^"]+"', "", page)


class TestAPassword:
    def test_is_hashed_with_argon2(self, settings: Any) -> None:
        settings.PASSWORD_HASHERS = site_settings.PASSWORD_HASHERS
        assert identify_hasher(make_password(PASSWORD)).algorithm == "argon2"

    def test_change_ends_all_other_sessions(self) -> None:
        user = make_user("mia")
        here, elsewhere = Client(), Client()
        for client in (here, elsewhere):
            client.force_login(user)
        here.post(reverse("account_change_password"), {"oldpassword": "mia", "password1": PASSWORD,
                                                       "password2": PASSWORD})
        assert [client.get(reverse("account")).status_code for client in (here, elsewhere)] == [200, 302]


class TestASession:
    def test_gets_a_new_key_at_sign_in(self) -> None:
        make_user("mia")
        client = Client()
        session = client.session
        session["before"] = "planted"
        session.save()
        before = session.session_key
        client.cookies[site_settings.SESSION_COOKIE_NAME] = before
        assert sign_in(client, "mia", "mia") == "in"
        after = client.cookies[site_settings.SESSION_COOKIE_NAME].value
        assert after != before
        assert "_auth_user_id" not in Client(headers={"Cookie": f"sessionid={before}"}).session

    def test_ends_on_the_server_at_sign_out(self) -> None:
        client = Client()
        client.force_login(make_user("mia"))
        stolen = client.cookies[site_settings.SESSION_COOKIE_NAME].value
        client.post(reverse("account_logout"))
        thief = Client()
        thief.cookies[site_settings.SESSION_COOKIE_NAME] = stolen
        assert thief.get(reverse("account")).status_code == 302

    def test_clears_the_browser_cache_at_sign_out(self) -> None:
        client = Client()
        client.force_login(make_user("mia"))
        assert client.get(reverse("account"))["Cache-Control"] == "private, no-store"
        assert "Clear-Site-Data" not in client.get(reverse("account"))
        assert client.post(reverse("account_logout"))["Clear-Site-Data"] == '"cache"'


class TestTheSecretKey:
    def test_is_changed_without_ending_sessions(self, settings: Any) -> None:
        """While web processes restart one after another, a session is signed with either key."""
        old, new, client = settings.SECRET_KEY, "new" * 20, Client()
        client.force_login(make_user("mia"))
        for key, others in ((old, [new]), (new, [old]), (new, [])):
            settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = key, others
            assert client.get(reverse("account")).status_code == 200
        settings.SECRET_KEY = "another" * 9
        assert client.get(reverse("account")).status_code == 302
