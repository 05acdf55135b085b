"""The second factor: when it is required, that a code is accepted once, and that it cannot be bypassed."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from allauth.account.models import EmailConfirmationHMAC
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import Permission, User
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.factories import make_user
from tests.security import surface
from tests.tournaments.operations.test_coordinator import at_once
from tournaments import settings as site_settings
from tournaments.models import AuditEntry, Delivery
from tournaments.platform.encryption import Unsealable, encrypt, reseal, unseal
from tournaments.selectors.shared.permissions import Forbidden
from tournaments.services.accounts import second_factor as verbs
from tournaments.services.accounts.second_factor import SecondFactorRefused, WrongCode
from tournaments.services.accounts.tokens import make_token
from tournaments.services.notices import mailing

SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
NEW_KEY = "new" * 20
pytestmark = pytest.mark.django_db


class Clock:
    """The 30-second steps that the verbs count; they advance only when the test says so."""

    def __init__(self) -> None:
        self.step = 59_000_000

    def code(self, secret: str = SECRET) -> str:
        """Return the code that the app shows now."""
        return verbs.code_at(secret, self.step)

    def next_code(self, secret: str = SECRET) -> str:
        """Return the code that the app shows half a minute later."""
        self.step += 1
        return self.code(secret)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    stopped = Clock()
    monkeypatch.setattr(verbs, "step_of", lambda now: stopped.step)
    return stopped


@pytest.fixture(autouse=True)
def _separate_counters(settings: Any, tmp_path: Any) -> None:
    """Count failures behind one proxy and in a cache of the test's own."""
    settings.CACHES = {**settings.CACHES, "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache",
                                                      "LOCATION": str(tmp_path)}}
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1


@pytest.fixture
def mia(clock: Clock) -> User:
    """Return a user with a second factor and a confirmed e-mail address."""
    user = make_user("mia")
    User.objects.filter(pk=user.pk).update(email="mia@example.org")
    user.emailaddress_set.create(email="mia@example.org", verified=True, primary=True)
    user.codes = switched_on(user, clock)
    return user


def switched_on(user: User, clock: Clock) -> list[str]:
    """Switch on the second factor, which uses up the current code, and return the recovery codes."""
    return verbs.switch_on(user=user, secret=SECRET, code=clock.code(), password=user.username, now=timezone.now())


def post(client: Client, name: str, address: str = "192.0.2.1", **fields: str) -> Any:
    return client.post(reverse(name), fields, headers={"X-Forwarded-For": address})


def half_way(name: str = "mia", password: str | None = None, **options: str) -> Client:
    """Return a browser that has sent the password and must now send a code."""
    client = Client()
    answer = post(client, "account_login", login=name, password=password or name, **options)
    assert answer["Location"] == reverse("mfa_authenticate"), answer.content.decode()
    return client


def is_in(client: Client) -> bool:
    return client.get(reverse("account")).status_code == 200


def error(answer: Any) -> str:
    """Return the errors shown next to the fields."""
    return " ".join(re.findall(r'class="errorlist"[^>]*><li>([^<]*)', answer.content.decode()))


