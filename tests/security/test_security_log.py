"""The security log: its events, with user and address, and the absence of secrets from every log line."""

import io
import json
import logging
import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
import structlog
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models import F
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from rest_framework.test import APIClient

from tests.factories import make_user, make_version
from tests.tournaments.conftest import make_archive
from tournaments.operations import security_log
from tournaments.platform.logs import logging_for
from tournaments.services.accounts import second_factor
from tournaments.services.accounts.bans import ban, lift
from tournaments.services.accounts.teams import found_team
from tournaments.services.accounts.tokens import make_token, revoke_token
from tournaments.services.notices.webhooks import create_webhook

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_counters")]
PASSWORD = "correct horse 42"
ADDRESS = "192.0.2.7"
SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
Said = Callable[[], list[dict[str, Any]]]


class Log:
    """The lines logged during this test, in one of the site's formats."""

    def __init__(self, line_format: str) -> None:
        self._lines = io.StringIO()
        options = logging_for(line_format, "INFO")["formatters"]["line"]
        self.handler = logging.StreamHandler(self._lines)
        self.handler.setFormatter(structlog.stdlib.ProcessorFormatter(
            **{name: value for name, value in options.items() if name != "()"}))

    @property
    def text(self) -> str:
        return self._lines.getvalue()

    def security_lines(self) -> list[dict[str, Any]]:
        """Return the lines of the security log since the last call."""
        lines = [json.loads(line) for line in self.text.splitlines()]
        self._lines.seek(0)
        self._lines.truncate()
        return [line for line in lines if line["logger"] == "squarefield.security"]

    def events(self) -> list[str]:
        return [line["event"] for line in self.security_lines()]


def _recorded(line_format: str) -> Iterator[Log]:
    log = Log(line_format)
    logging.getLogger().addHandler(log.handler)
    yield log
    logging.getLogger().removeHandler(log.handler)


@pytest.fixture
def log() -> Iterator[Log]:
    yield from _recorded("json")


@pytest.fixture
def console() -> Iterator[Log]:
    yield from _recorded("console")


@pytest.fixture
def visitor() -> Client:
    return Client(headers={"X-Forwarded-For": f"198.51.100.1, {ADDRESS}"}, raise_request_exception=False)


@pytest.fixture
def mia(visitor: Client) -> User:
    """Return Mia, signed in."""
    user = make_user("mia")
    visitor.force_login(user)
    return user


def with_second_factor(user: User) -> list[str]:
    """Switch on the second factor and return the recovery codes."""
    now = timezone.now()
    code = second_factor.code_at(SECRET, second_factor.step_of(now))
    return second_factor.switch_on(user=user, secret=SECRET, code=code, password=user.username, now=now)


def signed_in_by_code() -> set[str]:
    """Sign in another user with a wrong and then a correct code; return the secrets that were used."""
    codes, visitor = with_second_factor(make_user("olga")), Client()
    sign_in(visitor, "olga", "olga")
    for code in ("bbbbb-bbbbb", codes[0]):
        visitor.post(reverse("mfa_authenticate"), {"code": code})
    assert visitor.get(reverse("account")).status_code == 200
    return {SECRET, "bbbbb-bbbbb", *codes}


def sign_in(visitor: Client, name: str, password: str) -> Any:
    return visitor.post(reverse("account_login"), {"login": name, "password": password})


