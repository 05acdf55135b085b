"""The second factor is switched on, changed and switched off with the password and a code."""

import re
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.factories import make_user
from tests.security.accounts.codes import (
    SECRET,
    Clock,
    error,
    is_in,
    post,
    secret_on,
    signed_in,
    switched_on,
    use,
)
from tournaments import settings as site_settings
from tournaments.models import AuditEntry
from tournaments.services.accounts import second_factor as verbs
from tournaments.services.accounts.second_factor import SecondFactorRefused, WrongCode

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_counters")]


class TestSwitchingOn:
    @pytest.fixture
    def here(self, clock: Clock) -> Client:
        return signed_in(make_user("ann"))

    def test_shows_the_same_secret_each_time_as_picture_and_text(self, here: Client) -> None:
        page = here.get(reverse("second-factor"))
        secret = secret_on(page)
        assert len(secret) == 32
        assert f"otpauth://totp/ann?secret={secret}&amp;issuer=Squarefield" in page.content.decode()
        assert re.search(r'<figure class="qr">\s*<svg', page.content.decode())
        assert page["Cache-Control"] == "private, no-store"
        assert secret_on(here.get(reverse("second-factor"))) == secret
        assert secret_on(post(here, "second-factor", password="ann", code="000")) == secret

    def test_shows_a_readable_picture_for_any_user_name(self, clock: Clock) -> None:
        page = signed_in(make_user("ü" * 150)).get(reverse("second-factor")).content.decode()
        assert int(re.search(r'class="qr">\s*<svg viewBox="0 0 (\d+)', page)[1]) <= 85

    def test_requires_password_and_code_shows_recovery_codes_once_and_ends_other_sessions(
            self, here: Client, clock: Clock) -> None:
        elsewhere, secret = signed_in(make_user("ann")), secret_on(here.get(reverse("second-factor")))
        answer = post(here, "second-factor", password="ann", code=clock.code(secret))
        assert (answer.status_code, answer["Cache-Control"]) == (201, "private, no-store")
        codes = re.findall(r"<li>(\w{5}-\w{5})</li>", answer.content.decode())
        assert len(codes) == verbs.RECOVERY_CODES
        assert "%0A".join([*codes, '"']) in answer.content.decode()
        assert [is_in(client) for client in (here, elsewhere)] == [True, False]
        for name in ("second-factor", "account"):
            page = here.get(reverse(name)).content.decode()
            assert "10 recovery codes left" in page
            assert not any(code in page for code in [*codes, secret])
        assert use(make_user("ann"), codes[0])

    def test_is_refused_without_either_of_them(self, here: Client, clock: Clock) -> None:
        code = clock.code(secret_on(here.get(reverse("second-factor"))))
        for password, given in (("guess", code), ("ann", f"{(int(code) + 1) % 10**6:06}")):
            answer = post(here, "second-factor", password=password, code=given)
            assert answer.status_code == 400
            assert error(answer)
        assert not Authenticator.objects.exists()

    def test_sends_a_mail_and_writes_to_the_audit_log(self, here: Client, clock: Clock) -> None:
        make_user("ann").emailaddress_set.create(email="ann@example.org", verified=True, primary=True)
        secret = secret_on(here.get(reverse("second-factor"), headers={"Accept-Language": "de"}))
        here.post(reverse("second-factor"), {"password": "ann", "code": clock.code(secret)},
                  headers={"X-Forwarded-For": "192.0.2.1", "Accept-Language": "de"})
        [sent] = mail.outbox
        assert sent.subject == "[Squarefield] Your second factor is on"
        entry = AuditEntry.objects.get()
        assert (entry.actor.username, entry.verb, entry.kind, entry.name) == (
            "ann", "switch on the second factor of", "user", "ann")

    def test_is_refused_the_second_time(self, mia: User, clock: Clock) -> None:
        with pytest.raises(SecondFactorRefused, match="already on"):
            switched_on(mia, clock)

    def test_requires_a_signed_in_user(self) -> None:
        for name in ("second-factor", "second-factor-codes", "second-factor-off"):
            assert Client().post(reverse(name))["Location"].startswith(reverse("account_login"))


class TestChanging:
    @pytest.fixture
    def here(self, mia: User) -> Client:
        return signed_in(mia)

    def test_requires_password_and_code_even_in_a_fresh_session(self, here: Client, mia: User, clock: Clock) -> None:
        hashes = Authenticator.objects.get(type="recovery_codes").data
        for name, prefix in (("second-factor-off", "off"), ("second-factor-codes", "codes")):
            for password, code in (("guess", clock.next_code()), ("mia", ""), ("mia", clock.code())):
                # The last code is right, but for another step.
                clock.step += 3
                answer = post(here, name, **{f"{prefix}-password": password, f"{prefix}-code": code})
                assert answer.status_code == 400
                assert error(answer)
        assert Authenticator.objects.get(type="recovery_codes").data == hashes
        assert verbs.is_on(mia)

    def test_the_recovery_codes_invalidates_the_old_ones(self, here: Client, mia: User, clock: Clock) -> None:
        answer = post(here, "second-factor-codes", **{"codes-password": "mia", "codes-code": clock.next_code()})
        assert answer.status_code == 201
        new = re.findall(r"<li>(\w{5}-\w{5})</li>", answer.content.decode())
        with pytest.raises(WrongCode):
            use(mia, mia.codes[0])
        assert use(mia, new[0])
        assert mail.outbox[0].subject == "[Squarefield] You have new recovery codes"

    def test_to_off_accepts_a_recovery_code(self, here: Client, mia: User) -> None:
        elsewhere = signed_in(mia)
        post(here, "second-factor-off", **{"off-password": "mia", "off-code": mia.codes[0]})
        assert not Authenticator.objects.exists()
        assert [is_in(client) for client in (here, elsewhere)] == [True, False]
        assert post(Client(), "account_login", login="mia", password="mia")["Location"] == reverse("account")
        assert mail.outbox[0].subject == "[Squarefield] Your second factor is off"
        assert AuditEntry.objects.latest("pk").verb == "switch off the second factor of"

    def test_is_refused_while_it_is_off(self, here: Client, mia: User) -> None:
        Authenticator.objects.all().delete()
        answer = post(here, "second-factor-off", **{"off-password": "mia", "off-code": mia.codes[0]})
        assert answer.status_code == 400
        with pytest.raises(SecondFactorRefused):
            verbs.renew_codes(user=mia, now=timezone.now())

    def test_the_address_remains_possible(self, here: Client, mia: User) -> None:
        post(here, "account_reauthenticate", password="mia")
        post(here, "account_email", email="mia@example.com", action_add="")
        assert mia.emailaddress_set.filter(email="mia@example.com").exists()


class TestStorage:
    def test_contains_no_secret_in_plain_text(self, mia: User) -> None:
        rows = str(list(Authenticator.objects.values_list("data", flat=True)))
        for secret in (SECRET, *mia.codes):
            assert secret not in rows
            assert secret.replace("-", "") not in rows

    def test_encrypts_an_offered_secret_in_the_session(self) -> None:
        client = signed_in(make_user("ann"))
        assert secret_on(client.get(reverse("second-factor"))) not in str(dict(client.session.items()))

    def test_hashes_recovery_codes_like_passwords(
            self, mia: User, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        settings.PASSWORD_HASHERS = site_settings.PASSWORD_HASHERS
        monkeypatch.setattr(verbs, "RECOVERY_CODES", 1)
        verbs.renew_codes(user=mia, now=timezone.now())
        assert Authenticator.objects.get(type="recovery_codes").data["hashes"][0].startswith("argon2$argon2id$")