class TestACode:
    @pytest.mark.parametrize(("seconds", "code"), [
        (59, "287082"), (1111111109, "081804"), (1111111111, "050471"), (1234567890, "005924"), (2000000000, "279037"),
        (20000000000, "353130")])
    def test_matches_the_vectors_of_rfc_6238(self, seconds: int, code: str) -> None:
        """Appendix B, the last six of its eight digits, for the secret "12345678901234567890"."""
        step = verbs.step_of(datetime.fromtimestamp(seconds, UTC))
        assert verbs.code_at("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", step) == code

    @pytest.mark.parametrize("off", [-1, 0, 1])
    def test_is_accepted_once_and_at_most_one_step_early_or_late(self, mia: User, clock: Clock, off: int) -> None:
        clock.step += 10
        given = {"user": mia, "code": verbs.code_at(SECRET, clock.step + off), "now": timezone.now()}
        assert verbs.use_code(**given).type == "totp"
        for _ in range(3):
            with pytest.raises(WrongCode):
                verbs.use_code(**given)
            clock.step += 1

    @pytest.mark.parametrize("off", [-2, 2])
    def test_is_refused_two_steps_early_or_late(self, mia: User, clock: Clock, off: int) -> None:
        clock.step += 10
        with pytest.raises(WrongCode):
            verbs.use_code(user=mia, code=verbs.code_at(SECRET, clock.step + off), now=timezone.now())

    def test_is_refused_after_a_later_one(self, mia: User, clock: Clock) -> None:
        clock.step += 10
        verbs.use_code(user=mia, code=verbs.code_at(SECRET, clock.step + 1), now=timezone.now())
        for step in (clock.step - 1, clock.step, clock.step + 1):
            with pytest.raises(WrongCode):
                verbs.use_code(user=mia, code=verbs.code_at(SECRET, step), now=timezone.now())

    @pytest.mark.parametrize("off", [-1, 0, 1])
    def test_is_used_up_by_switching_on(self, clock: Clock, off: int) -> None:
        user, code = make_user("ann"), verbs.code_at(SECRET, clock.step + off)
        verbs.switch_on(user=user, secret=SECRET, code=code, password="ann", now=timezone.now())
        with pytest.raises(WrongCode):
            verbs.use_code(user=user, code=code, now=timezone.now())

    def test_is_accepted_with_spaces(self, mia: User, clock: Clock) -> None:
        code = clock.next_code()
        assert verbs.use_code(user=mia, code=f" {code[:3]} {code[3:]}", now=timezone.now())

    @pytest.mark.parametrize("code", ["", " ", "-", "000", "x" * 40, "٠١٢٣٤٥", "\ud800", "0000000000"])
    def test_is_refused_if_malformed_or_wrong(self, mia: User, code: str) -> None:
        with pytest.raises(WrongCode):
            verbs.use_code(user=mia, code=code, now=timezone.now())

    def test_of_another_users_app_is_refused(self, mia: User, clock: Clock) -> None:
        with pytest.raises(WrongCode):
            verbs.use_code(user=make_user("ann"), code=clock.next_code(), now=timezone.now())