class TestALine:
    def test_contains_event_user_address_and_request(self, log: Log, visitor: Client) -> None:
        user = make_user("mia")
        answer = sign_in(visitor, "mia", "mia")
        [line] = log.security_lines()
        assert line.pop("timestamp").endswith("Z")
        assert line == {
            "event": "signed in", "level": "info", "logger": "squarefield.security", "user": user.pk, "name": "mia",
            "by": "password", "address": ADDRESS, "method": "POST", "view": "account_login",
            "request": answer["X-Request-ID"]}

    def test_is_written_at_every_log_level(self) -> None:
        assert logging_for("json", "ERROR")["loggers"]["squarefield.security"]["level"] == "INFO"

    def test_escapes_a_hostile_name(self, console: Log, visitor: Client) -> None:
        User.objects.create_user("mia\n2026 INFO squarefield.security signed in user=1 \x1b[2J\u202e", password="p")
        visitor.force_login(User.objects.get())
        [line] = console.text.splitlines()
        assert r'name="mia\\n2026 INFO squarefield.security signed in user=1 \\x1b[2J\\u202e"' in line

    def test_without_a_request_has_no_request_fields(self, log: Log) -> None:
        security_log.tell("tried", reason="nothing")
        [line] = log.security_lines()
        assert {"address", "user", "view"}.isdisjoint(line)


class TestSigningIn:
    def test_that_fails_logs_an_existing_account_but_never_the_typed_name(self, log: Log,
                                                                                 visitor: Client) -> None:
        user = make_user("mia")
        for name in ("mia", "MIA"):
            sign_in(visitor, name, "wrong")
        sign_in(visitor, PASSWORD, "mia")
        assert [(line["event"], line.get("user")) for line in log.security_lines()] == [
            ("sign-in failed", user.pk), ("sign-in failed", user.pk), ("sign-in failed", None)]

    def test_that_is_throttled_is_logged_as_such(self, log: Log, visitor: Client) -> None:
        make_user("mia")
        for _ in range(6):
            sign_in(visitor, "mia", "wrong")
        assert log.events() == ["sign-in failed"] * 5 + ["sign-in throttled"]

    def test_again_and_signing_out_are_logged(self, log: Log, visitor: Client, mia: User) -> None:
        log.security_lines()
        visitor.post(reverse("account_reauthenticate"), {"password": "wrong"})
        visitor.post(reverse("account_reauthenticate"), {"password": "mia"})
        visitor.post(reverse("account_logout"))
        lines = log.security_lines()
        assert [line["event"] for line in lines] == ["sign-in failed", "authenticated again", "signed out"]
        assert {line["user"] for line in lines} == {mia.pk}

    def test_with_a_second_factor_logs_failure_and_success(
            self, log: Log, visitor: Client, django_capture_on_commit_callbacks: Any) -> None:
        user = make_user("mia")
        with django_capture_on_commit_callbacks(execute=True):
            codes = with_second_factor(user)
            sign_in(visitor, "mia", "mia")
            for code in ("aaaaa-aaaaa", codes[0]):
                visitor.post(reverse("mfa_authenticate"), {"code": code})
        lines = log.security_lines()
        assert [line["event"] for line in lines] == [
            "second factor failed", "signed in", "switch on the second factor of user",
            "use a recovery code of user"]
        assert {line["user"] for line in lines} == {user.pk}
        assert lines[1]["by"] == "password+mfa"

    def test_logs_the_end_of_an_idle_staff_session(self, log: Log, visitor: Client) -> None:
        visitor.force_login(make_user("organiser", staff=True))
        log.security_lines()
        Session.objects.update(expire_date=F("expire_date") - timedelta(hours=13))
        visitor.get(reverse("account"))
        [line] = log.security_lines()
        assert (line["event"], line["reason"], line["name"]) == ("session ended", "idle", "organiser")


