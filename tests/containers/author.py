"""A person at a browser and with a token: signs up and uploads through the pages, then uses the API."""

import http.client
import http.cookiejar
import io
import json
import re
import tomllib
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from pathlib import Path
from typing import Any, Final

from tests.containers.topology import ADDRESS

ROOT: Final = Path(__file__).resolve().parents[2]
PASSWORD: Final = "correct horse battery staple"
_BOUNDARY: Final = "containers"
_SECONDS: Final = 60


class Author:
    """Someone who signs up, or, with a token, who has an account."""

    def __init__(self, name: str, token: str = "") -> None:
        self.name, self._token = name, token
        self._browser = urllib.request.build_opener(
            urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()), urllib.request.ProxyHandler({}))
        if not token:
            self._post_form("/account/signup/", {"username": name, "email": "", "password1": PASSWORD,
                                                 "password2": PASSWORD})
            page = self._post_form("/account/tokens/", {"name": "tests", "days": "90", "scope": "everything"},
                                   page="/account/")
            self._token = re.findall(r"sqf_\w{40}", page)[0]

    def upload(self, archive: bytes) -> str:
        """Upload an archive on the page, and return the path of the submission in the API."""
        token = self._csrf("/upload/")
        fields = (f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="csrfmiddlewaretoken"\r\n\r\n{token}\r\n'
                  f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="archive"; filename="bot.zip"\r\n'
                  "Content-Type: application/octet-stream\r\n\r\n").encode()
        answer = self._open("/upload/", fields + archive + f"\r\n--{_BOUNDARY}--\r\n".encode(),
                            f"multipart/form-data; boundary={_BOUNDARY}")
        with answer:
            return f"/api{urllib.parse.urlsplit(answer.url).path}"

    def ask(self, path: str, **body: Any) -> Any:
        """Send a request to the API, with POST if there is a body, and return the answer."""
        headers = {"Authorization": f"Token {self._token}", "Content-Type": "application/json"}
        data = json.dumps(body).encode() if body else None
        request = urllib.request.Request(ADDRESS + path, data, headers)  # noqa: S310 - always http
        try:
            with self._browser.open(request, timeout=_SECONDS) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{path}: {error.code} {error.read().decode(errors='replace')[:500]}") from error

    def try_to_ask(self, path: str) -> Any:
        """Return the answer of the API; None if the site refuses or does not answer."""
        try:
            return self.ask(path)
        except (AssertionError, OSError, http.client.HTTPException):
            return None

    def _post_form(self, path: str, fields: dict[str, str], page: str = "") -> str:
        token = self._csrf(page or path)
        body = urllib.parse.urlencode({**fields, "csrfmiddlewaretoken": token}).encode()
        with self._open(path, body, "application/x-www-form-urlencoded") as answer:
            return str(answer.read().decode())

    def _csrf(self, path: str) -> str:
        with self._open(path) as answer:
            return re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', answer.read().decode())[0]

    def _open(self, path: str, body: bytes | None = None, kind: str = "") -> Any:
        headers = {"Content-Type": kind, "Referer": ADDRESS + path} if body else {}
        request = urllib.request.Request(ADDRESS + path, body, headers)  # noqa: S310 - always http
        return self._browser.open(request, timeout=_SECONDS)


def reference_bot(kind: str, name: str, ruleset: str) -> bytes:
    """Return the archive of a bot in engines/bots under another name, for one ruleset, with a build."""
    folder = ROOT / "engines/bots" / kind
    given = tomllib.loads(folder.joinpath("bot.toml").read_text())
    settings = given | {"name": name, "rulesets": [ruleset], "build": "python3 -m compileall -q ."}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        # A JSON text and a list of texts are TOML, too.
        archive.writestr("bot.toml", "".join(f"{key} = {json.dumps(value)}\n" for key, value in settings.items()))
        for file in sorted(folder.glob("*.py")):
            archive.write(file, file.name)
    return packed.getvalue()