class TestSigningIn:
    def test_asks_for_a_code_after_the_password(self, mia: User, clock: Clock) -> None:
        client = half_way()
        assert not is_in(client)
        answer = post(client, "mfa_authenticate", code=clock.next_code())
        assert answer["Location"] == reverse("account")
        assert is_in(client)

    def test_asks_no_code_of_a_user_without_second_factor(self, clock: Clock) -> None:
        make_user("ann")
        client = Client()
        assert post(client, "account_login", login="ann", password="ann")["Location"] == reverse("account")

    def test_redirects_to_the_requested_page(self, mia: User, clock: Clock) -> None:
        client = Client()
        post(client, "account_login", login="mia", password="mia", next=reverse("upload"))
        assert post(client, "mfa_authenticate", code=clock.next_code())["Location"] == reverse("upload")

    def test_shows_why_a_code_was_refused(self, mia: User, clock: Clock) -> None:
        client = half_way()
        right = clock.next_code()
        wrong = f"{(int(right) + 1) % 10**6:06}"
        assert error(post(client, "mfa_authenticate", code=wrong)).startswith("This code is wrong or was used before")
        assert not is_in(client)

    def test_accepts_a_code_once(self, mia: User, clock: Clock) -> None:
        code = clock.next_code()
        first, second = half_way(), half_way()
        assert post(first, "mfa_authenticate", code=code).status_code == 302
        assert "was used before" in error(post(second, "mfa_authenticate", code=code))
        assert not is_in(second)

    def test_refuses_the_code_that_switched_it_on(self, mia: User, clock: Clock) -> None:
        client = half_way()
        assert "was used before" in error(post(client, "mfa_authenticate", code=clock.code()))

    def test_accepts_a_recovery_code_once_and_sends_a_mail(self, mia: User) -> None:
        for client, taken in ((half_way(), True), (half_way(), False)):
            post(client, "mfa_authenticate", code=mia.codes[3].upper())
            assert is_in(client) is taken
        assert [sent.to for sent in mail.outbox] == [["mia@example.org"]]
        assert "9 of your recovery codes are left" in mail.outbox[0].body
        assert AuditEntry.objects.latest("pk").verb == "use a recovery code of"

    def test_accepts_every_recovery_code(self, mia: User) -> None:
        assert len(set(mia.codes)) == verbs.RECOVERY_CODES
        for code in mia.codes:
            verbs.use_code(user=mia, code=code, now=timezone.now())
        assert verbs.second_factor_of(mia).codes_left == 0

    def test_opens_no_page_before_the_code(self, mia: User) -> None:
        client = half_way()
        for name in ("account", "upload", "notices", "second-factor"):
            assert client.get(reverse(name))["Location"].startswith(reverse("account_login")), name
        assert client.get("/api/me/").status_code == 401
        # The sign-in page redirects to the step in progress.
        assert client.get(reverse("account_login"))["Location"] == reverse("mfa_authenticate")

    def test_can_be_restarted_by_another_user(self, mia: User) -> None:
        make_user("ann")
        client = half_way()
        assert post(client, "account_logout", next=reverse("account_login"))["Location"] == reverse("account_login")
        assert client.get(reverse("account_login")).status_code == 200

    def test_asks_for_no_code_without_a_password(self, mia: User) -> None:
        client = Client()
        for answer in (client.get(reverse("mfa_authenticate")), post(client, "mfa_authenticate", code=mia.codes[0])):
            assert answer["Location"] == reverse("account_login")
        assert verbs.second_factor_of(mia).codes_left == verbs.RECOVERY_CODES

    def test_expires_between_password_and_code(self, mia: User, clock: Clock, settings: Any) -> None:
        client = half_way()
        settings.ACCOUNT_LOGIN_TIMEOUT = -1
        assert post(client, "mfa_authenticate", code=clock.next_code())["Location"] == reverse("account_login")


@pytest.mark.needs_servers
@pytest.mark.serial
@pytest.mark.django_db(transaction=True)
class TestConcurrentRequests:
    @pytest.mark.parametrize("recovery", [False, True])
    def test_use_a_code_once(self, mia: User, clock: Clock, recovery: bool) -> None:
        code = mia.codes[0] if recovery else clock.next_code()

        def use() -> bool:
            try:
                return bool(verbs.use_code(user=mia, code=code, now=timezone.now()))
            except WrongCode:
                return False

        assert sorted(at_once(6, use)) == [False] * 5 + [True]

    def test_switch_it_on_once(self, clock: Clock) -> None:
        make_user("ann")

        def switch_on() -> bool:
            try:
                return bool(switched_on(User.objects.get(username="ann"), clock))
            except SecondFactorRefused:
                return False

        assert sorted(at_once(4, switch_on)) == [False] * 3 + [True]


class TestGuessing:
    def test_is_throttled_after_five_codes_from_any_address(self, mia: User, clock: Clock) -> None:
        clients = [half_way(address=f"192.0.2.{number}") for number in range(7)]
        for number, client in enumerate(clients[:5]):
            assert "was used before" in error(post(client, "mfa_authenticate", f"192.0.2.{number}", code=clock.code()))
        for number, client in enumerate(clients[5:], 5):
            answer = post(client, "mfa_authenticate", f"192.0.2.{number}", code=clock.next_code())
            assert error(answer).startswith("Too many wrong codes.")
            assert not is_in(client)

    def test_counts_together_with_wrong_passwords_from_an_address(self, mia: User, clock: Clock) -> None:
        client = half_way()
        for number in range(10):
            post(Client(), "account_login", login=f"nobody{number}", password="guess")
        assert error(post(client, "mfa_authenticate", code=clock.next_code())).startswith("Too many wrong codes.")

    def test_is_not_excused_by_a_correct_code_for_another_account(self, mia: User, clock: Clock) -> None:
        for number in range(9):
            post(Client(), "account_login", login=f"nobody{number}", password="guess")
        client = half_way()
        post(client, "mfa_authenticate", code=clock.next_code())
        assert is_in(client)
        last, more = (post(Client(), "account_login", login=f"nobody{number}", password="guess") for number in (9, 10))
        assert "Too many" not in last.content.decode()
        assert "Too many" in more.content.decode()