class TestAnAccount:
    def test_is_logged_when_created(self, log: Log, visitor: Client) -> None:
        visitor.post(reverse("account_signup"), {"username": "otto", "password1": PASSWORD, "password2": PASSWORD})
        assert log.events() == ["signed up", "signed in"]

    def test_is_logged_when_its_password_changes(self, log: Log, visitor: Client, mia: User) -> None:
        log.security_lines()
        visitor.post(reverse("account_change_password"), {"oldpassword": "mia", "password1": PASSWORD,
                                                          "password2": PASSWORD})
        [line] = log.security_lines()
        assert (line["event"], line["user"]) == ("password changed", mia.pk)

    def test_is_logged_when_a_password_reset_is_requested_and_done(
            self, log: Log, visitor: Client) -> None:
        user = make_user("mia")
        user.emailaddress_set.create(email="mia@example.org", verified=True, primary=True)
        for address in ("mia@example.org", "nobody@example.org"):
            visitor.post(reverse("account_reset_password"), {"email": address})
        link = re.search(r"http://\S+", mail.outbox[0].body)[0]
        form = visitor.get(link, follow=True)
        visitor.post(form.request["PATH_INFO"], {"password1": PASSWORD, "password2": PASSWORD})
        assert [(line["event"], line.get("user")) for line in log.security_lines()] == [
            ("password reset asked for", user.pk), ("password reset asked for", None), ("password reset", user.pk)]

    def test_is_logged_when_its_address_changes_but_without_the_address(
            self, log: Log, visitor: Client, mia: User) -> None:
        visitor.post(reverse("account_reauthenticate"), {"password": "mia"})
        log.security_lines()
        for address in ("mia@example.org", "mia@example.com"):
            visitor.post(reverse("account_email"), {"email": address, "action_add": ""})
            visitor.post(re.search(r"http://\S+", next(
                sent for sent in mail.outbox[::-1] if sent.to == [address]).body)[0])
        for act in ("action_add", "action_remove"):
            visitor.post(reverse("account_email"), {"email": "mia@example.net", act: ""})
        assert "example" not in log.text
        lines = log.security_lines()
        assert {line["event"] for line in lines} == {"address added", "address confirmed", "address changed",
                                                     "address removed"}
        assert {line["user"] for line in lines} == {mia.pk}

    def test_is_logged_with_the_actor_when_staff_close_or_ban_it(
            self, log: Log, visitor: Client, django_capture_on_commit_callbacks: Any) -> None:
        user, staff = make_user("mia"), make_user("organiser", staff=True)
        visitor.force_login(staff)
        log.security_lines()
        with django_capture_on_commit_callbacks(execute=True):
            page = reverse("admin:auth_user_change", args=[user.pk])
            form = visitor.get(page).context["adminform"].form
            filled = {name: value for name, value in form.initial.items() if isinstance(value, str) and value}
            visitor.post(page, {**filled, "date_joined_0": "2026-01-01", "date_joined_1": "00:00:00", "is_active": ""})
            made = ban(actor=staff, reason="a secret reason", now=timezone.now(), user=user)
            lift(ban=made, actor=staff, now=timezone.now())
        user.refresh_from_db()
        assert not user.is_active
        assert "a secret reason" not in log.text
        lines = log.security_lines()
        assert [line["event"] for line in lines] == ["change user", "ban user", "lift the ban of user"]
        assert {(line["name"], line["target"]) for line in lines} == {("organiser", str(user.pk))}
        assert "Active" in lines[0]["changed"]


class TestAToken:
    def test_is_logged_when_created_and_revoked(self, log: Log, visitor: Client, mia: User,
                                      django_capture_on_commit_callbacks: Any) -> None:
        log.security_lines()
        with django_capture_on_commit_callbacks(execute=True):
            visitor.post(reverse("token-make"), {"name": "ci", "scope": "everything", "days": "0"})
            visitor.post(reverse("token-revoke", args=[mia.tokens.get().pk]))
        assert [(line["event"], line["user"]) for line in log.security_lines()] == [
            ("make token", mia.pk), ("revoke token", mia.pk)]

    def test_is_logged_with_a_reason_when_refused(self, log: Log) -> None:
        mia, now = make_user("mia"), timezone.now()
        revoked, text = make_token(user=mia, name="ci", now=now)
        revoke_token(token=revoked, actor=mia, now=now)
        program = APIClient()
        for sent in (text, "sqf_unheardof"):
            program.get("/api/me/", headers={"Authorization": f"Token {sent}", "X-Forwarded-For": ADDRESS})
        assert text not in log.text
        lines = log.security_lines()
        assert [(line["event"], line["address"], line["view"]) for line in lines] == [
            ("token refused", ADDRESS, "me")] * 2
        assert revoked.prefix in lines[0]["reason"]


