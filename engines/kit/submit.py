"""`squarefield submit`: a bot to a site, by its API."""

import argparse
import http.client
import json
import os
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from engines.kit.bots import KINDS, CannotPlay, archive_of, name_for
from engines.kit.terminal import refused, shown
from engines.manifest import ManifestRefused
from engines.sandbox import ArchiveRefused
from engines.sandbox.submission import read_submission

TOKEN: Final = "SQUAREFIELD_TOKEN"  # noqa: S105 - the variable's name
SITE: Final = "SQUAREFIELD_SITE"
_SECONDS: Final = 120.0
_MOST_ANSWER: Final = 1 << 20

_DESCRIPTION: Final = f"""\
Packs a bot and uploads it to a site, with your token there: in the environment as {TOKEN}, or in a
file (--token-file). Run `squarefield check` first: the site makes the same check.

The exit status is 0 when the site takes it, 1 when it refuses, 2 when it could not be asked."""


class NotTaken(Exception):
    """The site refused; `str()` is its reason."""


def main(argv: Sequence[str]) -> int:
    """Submit a bot. Returns 0 when it was taken, 1 when it was refused, 2 when the site could not be asked."""
    parser = argparse.ArgumentParser(prog="squarefield submit", description=_DESCRIPTION,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bot", metavar="BOT", help=KINDS)
    parser.add_argument("--site", default=os.environ.get(SITE), metavar="URL",
                        help=f"the site's address, such as https://bots.example; else {SITE} in the environment")
    parser.add_argument("--token-file", metavar="FILE", help=f"holds your token; else {TOKEN} in the environment")
    options = parser.parse_args(argv)
    try:
        address = _address(options.site)
        token = _token(options.token_file)
        name, archive = _packed(options.bot)
        answer = send(address, token, f"{name}.zip", archive)
    except CannotPlay as error:
        return refused("not submitted", error)
    except NotTaken as error:
        print(shown(f"{options.site} refuses: {error}"))
        return 1
    print(shown(_said(answer, options.site)))
    return 0


def send(address: str, token: str, filename: str, archive: bytes) -> dict[str, Any]:
    """Upload an archive; returns what the site says it became. Raises NotTaken or CannotPlay."""
    boundary = secrets.token_hex(16)
    quoted = filename.replace("%", "%25").replace('"', "%22")
    body = (f'--{boundary}\r\nContent-Disposition: form-data; name="archive"; filename="{quoted}"\r\n'
            "Content-Type: application/octet-stream\r\n\r\n").encode() + archive + f"\r\n--{boundary}--\r\n".encode()
    request = Request(address, body, {  # noqa: S310 - the scheme was checked
        "Authorization": f"Token {token}", "Accept": "application/json",
        "Content-Type": f"multipart/form-data; boundary={boundary}"})
    try:
        with build_opener(_NoRedirect).open(request, timeout=_SECONDS) as answer:
            return _object(answer.read(_MOST_ANSWER), address)
    except HTTPError as error:
        with error:
            raise _failure(error, address) from None
    except URLError as error:
        raise CannotPlay(f"{address} cannot be reached: {error.reason}") from None
    except (OSError, http.client.HTTPException) as error:
        raise CannotPlay(f"{address} broke off: {error!r}") from None


class _NoRedirect(HTTPRedirectHandler):
    """A token goes to the address that its owner named, and to no other."""

    def redirect_request(self, req: Request, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> None:
        raise CannotPlay(f"{req.full_url} leads on to {newurl}: if you trust that, name it with --site")


def _failure(error: HTTPError, address: str) -> Exception:
    said = _reason(error.read(_MOST_ANSWER))
    if error.code in (401, 403):
        return CannotPlay(f"{address} does not accept the token: {said or error.reason}")
    if error.code in (400, 409, 413, 429):
        return NotTaken(said or f"{error.code} {error.reason}")
    return CannotPlay(f"{address} answers {error.code} {error.reason}: is that the site's address?")


def _reason(body: bytes) -> str:
    """The sentences in a refusal: `detail`, or for each field a list."""
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(said, dict):
        return ""
    sentences = [sentence for value in said.values() for sentence in (value if isinstance(value, list) else [value])]
    return " ".join(str(sentence) for sentence in sentences)


def _object(body: bytes, address: str) -> dict[str, Any]:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise CannotPlay(f"{address} does not answer as a site does: is that its address?")
    return answer


def _said(answer: dict[str, Any], site: str) -> str:
    version = answer.get("version")
    if isinstance(version, dict):
        return f"Taken: {version.get('bot')}, version {version.get('number')}."
    number = answer.get("id")
    return f"Received as submission {number}; it is checked now: {site.rstrip('/')}/submissions/{number}/"


def _address(site: str | None) -> str:
    if not site:
        raise CannotPlay(f"no site: name it with --site, or in {SITE}")
    parts = urlsplit(site)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise CannotPlay(f"{site} is not a site's address, such as https://bots.example")
    if parts.scheme == "http" and parts.hostname not in ("localhost", "127.0.0.1", "::1"):
        print(shown(f"{site} is not https: anybody on the way can read your token"), file=sys.stderr)
    return f"{site.rstrip('/')}/api/submissions/"


def _token(file: str | None) -> str:
    try:
        token = (Path(file).read_text(encoding="ascii") if file else os.environ.get(TOKEN, "")).strip()
    except OSError as error:
        raise CannotPlay(f"{file} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        token = ""
    if not token and not file:
        raise CannotPlay(f"no token: put yours into the environment as {TOKEN}, or name a file with --token-file")
    if not token.isalnum():
        raise CannotPlay("the token is not one word of letters and digits")
    return token


def _packed(bot: str) -> tuple[str, bytes]:
    archive = archive_of(bot)
    try:
        read_submission(archive)
    except (ArchiveRefused, ManifestRefused) as error:
        raise CannotPlay(f"{bot}: {error}") from None
    return name_for(Path(bot).resolve()), archive
