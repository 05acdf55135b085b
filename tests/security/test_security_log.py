"""The security log: its events, with user and address, and the absence of secrets from every log line."""

import io
import json
import logging
import re
from collections.abc import Iterator
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
from tests.security.accounts.codes import SECRET
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

    def taken(self) -> list[dict[str, Any]]:
        """Return the lines of the security log since the last call."""
        lines = [json.loads(line) for line in self.text.splitlines()]
        self._lines.seek(0)
        self._lines.truncate()
        return [line for line in lines if line["logger"] == "squarefield.security"]

    def facts(self, *names: str) -> list[tuple[Any, ...]]:
        """Return these facts of each line of the security log since the last call."""
        return [tuple(line.get(name) for name in names) for line in self.taken()]


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
def mia(visitor: Client, log: Log) -> User:
    """Return Mia, signed in, which is in the log no more."""
    user = make_user("mia")
    visitor.force_login(user)
    log.taken()
    return user


def post(visitor: Client, view: str, /, *arguments: Any, **fields: str) -> Any:
    return visitor.post(reverse(view, args=arguments), fields)


def sign_in(visitor: Client, name: str, password: str) -> Any:
    return post(visitor, "account_login", login=name, password=password)


def with_second_factor(user: User) -> list[str]:
    """Switch on the second factor and return the recovery codes."""
    now = timezone.now()
    code = second_factor.code_at(SECRET, second_factor.step_of(now))
    return second_factor.switch_on(user=user, secret=SECRET, code=code, password=user.username, now=now)


def link_in(address: str) -> str:
    """Return the path in the last mail to this address."""
    body = next(sent for sent in mail.outbox[::-1] if sent.to == [address]).body
    return re.search(r"http://testserver(\S+)", body)[1]


class TestALine:
    def test_contains_event_user_address_and_request(self, log: Log, visitor: Client) -> None:
        user = make_user("mia")
        answer = sign_in(visitor, "mia", "mia")
        [line] = log.taken()
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
        [line] = log.taken()
        assert {"address", "user", "view"}.isdisjoint(line)


class TestSigningIn:
    def test_that_fails_or_is_throttled_logs_an_existing_account_but_never_the_typed_name(
            self, log: Log, visitor: Client) -> None:
        user = make_user("mia")
        sign_in(visitor, PASSWORD, "mia")
        for name in ("mia", "MIA", "mia", "mia", "mia", "mia"):
            sign_in(visitor, name, "wrong")
        assert log.facts("event", "user") == [
            ("sign-in failed", None), *[("sign-in failed", user.pk)] * 5, ("sign-in throttled", user.pk)]

    def test_again_and_signing_out_are_logged(self, log: Log, visitor: Client, mia: User) -> None:
        for password in ("wrong", "mia"):
            post(visitor, "account_reauthenticate", password=password)
        post(visitor, "account_logout")
        assert log.facts("event", "user") == [
            ("sign-in failed", mia.pk), ("authenticated again", mia.pk), ("signed out", mia.pk)]

    def test_with_a_second_factor_logs_failure_and_success(
            self, log: Log, visitor: Client, django_capture_on_commit_callbacks: Any) -> None:
        user = make_user("mia")
        with django_capture_on_commit_callbacks(execute=True):
            codes = with_second_factor(user)
            sign_in(visitor, "mia", "mia")
            for code in ("aaaaa-aaaaa", codes[0]):
                post(visitor, "mfa_authenticate", code=code)
        assert log.facts("event", "user", "by") == [
            ("second factor failed", user.pk, None), ("signed in", user.pk, "password+mfa"),
            ("switch on the second factor of user", user.pk, None), ("use a recovery code of user", user.pk, None)]

    def test_logs_the_end_of_an_idle_staff_session(self, log: Log, visitor: Client) -> None:
        visitor.force_login(make_user("organiser", staff=True))
        log.taken()
        Session.objects.update(expire_date=F("expire_date") - timedelta(hours=13))
        visitor.get(reverse("account"))
        assert log.facts("event", "reason", "name") == [("session ended", "idle", "organiser")]