class TestARefusal:
    def test_for_lack_of_permission_is_logged_with_its_object(self, log: Log, visitor: Client, mia: User) -> None:
        team = found_team(name="Lutra", founder=make_user("otto"), now=timezone.now())
        otter = make_version("Otter", owner="otto")
        log.security_lines()
        visitor.get("/admin/")
        visitor.get(reverse("admin:login"))
        visitor.post("/api/ladders/", {}, content_type="application/json")
        visitor.post(reverse("team-add", args=[team.slug]), {"username": "mia"})
        ban(actor=make_user("organiser", staff=True), reason="flood", now=timezone.now(), user=mia)
        visitor.post(reverse("play", args=[otter.bot.slug]), {
            "ruleset": "square-grid-hex", "size": 3, "pace": "normal", "seat": "0"})
        lines = log.security_lines()
        assert [(line["event"], line["user"], line["view"], line.get("of")) for line in lines] == [
            ("refused", mia.pk, "admin:login", None), ("refused", mia.pk, "ladder-list", None),
            ("refused", mia.pk, "team-add", team.slug), ("refused", mia.pk, "play", otter.bot.slug)]
        assert [("reason" in line, "banned" in line.get("reason", "")) for line in lines] == [
            (False, False), (True, False), (True, False), (True, True)]

    def test_of_a_cross_site_request_is_logged_for_pages_and_api(self, log: Log) -> None:
        visitor = Client(enforce_csrf_checks=True)
        visitor.force_login(make_user("mia"))
        log.security_lines()
        visitor.post(reverse("account-profile"), {"about": "x"})
        visitor.patch("/api/me/", {"about": "x"}, content_type="application/json")
        lines = log.security_lines()
        assert [line["event"] for line in lines] == ["refused", "refused"]
        assert all("CSRF" in line["reason"] for line in lines)

    def test_of_too_many_requests_is_logged(self, log: Log, visitor: Client, settings: Any) -> None:
        settings.API_RATES = {**settings.API_RATES, "anonymous": 1}
        for _ in range(2):
            visitor.get("/api/rulesets/")
        settings.ACCOUNT_RATE_LIMITS = {"signup": "1/h/ip"}
        for _ in range(2):
            visitor.post(reverse("account_signup"), {})
        assert [(line["event"], line["address"], line["view"]) for line in log.security_lines()] == [
            ("too often", ADDRESS, "ruleset-list"), ("too often", ADDRESS, "account_signup")]

    def test_of_too_large_a_body_is_logged(self, log: Log, visitor: Client, mia: User, settings: Any) -> None:
        log.security_lines()
        visitor.patch("/api/me/", json.dumps({"about": "x" * 2**21}), content_type="application/json")
        settings.MAX_ARCHIVE_BYTES = 10
        for address in (reverse("upload"), "/api/submissions/"):
            visitor.post(address, {"archive": SimpleUploadedFile("a.zip", make_archive("ant"))})
        lines = log.security_lines()
        assert [(line["event"], line["user"]) for line in lines] == [("too large", mia.pk)] * 3
        assert [line.get("bytes", 0) > 10 for line in lines] == [False, True, True]

    def test_of_the_api_without_tls_is_logged(self, log: Log, visitor: Client, settings: Any) -> None:
        settings.SECURE_SSL_REDIRECT = True
        visitor.get("/api/games/", headers={"Authorization": "Token sqf_in_clear_and_so_lost"})
        [line] = log.security_lines()
        assert (line["event"], line["reason"], line["address"]) == ("refused", "without TLS", ADDRESS)

    def test_of_a_harmless_request_is_not_logged(self, log: Log, visitor: Client) -> None:
        for address in ("/", "/nowhere/", "/api/nowhere/", "/account/", "/api/me/", "/games/1/"):
            visitor.get(address)
        assert log.security_lines() == []


