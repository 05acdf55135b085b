"""The second factor at sign-in: a code is accepted once, guessing is slow, and nothing gets around it."""

import re
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest
from allauth.account.models import EmailConfirmationHMAC
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from django.urls import reverse

from tests.factories import make_user
from tests.security.accounts.codes import SECRET, Clock, error, half_way, is_in, post, switched_on, use
from tests.tournaments.operations.test_coordinator import at_once
from tournaments.models import AuditEntry
from tournaments.services.accounts import second_factor as verbs
from tournaments.services.accounts.second_factor import SecondFactorRefused, WrongCode

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_counters")]


class TestACode:
    def test_matches_the_vectors_of_rfc_6238(self) -> None:
        """Appendix B, the last six of its eight digits, for the secret "12345678901234567890"."""
        vectors = {59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924",
                   2000000000: "279037", 20000000000: "353130"}
        assert {seconds: verbs.code_at("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
                                       verbs.step_of(datetime.fromtimestamp(seconds, UTC)))
                for seconds in vectors} == vectors

    def test_is_accepted_once_and_at_most_one_step_early_or_late(self, mia: User, clock: Clock) -> None:
        for off, accepted in ((-2, False), (-1, True), (0, True), (1, True), (2, False)):
            clock.step += 10
            code = verbs.code_at(SECRET, clock.step + off)
            if accepted:
                assert use(mia, code).type == "totp"
            for _ in range(3):
                with pytest.raises(WrongCode):
                    use(mia, code)
                clock.step += off in {-1, 0, 1}

    def test_is_refused_after_a_later_one(self, mia: User, clock: Clock) -> None:
        clock.step += 10
        use(mia, verbs.code_at(SECRET, clock.step + 1))
        for step in (clock.step - 1, clock.step, clock.step + 1):
            with pytest.raises(WrongCode):
                use(mia, verbs.code_at(SECRET, step))

    def test_is_used_up_by_switching_on(self, clock: Clock) -> None:
        for name, off in (("ann", -1), ("bob", 0), ("cyd", 1)):
            user, code = make_user(name), verbs.code_at(SECRET, clock.step + off)
            verbs.switch_on(user=user, secret=SECRET, code=code, password=name, now=datetime.now(UTC))
            with pytest.raises(WrongCode):
                use(user, code)

    def test_is_accepted_with_spaces(self, mia: User, clock: Clock) -> None:
        code = clock.next_code()
        assert use(mia, f" {code[:3]} {code[3:]}")

    def test_is_refused_if_malformed_wrong_or_of_another_users_app(self, mia: User, clock: Clock) -> None:
        ann, code = make_user("ann"), clock.next_code()
        for user, wrong in [(ann, code), *((mia, code) for code in (
                "", " ", "-", "000", "x" * 40, "٠١٢٣٤٥", "\ud800", "0000000000"))]:
            with pytest.raises(WrongCode):
                use(user, wrong)


class TestSigningIn:
    def test_asks_for_a_code_after_the_password_and_opens_the_requested_page(self, mia: User, clock: Clock) -> None:
        client = Client()
        post(client, "account_login", login="mia", password="mia", next=reverse("upload"))
        assert not is_in(client)
        assert post(client, "mfa_authenticate", code=clock.next_code())["Location"] == reverse("upload")
        assert is_in(client)

    def test_asks_no_code_of_a_user_without_second_factor(self, clock: Clock) -> None:
        make_user("ann")
        assert post(Client(), "account_login", login="ann", password="ann")["Location"] == reverse("account")

    def test_shows_why_a_code_was_refused(self, mia: User, clock: Clock) -> None:
        client, code = half_way(), clock.next_code()
        for wrong in (f"{(int(code) + 1) % 10**6:06}", verbs.code_at(SECRET, clock.step - 1)):
            assert error(post(client, "mfa_authenticate", code=wrong)).startswith("This code is wrong or was used")
        assert not is_in(client)

    def test_accepts_a_code_once(self, mia: User, clock: Clock) -> None:
        code = clock.next_code()
        first, second = half_way(), half_way()
        for client in (first, second):
            post(client, "mfa_authenticate", code=code)
        assert [is_in(first), is_in(second)] == [True, False]

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
            use(mia, code)
        assert verbs.second_factor_of(mia).codes_left == 0

    def test_opens_no_page_before_the_code(self, mia: User) -> None:
        client = half_way()
        for name in ("account", "upload", "notices", "second-factor"):
            assert client.get(reverse(name))["Location"].startswith(reverse("account_login")), name
        assert client.get("/api/me/").status_code == 401
        # The sign-in page redirects to the step in progress, unless another user asks to begin again.
        assert client.get(reverse("account_login"))["Location"] == reverse("mfa_authenticate")
        post(client, "account_logout", next=reverse("account_login"))
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
    def test_use_a_code_once(self, mia: User, clock: Clock) -> None:
        def accepted(code: str) -> bool:
            try:
                return bool(use(mia, code))
            except WrongCode:
                return False

        for code in (mia.codes[0], clock.next_code()):
            assert sorted(at_once(6, partial(accepted, code))) == [False] * 5 + [True]

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
        clients = [half_way(address=f"192.0.2.{number}") for number in range(6)]
        for number, client in enumerate(clients[:5]):
            assert "was used before" in error(post(client, "mfa_authenticate", f"192.0.2.{number}", code=clock.code()))
        answer = post(clients[5], "mfa_authenticate", "192.0.2.5", code=clock.next_code())
        assert error(answer).startswith("Too many wrong codes.")
        assert not is_in(clients[5])

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