class TestAnAccount:
    def test_is_logged_when_created_and_when_its_password_changes(self, log: Log, visitor: Client) -> None:
        post(visitor, "account_signup", username="otto", password1=PASSWORD, password2=PASSWORD)
        post(visitor, "account_change_password", oldpassword=PASSWORD, password1="x" + PASSWORD,
             password2="x" + PASSWORD)
        user = User.objects.get(username="otto")
        assert log.facts("event", "user") == [
            ("signed up", user.pk), ("signed in", user.pk), ("password changed", user.pk)]

    def test_is_logged_when_a_password_reset_is_requested_and_done(self, log: Log, visitor: Client) -> None:
        user = make_user("mia")
        user.emailaddress_set.create(email="mia@example.org", verified=True, primary=True)
        for address in ("mia@example.org", "nobody@example.org"):
            post(visitor, "account_reset_password", email=address)
        form = visitor.get(link_in("mia@example.org"), follow=True)
        visitor.post(form.request["PATH_INFO"], {"password1": PASSWORD, "password2": PASSWORD})
        assert log.facts("event", "user") == [
            ("password reset asked for", user.pk), ("password reset asked for", None), ("password reset", user.pk)]

    def test_is_logged_when_its_address_changes_but_without_the_address(
            self, log: Log, visitor: Client, mia: User) -> None:
        post(visitor, "account_reauthenticate", password="mia")
        log.taken()
        for address in ("mia@example.org", "mia@example.com"):
            post(visitor, "account_email", email=address, action_add="")
            visitor.post(link_in(address))
        for act in ("action_add", "action_remove"):
            post(visitor, "account_email", email="mia@example.net", **{act: ""})
        assert "example" not in log.text
        assert set(log.facts("event", "user")) == {
            (event, mia.pk) for event in ("address added", "address confirmed", "address changed", "address removed")}

    def test_is_logged_with_the_actor_when_staff_close_or_ban_it(
            self, log: Log, visitor: Client, django_capture_on_commit_callbacks: Any) -> None:
        user, staff = make_user("mia"), make_user("organiser", staff=True)
        visitor.force_login(staff)
        log.taken()
        with django_capture_on_commit_callbacks(execute=True):
            page = reverse("admin:auth_user_change", args=[user.pk])
            form = visitor.get(page).context["adminform"].form
            filled = {name: value for name, value in form.initial.items() if isinstance(value, str) and value}
            visitor.post(page, {**filled, "date_joined_0": "2026-01-01", "date_joined_1": "00:00:00", "is_active": ""})
            made = ban(actor=staff, reason="a secret reason", now=timezone.now(), user=user)
            lift(ban=made, actor=staff, now=timezone.now())
        assert "a secret reason" not in log.text
        assert "Active" in log.text
        assert log.facts("event", "name", "target") == [
            (event, "organiser", str(user.pk)) for event in ("change user", "ban user", "lift the ban of user")]


class TestAToken:
    def test_is_logged_when_created_and_revoked(
            self, log: Log, visitor: Client, mia: User, django_capture_on_commit_callbacks: Any) -> None:
        with django_capture_on_commit_callbacks(execute=True):
            post(visitor, "token-make", name="ci", scope="everything", days="0")
            post(visitor, "token-revoke", mia.tokens.get().pk)
        assert log.facts("event", "user") == [("make token", mia.pk), ("revoke token", mia.pk)]

    def test_is_logged_with_a_reason_when_refused(self, log: Log) -> None:
        mia, now = make_user("mia"), timezone.now()
        revoked, text = make_token(user=mia, name="ci", now=now)
        revoke_token(token=revoked, actor=mia, now=now)
        for sent in (text, "sqf_unheardof"):
            APIClient().get("/api/me/", headers={"Authorization": f"Token {sent}", "X-Forwarded-For": ADDRESS})
        assert text not in log.text
        first, second = log.facts("event", "address", "view", "reason")
        assert first[:3] == second[:3] == ("token refused", ADDRESS, "me")
        assert revoked.prefix in first[3]


class TestARefusal:
    def test_for_lack_of_permission_is_logged_with_its_object(self, log: Log, visitor: Client, mia: User) -> None:
        team = found_team(name="Lutra", founder=make_user("otto"), now=timezone.now())
        otter = make_version("Otter", owner="otto")
        log.taken()
        visitor.get("/admin/")
        visitor.get(reverse("admin:login"))
        visitor.post("/api/ladders/", {}, content_type="application/json")
        post(visitor, "team-add", team.slug, username="mia")
        ban(actor=make_user("organiser", staff=True), reason="flood", now=timezone.now(), user=mia)
        post(visitor, "play", otter.bot.slug, ruleset="square-grid-hex", size="3", pace="normal", seat="0")
        lines = log.taken()
        assert [(line["event"], line["user"], line["view"], line.get("of")) for line in lines] == [
            ("refused", mia.pk, "admin:login", None), ("refused", mia.pk, "ladder-list", None),
            ("refused", mia.pk, "team-add", team.slug), ("refused", mia.pk, "play", otter.bot.slug)]
        assert [("reason" in line, "banned" in line.get("reason", "")) for line in lines] == [
            (False, False), (True, False), (True, False), (True, True)]

    def test_of_a_cross_site_request_is_logged_for_pages_and_api(self, log: Log) -> None:
        visitor = Client(enforce_csrf_checks=True)
        visitor.force_login(make_user("mia"))
        log.taken()
        post(visitor, "account-profile", about="x")
        visitor.patch("/api/me/", {"about": "x"}, content_type="application/json")
        facts = log.facts("event", "reason")
        assert [(event, "CSRF" in reason) for event, reason in facts] == [("refused", True)] * 2

    def test_of_too_many_requests_is_logged(self, log: Log, visitor: Client, settings: Any) -> None:
        settings.API_RATES = {**settings.API_RATES, "anonymous": 1}
        settings.ACCOUNT_RATE_LIMITS = {"signup": "1/h/ip"}
        for _ in range(2):
            visitor.get("/api/rulesets/")
            post(visitor, "account_signup")
        assert log.facts("event", "address", "view") == [
            ("too often", ADDRESS, "ruleset-list"), ("too often", ADDRESS, "account_signup")]

    def test_of_too_large_a_body_is_logged(self, log: Log, visitor: Client, mia: User, settings: Any) -> None:
        visitor.patch("/api/me/", json.dumps({"about": "x" * 2**21}), content_type="application/json")
        settings.MAX_ARCHIVE_BYTES = 10
        for address in (reverse("upload"), "/api/submissions/"):
            visitor.post(address, {"archive": SimpleUploadedFile("a.zip", make_archive("ant"))})
        facts = log.facts("event", "user", "bytes")
        assert [(event, user) for event, user, _ in facts] == [("too large", mia.pk)] * 3
        assert [(size or 0) > 10 for *_, size in facts] == [False, True, True]

    def test_of_the_api_without_tls_is_logged(self, log: Log, visitor: Client, settings: Any) -> None:
        settings.SECURE_SSL_REDIRECT = True
        visitor.get("/api/games/", headers={"Authorization": "Token sqf_in_clear_and_so_lost"})
        assert log.facts("event", "reason", "address") == [("refused", "without TLS", ADDRESS)]

    def test_of_a_harmless_request_is_not_logged(self, log: Log, visitor: Client) -> None:
        for address in ("/", "/nowhere/", "/api/nowhere/", "/account/", "/api/me/", "/games/1/"):
            visitor.get(address)
        assert log.taken() == []