class TestEveryLineOfTheLog:
    """ASVS 16.2.5: send secrets through all kinds of requests, including refused and failing ones."""

    def test_contains_no_secret(self, log: Log, console: Log, monkeypatch: pytest.MonkeyPatch) -> None:
        now, user = timezone.now(), make_user("mia")
        user.emailaddress_set.create(email="mia@example.org", verified=True, primary=True)
        secrets = {"mistyped-by-mia", PASSWORD}
        strict = Client(enforce_csrf_checks=True, raise_request_exception=False)
        visitor = Client(raise_request_exception=False)

        sign_in(visitor, "mia", "mistyped-by-mia")
        sign_in(visitor, "mistyped-by-mia", "mia")
        visitor.force_login(user)
        secrets.add(visitor.cookies["sessionid"].value)
        visitor.post(reverse("account_change_password"), {"oldpassword": "mistyped-by-mia", "password1": PASSWORD,
                                                          "password2": PASSWORD})
        # A link that resets the password: sent without a CSRF token, then used while the page fails, then broken.
        visitor.post(reverse("account_reset_password"), {"email": "mia@example.org"})
        link = re.search(r"http://testserver(\S+)", mail.outbox[-1].body)[1]
        secrets.add(link.split("-", 1)[1].strip("/"))
        strict.post(link, {"password1": PASSWORD})
        monkeypatch.setattr("allauth.account.views.PasswordResetFromKeyView.dispatch", _fails)
        assert visitor.get(link).status_code == 500
        monkeypatch.undo()
        visitor.get(link.rstrip("/") + "x/")
        # A link that confirms an address, in the same way.
        visitor.post(reverse("account_reauthenticate"), {"password": "mia"})
        visitor.post(reverse("account_email"), {"email": "mia@example.com", "action_add": ""})
        link = re.search(r"http://testserver(\S+)", next(
            sent for sent in mail.outbox[::-1] if sent.to == ["mia@example.com"]).body)[1]
        secrets.add(link.rstrip("/").rsplit("/", 1)[1])
        strict.post(link)
        monkeypatch.setattr("allauth.account.views.ConfirmEmailView.dispatch", _fails)
        assert visitor.get(link).status_code == 500
        monkeypatch.undo()
        visitor.get(link.rstrip("/") + "x/")
        # Tokens that are accepted, refused and revoked; and a webhook's secret.
        token, text = make_token(user=user, name="ci", now=now, scope="reading")
        secrets.add(text)
        program = APIClient(raise_request_exception=False)
        program.credentials(HTTP_AUTHORIZATION=f"Token {text}")
        assert program.get("/api/me/").status_code == 200
        assert program.post("/api/tokens/", {}).status_code == 403
        with monkeypatch.context() as patch:
            patch.setattr("tournaments.api.accounts.me.MeView.get", _fails)
            assert program.get("/api/me/").status_code == 500
        revoke_token(token=token, actor=user, now=now)
        assert program.get("/api/me/").status_code == 401
        logging.getLogger("elsewhere").error("It was %s", text)
        hook = create_webhook(owner=user, url="https://example.org/", kinds=[], now=now)
        secrets.add(hook.secret)
        logging.getLogger("elsewhere").error("It was %s", hook.secret)

        secrets |= signed_in_by_code()

        for lines in (log.text, console.text):
            assert {part for part in secrets if part in lines} == set()
            # Without this, the assertion above would prove nothing.
            for word in ("reset/key/", "/confirm-email/", "Internal Server Error", "Forbidden", text[:10], "whsec_"):
                assert word in lines, word


def _fails(*_: Any, **__: Any) -> Any:
    raise RuntimeError("an unexpected error")