class TestBypassing:
    def test_fails_with_a_password_reset(self, mia: User) -> None:
        client = Client()
        post(client, "account_reset_password", email="mia@example.org")
        form = client.get(re.search(r"http://\S+", mail.outbox[-1].body)[0], follow=True)
        client.post(form.request["PATH_INFO"], {"password1": "correct horse 42", "password2": "correct horse 42"})
        assert not is_in(client)
        assert not is_in(half_way(password="correct horse 42"))

    def test_fails_at_the_sign_in_of_the_admin(self, clock: Clock) -> None:
        switched_on(make_user("organiser", staff=True), clock)
        assert Client().get(reverse("admin:login"))["Location"].startswith(reverse("account_login"))
        client = half_way("organiser", "organiser")
        assert client.get(reverse("admin:index")).status_code == 302
        post(client, "mfa_authenticate", code=clock.next_code())
        assert client.get(reverse("admin:index")).status_code == 200

    def test_fails_with_a_confirmed_address(self, mia: User) -> None:
        client = half_way()
        unconfirmed = mia.emailaddress_set.create(email="mia@example.com")
        client.post(reverse("account_confirm_email", args=[EmailConfirmationHMAC(unconfirmed).key]))
        assert not is_in(client)


class TestSwitchingOn:
    @pytest.fixture
    def here(self, clock: Clock) -> Client:
        client = Client()
        client.force_login(make_user("ann"))
        return client

    @staticmethod
    def secret_on(page: Any) -> str:
        return re.search(r"<code>([A-Z2-7 ]+)</code>", page.content.decode())[1].replace(" ", "")

    def test_shows_the_same_secret_each_time_as_picture_and_text(self, here: Client) -> None:
        page = here.get(reverse("second-factor"))
        secret = self.secret_on(page)
        assert len(secret) == 32
        assert f"otpauth://totp/ann?secret={secret}&amp;issuer=Squarefield" in page.content.decode()
        assert re.search(r'<figure class="qr">\s*<svg', page.content.decode())
        assert page["Cache-Control"] == "private, no-store"
        assert self.secret_on(here.get(reverse("second-factor"))) == secret
        assert self.secret_on(post(here, "second-factor", password="ann", code="000")) == secret

    def test_shows_a_readable_picture_for_any_user_name(self, clock: Clock) -> None:
        client = Client()
        client.force_login(make_user("ü" * 150))
        page = client.get(reverse("second-factor")).content.decode()
        assert int(re.search(r'class="qr">\s*<svg viewBox="0 0 (\d+)', page)[1]) <= 85

    def test_requires_password_and_code_and_shows_recovery_codes_once(self, here: Client, clock: Clock) -> None:
        secret = self.secret_on(here.get(reverse("second-factor")))
        answer = post(here, "second-factor", password="ann", code=clock.code(secret))
        assert (answer.status_code, answer["Cache-Control"]) == (201, "private, no-store")
        codes = re.findall(r"<li>(\w{5}-\w{5})</li>", answer.content.decode())
        assert len(codes) == verbs.RECOVERY_CODES
        assert "%0A".join([*codes, '"']) in answer.content.decode()
        assert is_in(here)
        for name in ("second-factor", "account"):
            page = here.get(reverse(name)).content.decode()
            assert "10 recovery codes left" in page
            assert not any(code in page for code in [*codes, secret])
        assert verbs.use_code(user=make_user("ann"), code=codes[0], now=timezone.now())

    @pytest.mark.parametrize(("password", "shown"), [("guess", True), ("ann", False)])
    def test_is_refused_without_either_of_them(self, here: Client, clock: Clock, password: str, shown: bool) -> None:
        secret = self.secret_on(here.get(reverse("second-factor")))
        code = clock.code(secret) if shown else f"{(int(clock.code(secret)) + 1) % 10**6:06}"
        answer = post(here, "second-factor", password=password, code=code)
        assert answer.status_code == 400
        assert error(answer)
        assert not Authenticator.objects.exists()

    def test_ends_the_sessions_opened_without_it(self, here: Client, clock: Clock) -> None:
        elsewhere = Client()
        elsewhere.force_login(make_user("ann"))
        secret = self.secret_on(here.get(reverse("second-factor")))
        post(here, "second-factor", password="ann", code=clock.code(secret))
        assert [is_in(client) for client in (here, elsewhere)] == [True, False]

    def test_sends_a_mail_and_writes_to_the_audit_log(self, here: Client, clock: Clock) -> None:
        make_user("ann").emailaddress_set.create(email="ann@example.org", verified=True, primary=True)
        secret = self.secret_on(here.get(reverse("second-factor"), headers={"Accept-Language": "de"}))
        here.post(reverse("second-factor"), {"password": "ann", "code": clock.code(secret)},
                  headers={"X-Forwarded-For": "192.0.2.1", "Accept-Language": "de"})
        [sent] = mail.outbox
        assert sent.subject == "[Squarefield] Your second factor is on"
        assert "From now on, you need a code as well as your password to sign in." in sent.body
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
        client = Client()
        client.force_login(mia)
        return client

    @pytest.mark.parametrize(("name", "prefix"), [("second-factor-off", "off"), ("second-factor-codes", "codes")])
    def test_requires_password_and_code_even_in_a_fresh_session(
            self, here: Client, mia: User, clock: Clock, name: str, prefix: str) -> None:
        hashes = Authenticator.objects.get(type="recovery_codes").data
        for password, code in (("", clock.next_code()), ("guess", clock.next_code()), ("mia", ""),
                               ("mia", verbs.code_at(SECRET, clock.step - 3))):
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
            verbs.use_code(user=mia, code=mia.codes[0], now=timezone.now())
        assert verbs.use_code(user=mia, code=new[0], now=timezone.now())
        assert mail.outbox[0].subject == "[Squarefield] You have new recovery codes"

    def test_to_off_accepts_a_recovery_code(self, here: Client, mia: User) -> None:
        elsewhere = Client()
        elsewhere.force_login(mia)
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
        assert SECRET not in rows
        for code in mia.codes:
            assert code not in rows
            assert code.replace("-", "") not in rows

    def test_encrypts_an_offered_secret_in_the_session(self) -> None:
        client = Client()
        client.force_login(make_user("ann"))
        secret = TestSwitchingOn.secret_on(client.get(reverse("second-factor")))
        assert secret not in str(dict(client.session.items()))

    def test_hashes_recovery_codes_like_passwords(self, mia: User, settings: Any) -> None:
        settings.PASSWORD_HASHERS = site_settings.PASSWORD_HASHERS
        verbs.renew_codes(user=mia, now=timezone.now())
        assert all(each.startswith("argon2$argon2id$")
                   for each in Authenticator.objects.get(type="recovery_codes").data["hashes"])