class TestEveryLineOfTheLog:
    """ASVS 16.2.5: send secrets through all kinds of requests, including refused and failing ones."""

    def test_contains_no_secret(self, log: Log, console: Log, monkeypatch: pytest.MonkeyPatch) -> None:
        user, secrets = make_user("mia"), {"mistyped-by-mia", PASSWORD}
        user.emailaddress_set.create(email="mia@example.org", verified=True, primary=True)
        strict = Client(enforce_csrf_checks=True, raise_request_exception=False)
        visitor = Client(raise_request_exception=False)

        sign_in(visitor, "mia", "mistyped-by-mia")
        sign_in(visitor, "mistyped-by-mia", "mia")
        visitor.force_login(user)
        secrets.add(visitor.cookies["sessionid"].value)
        post(visitor, "account_change_password", oldpassword="mistyped-by-mia", password1=PASSWORD, password2=PASSWORD)
        # Links that reset the password and confirm an address: sent without a CSRF token, then used while the page
        # fails, then broken.
        post(visitor, "account_reset_password", email="mia@example.org")
        link = link_in("mia@example.org")
        secrets.add(link.split("-", 1)[1].strip("/"))
        strict.post(link, {"password1": PASSWORD})
        opened_while_failing(visitor, link, "allauth.account.views.PasswordResetFromKeyView.dispatch", monkeypatch)
        post(visitor, "account_reauthenticate", password="mia")
        post(visitor, "account_email", email="mia@example.com", action_add="")
        link = link_in("mia@example.com")
        secrets.add(link.rstrip("/").rsplit("/", 1)[1])
        strict.post(link)
        opened_while_failing(visitor, link, "allauth.account.views.ConfirmEmailView.dispatch", monkeypatch)
        # Tokens that are accepted, refused and revoked; and a webhook's secret.
        token, text = make_token(user=user, name="ci", now=timezone.now(), scope="reading")
        hook = create_webhook(owner=user, url="https://example.org/", kinds=[], now=timezone.now())
        secrets |= {text, hook.secret}
        program = APIClient(raise_request_exception=False)
        program.credentials(HTTP_AUTHORIZATION=f"Token {text}")
        assert program.get("/api/me/").status_code == 200
        assert program.post("/api/tokens/", {}).status_code == 403
        with monkeypatch.context() as patch:
            patch.setattr("tournaments.api.accounts.me.MeView.get", _fails)
            assert program.get("/api/me/").status_code == 500
        revoke_token(token=token, actor=user, now=timezone.now())
        assert program.get("/api/me/").status_code == 401
        for secret in (text, hook.secret):
            logging.getLogger("elsewhere").error("It was %s", secret)
        # A wrong and then a correct code of another user.
        codes, other = with_second_factor(make_user("olga")), Client()
        sign_in(other, "olga", "olga")
        for code in ("bbbbb-bbbbb", codes[0]):
            post(other, "mfa_authenticate", code=code)
        assert other.get(reverse("account")).status_code == 200
        secrets |= {SECRET, "bbbbb-bbbbb", *codes}

        for lines in (log.text, console.text):
            assert {part for part in secrets if part in lines} == set()
            # Without this, the assertion above would prove nothing.
            for word in ("reset/key/", "/confirm-email/", "Internal Server Error", "Forbidden", text[:10], "whsec_"):
                assert word in lines, word


def opened_while_failing(visitor: Client, link: str, view: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Open the link while its view fails, and then a broken link."""
    with monkeypatch.context() as patch:
        patch.setattr(view, _fails)
        assert visitor.get(link).status_code == 500
    visitor.get(link.rstrip("/") + "x/")


def _fails(*_: Any, **__: Any) -> Any:
    raise RuntimeError("an unexpected error")
