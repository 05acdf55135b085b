import http.server
import json
import threading

import pytest

from tournaments.kit.main import main


@pytest.fixture
def token(monkeypatch):
    monkeypatch.setenv("SQUAREFIELD_TOKEN", "sqf_0123456789abcdef")


@pytest.fixture
def site():
    """A site that gives one response (status, body, headers) to an upload, and those in `later` to the polls after it.

    Returns a function that starts it, and the requests that it received.
    """
    servers = []

    def start(status, body, headers=(), later=()):
        seen = []
        looks = list(later)

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                seen.append((self.path, dict(self.headers), self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(status)
                for header in headers:
                    self.send_header(*header)
                self.end_headers()
                self.wfile.write(body if isinstance(body, bytes) else json.dumps(body).encode())

            def do_GET(self):
                seen.append((self.path, dict(self.headers), b""))
                status, body = looks.pop(0)
                self.send_response(status)
                self.end_headers()
                self.wfile.write(json.dumps(body).encode())

            def log_message(self, *arguments):
                """Log nothing."""

        server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}", seen

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


class TestSubmit:
    def test_sends_the_packed_bot_with_the_token(self, site, token, capsys):
        address, seen = site(201, {"id": 7, "version": {"bot": "random", "number": 3}})
        assert main(["submit", "random", "--site", f"{address}/"]) == 0
        path, headers, body = seen[0]
        assert path == "/api/submissions/"
        assert headers["Authorization"] == "Token sqf_0123456789abcdef"
        assert b'name="archive"; filename="random.zip"' in body
        assert b"PK\3\4" in body
        assert capsys.readouterr().out == "Accepted: random, version 3.\n"

    def test_says_if_the_site_is_still_checking(self, site, token, capsys):
        address, _ = site(202, {"id": 7, "version": None})
        assert main(["submit", "random", "--site", address, "--no-wait"]) == 0
        assert capsys.readouterr().out == (
            f"Received as submission 7; the check is in progress: {address}/submissions/7/\n")

    def test_reads_the_token_from_a_file(self, site, tmp_path):
        (tmp_path / "token").write_text("feedbeef\n")
        address, seen = site(201, {"id": 1})
        assert main(["submit", "random", "--site", address, "--token-file", str(tmp_path / "token")]) == 0
        assert seen[0][1]["Authorization"] == "Token feedbeef"

    def test_shows_the_sites_response(self, site, token, capsys):
        for status, body, code, why in (
            (409, {"detail": "The archive is the same\u001b[2J."}, 1,
             "rejected the upload: The archive is the same\\x1b[2J."),
            (403, {"detail": "You are banned: spam."}, 1, "rejected the upload: You are banned: spam."),
            (401, {"detail": "Invalid token."}, 2, "rejected the token: Invalid token."),
            (404, b"<html>", 2, "404 Not Found: check the site's URL"), (500, b"", 2, "answered 500"),
            (200, b"<html>", 2, "did not answer like a Squarefield site"),
            (201, b"[1]", 2, "did not answer like a Squarefield site"),
        ):
            address, _ = site(status, body)
            assert main(["submit", "random", "--site", address]) == code
            said = capsys.readouterr()
            assert why in said.out + said.err

    def test_sends_the_token_to_no_other_host(self, site, token, capsys):
        elsewhere, seen = site(201, {"id": 1})
        address, _ = site(307, b"", [("Location", f"{elsewhere}/api/submissions/")])
        assert main(["submit", "random", "--site", address]) == 2
        assert seen == []
        assert "redirects to" in capsys.readouterr().err

    def test_refuses_invalid_arguments(self, token, capsys, monkeypatch):
        monkeypatch.delenv("SQUAREFIELD_SITE", raising=False)
        for arguments, why in (
            ([], "no site"), (["--site", "ftp://bots.example"], "not a valid site URL"),
            (["--site", "http://127.0.0.1:9"], "cannot reach"), (["--site", "bots.example"], "not a valid site URL"),
            (["--site", "http://127.0.0.1:9", "--token-file", "nowhere"], "cannot read nowhere"),
        ):
            assert main(["submit", "random", *arguments]) == 2
            assert why in capsys.readouterr().err

    def test_requires_a_token(self, monkeypatch, capsys):
        monkeypatch.delenv("SQUAREFIELD_TOKEN", raising=False)
        assert main(["submit", "random", "--site", "http://127.0.0.1:9"]) == 2
        assert "SQUAREFIELD_TOKEN" in capsys.readouterr().err

    def test_checks_the_bot_before_sending_it(self, tmp_path, token, capsys):
        (tmp_path / "bot.toml").write_text("name = 7\n")
        assert main(["submit", str(tmp_path), "--site", "http://127.0.0.1:9"]) == 2
        assert "must set the bot's name" in capsys.readouterr().err


RECEIVED = {"id": 7, "status": "received", "version": None}
STEPS = [{"name": "build", "passed": True, "note": ""}, {"name": "handshake", "passed": None, "note": ""}]


@pytest.fixture
def _no_waiting(monkeypatch):
    monkeypatch.setattr("tournaments.kit.submit.SECONDS_BETWEEN_LOOKS", 0.0)


@pytest.mark.usefixtures("_no_waiting", "token")
class TestWaiting:
    def test_shows_each_step_once_and_the_version(self, site, capsys):
        checking = {**RECEIVED, "status": "checking", "steps": STEPS}
        address, seen = site(202, RECEIVED, later=[
            (200, {**RECEIVED, "steps": []}), (200, checking), (503, {}), (200, checking),
            (200, {"id": 7, "status": "accepted", "version": {"bot": "otter", "number": 2}, "steps": [
                STEPS[0], {"name": "handshake", "passed": True, "note": "protocol 1"}]})])
        assert main(["submit", "random", "--site", address]) == 0
        assert capsys.readouterr().out.splitlines()[1:] == [
            "passed  build", "passed  handshake: protocol 1", "Accepted: otter, version 2."]
        assert [path for path, _, _ in seen[1:]] == ["/api/submissions/7/"] * 5

    def test_shows_why_the_bot_was_refused_and_the_line_to_fix(self, site, capsys):
        address, _ = site(202, RECEIVED, later=[(200, {
            "id": 7, "status": "refused", "refusal": "It answered \x1b[2J.", "line": "line 3", "log": "gcc: no",
            "stderr": "oh", "steps": [{"name": "handshake", "passed": False, "note": "no answer"}]})])
        assert main(["submit", "random", "--site", address]) == 1
        said = capsys.readouterr()
        assert said.out.splitlines()[1:] == [
            "failed  handshake: no answer", f"{address} rejected the bot: It answered \\x1b[2J.", "Line to fix: line 3"]
        assert said.err.splitlines() == ["  stderr: gcc: no", "  stderr: oh"]

    def test_says_if_a_check_is_repeated_after_a_service_fault(self, site, capsys):
        address, _ = site(202, RECEIVED, later=[
            (200, {**RECEIVED, "setback": "the disk was full"}),
            (200, {"id": 7, "status": "accepted", "version": {"bot": "otter", "number": 1}})])
        assert main(["submit", "random", "--site", address]) == 0
        assert "through no fault of your bot: the disk was full" in capsys.readouterr().out

    def test_ends_without_a_verdict_if_the_site_disappears(self, site, capsys):
        address, _ = site(202, RECEIVED, later=[(500, {})] * 30)
        assert main(["submit", "random", "--site", address]) == 2
        assert f"no result yet, see {address}/submissions/7/" in capsys.readouterr().err


@pytest.mark.django_db(transaction=True)
class TestTheServiceItself:
    @pytest.mark.slow
    def test_accepts_the_submission(self, live_server, django_user_model, monkeypatch, capsys, tmp_path):
        from django.utils import timezone

        from tournaments.models import Submission
        from tournaments.services.accounts.tokens import make_token, revoke_token
        author = django_user_model.objects.create_user("ann")
        token, text = make_token(user=author, name="tests", now=timezone.now())
        monkeypatch.setenv("SQUAREFIELD_TOKEN", text)
        main(["new", str(tmp_path / "mine")])
        assert main(["submit", str(tmp_path / "mine"), "--site", live_server.url, "--no-wait"]) == 0
        assert Submission.objects.get().uploader == author
        assert Submission.objects.get().filename == "mine.zip"
        revoke_token(token=token, actor=author, now=timezone.now())
        assert main(["submit", str(tmp_path / "mine"), "--site", live_server.url]) == 2
        assert "rejected the token" in capsys.readouterr().err