class TestEncryption:
    def test_differs_each_time_and_decrypts(self) -> None:
        assert encrypt("words") != encrypt("words")
        assert unseal(encrypt("words")) == "words"

    @pytest.mark.parametrize("change", [lambda text: text[:-4], lambda text: "", lambda text: text.swapcase(),
                                       lambda text: "ü"])
    def test_rejects_changed_texts(self, change: Callable[[str], str]) -> None:
        with pytest.raises(Unsealable):
            unseal(change(encrypt("words")))

    def test_uses_the_newest_key_and_decrypts_with_older_ones(self, settings: Any) -> None:
        old, sealed = settings.SECRET_KEY, encrypt("words")
        settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = NEW_KEY, [old]
        assert unseal(sealed) == "words"
        resealed = reseal(sealed)
        settings.SECRET_KEY_FALLBACKS = []
        assert unseal(resealed) == "words"
        with pytest.raises(Unsealable):
            unseal(sealed)


class TestANewSecretKey:
    def test_replaces_the_old_one_after_resealing_without_interruption(
            self, mia: User, clock: Clock, settings: Any, capsys: Any) -> None:
        settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = NEW_KEY, [settings.SECRET_KEY]
        assert verbs.use_code(user=mia, code=clock.next_code(), now=timezone.now())
        for _ in range(2):
            call_command("reseal")
        assert capsys.readouterr().out == "1 encrypted with the newest key.\n" * 2
        settings.SECRET_KEY_FALLBACKS = []
        # A used code stays used.
        with pytest.raises(WrongCode):
            verbs.use_code(user=mia, code=clock.code(), now=timezone.now())
        assert verbs.use_code(user=mia, code=clock.next_code(), now=timezone.now())

    def test_without_resealing_leaves_only_the_recovery_codes(
            self, mia: User, clock: Clock, settings: Any, caplog: Any) -> None:
        settings.SECRET_KEY = NEW_KEY
        with pytest.raises(WrongCode):
            verbs.use_code(user=mia, code=clock.next_code(), now=timezone.now())
        assert "not decrypted" in caplog.text
        with pytest.raises(CommandError, match="No key decrypts the secrets of mia"):
            call_command("reseal")
        assert verbs.use_code(user=mia, code=mia.codes[0], now=timezone.now())


