"""Security headers and cookies of every kind of response, with the settings of a site behind TLS."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest
from django.test import Client

from tests.factories import make_user
from tests.tournaments.api.roles import World
from tests.tournaments.site import ROOT
from tournaments.models import Game

PRODUCTION = {
    "DJANGO_SETTINGS_MODULE": "tournaments.settings", "SQUAREFIELD_NO_BOOTSTRAP": "1", "SQUAREFIELD_TLS": "1",
    "SQUAREFIELD_SECRET_KEY": "0123456789abcdefghijklmnopqrstuvwxyz-of-no-use-outside-the-tests",
    "SQUAREFIELD_HOSTS": "bots.example.org", "SQUAREFIELD_ORIGINS": "https://bots.example.org",
    "DATABASE_URL": "sqlite://:memory:",
}
TOLD = ("SECURE_", "SESSION_COOKIE_", "CSRF_COOKIE_", "LANGUAGE_COOKIE_", "MESSAGES_COOKIE_", "RESULTS_COOKIE_",
        "VISITOR_COOKIE_", "X_FRAME_", "BEHIND_TLS", "ALLOWED_HOSTS", "DEBUG")
# Runs the deployment checks of Django, and prints the settings.
READ = f"""
import json, django
from django.conf import settings
from django.core.management import call_command
django.setup()
call_command("check", deploy=True, fail_level="WARNING", verbosity=0)
print(json.dumps({{name: getattr(settings, name) for name in dir(settings) if name.startswith({TOLD!r})}}))
"""
# One of each kind: page, part, error, redirect, feed, picture, text, download, API, schema, problem, health, static.
KINDS = {
    "/": 200, "/live/": 200, "/games/{game}/": 200, "/events/public/": 200, "/nowhere/": 404, "/account/": 302,
    "/account/login/": 200, "/games/{game}/ask/": 405, "/events/feed/": 200, "/games/{game}.svg": 200,
    "/games/{game}.png": 200, "/games/{game}.txt": 200, "/games/{game}.json": 200, "/games/{game}/embed/": 200,
    "/docs/starters/python.zip": 200, "/docs/events/": 200, "/api/games/": 200, "/api/schema/": 200,
    "/api/nowhere/": 404, "/api/me/": 401, "/api/docs/": 200, "/admin/": 302, "/metrics": 404, "/health/live": 200,
    "/health/ready": 200, "/static/frontend/board.js": 200, "/favicon.ico": 302,
    "/robots.txt": 200,
}
FRAMED = "/games/{game}/embed/"


@pytest.fixture(scope="module")
def behind_tls() -> dict[str, Any]:
    """Return the settings of a site behind TLS, which pass Django's deployment checks."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("SQUAREFIELD", "DJANGO"))}
    done = subprocess.run([sys.executable, "-c", READ], env={**environment, **PRODUCTION}, cwd=ROOT, check=False,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture
def production(behind_tls: dict[str, Any], planted: World, db: None, settings: Any) -> int:
    """Configure the site as if behind TLS, and return a game's id."""
    for name, value in behind_tls.items():
        setattr(settings, name, tuple(value) if name == "SECURE_PROXY_SSL_HEADER" else value)
    # No static files are collected here; the same middleware serves them.
    settings.WHITENOISE_USE_FINDERS = settings.WHITENOISE_AUTOREFRESH = True
    return Game.objects.filter(event__slug="public").values_list("pk", flat=True)[0]


def ask(path: str, game: int, client: Client | None = None, **headers: str) -> Any:
    return (client or Client(raise_request_exception=False)).get(
        path.format(game=game), secure=True, headers={"Host": "bots.example.org", **headers})


class TestEveryResponse:
    @pytest.mark.slow
    def test_forbids_sniffing_and_framing_except_of_the_embedded_board(self, production: int) -> None:
        for path, status in KINDS.items():
            answer = ask(path, production)
            assert answer.status_code == status, path
            assert answer["X-Content-Type-Options"] == "nosniff", path
            if path.startswith("/health/"):
                continue
            assert answer["Strict-Transport-Security"] == "max-age=31536000", path
            assert answer["Referrer-Policy"] == "same-origin", path
            assert answer["Cross-Origin-Opener-Policy"] == "same-origin", path
            assert "camera=()" in answer["Permissions-Policy"], path
            policy = dict(part.strip().split(" ", 1) for part in answer["Content-Security-Policy"].split(";"))
            assert policy["default-src"] == "'none'", path
            assert policy["base-uri"] == "'none'", path
            assert "unsafe" not in policy.get("script-src", ""), path
            framed = path == FRAMED
            assert policy["frame-ancestors"] == ("*" if framed else "'none'"), path
            # Static files are not documents: for them, the policy suffices.
            assert framed == ("X-Frame-Options" not in answer) or path.startswith("/static/"), path

    def test_echoes_nothing_for_trace(self, production: int) -> None:
        for path in ("/", "/account/login/", "/api/games/", "/static/frontend/board.js"):
            answer = Client().generic("TRACE", path, secure=True, headers={
                "Host": "bots.example.org", "X-Echo": "echoed"})
            assert b"echoed" not in b"".join(answer), path

    def test_has_the_headers_even_if_it_is_an_error(self, production: int) -> None:
        wrong_host = Client().get("/", secure=True, headers={"Host": "evil.example"})
        assert (wrong_host.status_code, wrong_host["X-Content-Type-Options"]) == (400, "nosniff")
        assert "default-src 'none'" in wrong_host["Content-Security-Policy"]

    def test_without_tls_redirects_to_https(self, production: int) -> None:
        answer = Client().get("/ladders/", headers={"Host": "bots.example.org"})
        assert (answer.status_code, answer["Location"]) == (301, "https://bots.example.org/ladders/")

    def test_of_the_api_without_tls_is_a_refusal_with_problem_details(self, production: int) -> None:
        client = Client()
        for path in ("/api/games/", "/api/me/", "/api/nowhere/", "/api/schema/", "/api/", "/api/docsy/"):
            answer = client.get(path, headers={"Host": "bots.example.org", "Authorization": "Token sqf_in_clear"})
            assert (answer.status_code, answer["Content-Type"]) == (403, "application/problem+json"), path
            assert answer.json()["type"] == "/api/problems/forbidden/", path
            assert "revoke it" in answer.json()["detail"], path
            assert answer["X-Content-Type-Options"] == "nosniff", path
            assert ask(path, production, client).status_code != 403, path
        page = client.get("/api/docs/", headers={"Host": "bots.example.org"})
        assert (page.status_code, page["Location"]) == (301, "https://bots.example.org/api/docs/")


class TestACookie:
    @pytest.mark.slow
    def test_is_host_only_secure_and_hidden_from_scripts(self, production: int) -> None:
        client = Client()
        ask("/account/login/", production, client)
        make_user("ann")
        version = Game.objects.get(pk=production).match.first_id
        post(client, f"/games/{production}/ask/", ply="0", version=str(version))
        post(client, "/language/", language="de")
        post(client, "/results/", results="hidden")
        post(client, "/account/login/", login="ann", password="ann")
        post(client, f"/games/{production}/ask/", ply="999", version=str(version))
        assert set(client.cookies) == {
            f"__Host-{name}" for name in ("sessionid", "csrftoken", "visitor", "language", "messages", "results")}
        for cookie in client.cookies.values():
            assert (cookie["secure"], cookie["httponly"], cookie["samesite"], cookie["path"], cookie["domain"]) == (
                True, True, "Lax", "/", ""), cookie.key

    def test_with_a_message_is_deleted_once_read(self, production: int) -> None:
        client = Client()
        gone = post(client, f"/games/{production}/ask/", ply="999")
        assert client.cookies["__Host-messages"].value
        assert '<ul class="messages"' in ask(gone["Location"], production, client).content.decode()
        assert not client.cookies["__Host-messages"].value


def post(client: Client, path: str, **form: str) -> Any:
    return client.post(path, form, secure=True, headers={"Host": "bots.example.org"})