class TestRemovalByStaff:
    @pytest.fixture
    def staff(self, clock: Clock) -> Client:
        client = Client()
        client.force_login(make_user("organiser", staff=True))
        return client

    @staticmethod
    def take(client: Client, user: User) -> Any:
        rows = Authenticator.objects.filter(user=user).values_list("pk", flat=True)
        return client.post(reverse("admin:mfa_authenticator_changelist"), {
            "action": "take_away", "_selected_action": list(rows)}, follow=True)

    def test_is_done_in_the_admin_with_audit_entry_and_mail(self, staff: Client, mia: User) -> None:
        self.take(staff, mia)
        assert not Authenticator.objects.exists()
        entry = AuditEntry.objects.latest("pk")
        assert (entry.actor.username, entry.verb, entry.name) == ("organiser", "take away the second factor of", "mia")
        notice = Delivery.objects.get()
        assert (notice.user, notice.channel, notice.kind) == (mia, "mail", "second_factor.taken")

    def test_sends_a_plain_mail(self, mia: User) -> None:
        subject, body = mailing.text("second_factor.taken", {})
        assert subject == "[Squarefield] Your second factor was removed"
        assert "/account/second-factor/" in body

    def test_requires_the_permission(self, mia: User) -> None:
        looker = make_user("looker")
        User.objects.filter(pk=looker.pk).update(is_staff=True)
        looker.user_permissions.set(Permission.objects.filter(codename="view_authenticator"))
        client = Client()
        client.force_login(looker)
        assert client.get(reverse("admin:mfa_authenticator_changelist")).status_code == 200
        self.take(client, mia)
        assert verbs.is_on(mia)

    def test_from_a_superuser_requires_a_superuser(self, clock: Clock) -> None:
        boss, helper = make_user("organiser", staff=True), make_user("helper")
        switched_on(boss, clock)
        with pytest.raises(Forbidden):
            verbs.take_away(user=boss, actor=helper, now=timezone.now())
        assert verbs.is_on(boss)

    def test_shows_staff_no_secret(self, staff: Client, mia: User) -> None:
        for row in Authenticator.objects.all():
            page = staff.get(reverse("admin:mfa_authenticator_change", args=[row.pk])).content.decode()
            assert not re.search(r"secret|hashes|gAAAA|md5\$", page)

    def test_is_done_by_command_for_the_only_organiser(self, clock: Clock, capsys: Any) -> None:
        boss = make_user("organiser", staff=True)
        switched_on(boss, clock)
        call_command("take_second_factor", "organiser")
        assert not verbs.is_on(boss)
        assert AuditEntry.objects.latest("pk").actor is None
        with pytest.raises(CommandError, match="organiser has no second factor"):
            call_command("take_second_factor", "organiser")


class TestTheStaffRequirement:
    @pytest.fixture(autouse=True)
    def _required(self, settings: Any, clock: Clock) -> None:
        settings.STAFF_SECOND_FACTOR = True

    @pytest.fixture
    def staff(self) -> Client:
        client = Client()
        client.force_login(make_user("organiser", staff=True))
        return client

    @pytest.mark.parametrize("address", ["/admin/", "/admin/auth/user/", "/", "/account/", "/account/tokens/",
                                         "/metrics", "/ladders/", "/upload/"])
    def test_redirects_to_the_second_factor_page_with_a_reason(self, staff: Client, address: str) -> None:
        for answer in (staff.get(address), staff.post(address)):
            assert answer["Location"] == reverse("second-factor")
        assert "requires a second factor for its staff" in staff.get(reverse("second-factor")).content.decode()

    def test_applies_to_all_but_four_pages(self, staff: Client) -> None:
        open_ones = {way for way in (*surface.pages(), *surface.admin_pages()) if "{" not in way
                     and staff.get(way).headers.get("Location") != reverse("second-factor")}
        assert open_ones == {"/account/second-factor/", "/account/password/change/", "/language/", "/account/logout/"}

    def test_refuses_api_calls_by_session_with_a_reason(self, staff: Client) -> None:
        for answer in (staff.get("/api/me/"), staff.post("/api/teams/", {"name": "Ants"})):
            assert (answer.status_code, answer["Content-Type"]) == (403, "application/problem+json")
            assert "requires a second factor for its staff" in answer.json()["detail"]

    def test_does_not_apply_to_tokens(self, clock: Clock) -> None:
        _, text = make_token(user=make_user("organiser", staff=True), name="script", now=timezone.now())
        answer = Client().get("/api/me/", headers={"Authorization": f"Token {text}"})
        assert (answer.status_code, answer.json()["username"]) == (200, "organiser")

    def test_lets_staff_sign_out(self, staff: Client) -> None:
        staff.post(reverse("account_logout"))
        assert staff.get(reverse("account_login")).status_code == 200

    def test_is_met_once_it_is_on(self, staff: Client, clock: Clock) -> None:
        secret = TestSwitchingOn.secret_on(staff.get(reverse("second-factor")))
        post(staff, "second-factor", password="organiser", code=clock.code(secret))
        assert staff.get("/admin/").status_code == 200

    def test_does_not_apply_to_authors_or_visitors(self) -> None:
        client = Client()
        client.force_login(make_user("ann"))
        assert is_in(client)
        assert Client().get("/ladders/").status_code == 200

    def test_causes_no_redirect_loop_after_a_session_ends(self, staff: Client) -> None:
        user = make_user("organiser")
        user.set_password("another")
        user.save()
        assert staff.get("/admin/", follow=True).redirect_chain[-1][0].startswith(reverse("account_login"))

    def test_is_off_by_default(self, staff: Client, settings: Any) -> None:
        assert site_settings.STAFF_SECOND_FACTOR is False
        settings.STAFF_SECOND_FACTOR = False
        assert staff.get("/admin/").status_code == 200
