"""A site as the author's tool talks to it: an archive sent, and what became of it asked for."""

import http.client
import json
import secrets
from typing import Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from tournaments.kit.bots import CannotPlay

_SECONDS: Final = 120.0
_MOST_ANSWER: Final = 1 << 20


class UploadRejected(Exception):
    """The site refused; `str()` is its reason."""


class Unreachable(CannotPlay):
    """The site could not be asked just now: it may be worth another try."""


class Site:
    """A site at an address such as https://bots.example, for the owner of a token, or for anyone without it."""

    def __init__(self, address: str, token: str = "") -> None:
        """Raises CannotPlay when that is not the address of a site."""
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise CannotPlay(f"{address} is not a site's address, such as https://bots.example")
        self.address = address.rstrip("/")
        self.secret = parts.scheme == "https" or parts.hostname in ("localhost", "127.0.0.1", "::1")
        self._token = token

    def submit(self, filename: str, archive: bytes) -> dict[str, Any]:
        """Upload an archive; returns the submission as the site tells it. Raises NotTaken or CannotPlay."""
        boundary = secrets.token_hex(16)
        quoted = filename.replace("%", "%25").replace('"', "%22")
        head = (f'--{boundary}\r\nContent-Disposition: form-data; name="archive"; filename="{quoted}"\r\n'
                "Content-Type: application/octet-stream\r\n\r\n")
        return self._ask("/api/submissions/", head.encode() + archive + f"\r\n--{boundary}--\r\n".encode(),
                         {"Content-Type": f"multipart/form-data; boundary={boundary}"})

    def submission(self, number: int) -> dict[str, Any]:
        """A submission of the token's owner as it stands, with the steps of its check. Raises CannotPlay."""
        try:
            return self._ask(f"/api/submissions/{number}/")
        except UploadRejected as refusal:
            raise Unreachable(str(refusal)) from None

    def tools(self) -> dict[str, str]:
        """A version of each tool that every worker of the site has; empty when it does not know. Raises CannotPlay."""
        try:
            told = self._ask("/api/tools/")
            return {tool["name"]: tool["versions"][0] for tool in told["tools"] if tool["everywhere"]}
        except UploadRejected as refusal:
            raise Unreachable(str(refusal)) from None
        except (KeyError, IndexError, TypeError):
            raise CannotPlay(f"{self.address} does not tell its tools: is that the site's address?") from None

    def page_of(self, number: int) -> str:
        """Where a person looks at the submission."""
        return f"{self.address}/submissions/{number}/"

    def _ask(self, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> dict[str, Any]:
        address = self.address + path
        request = Request(address, body, {  # noqa: S310 - the scheme was checked
            **({"Authorization": f"Token {self._token}"} if self._token else {}),
            "Accept": "application/json", **(headers or {})})
        try:
            with build_opener(_NoRedirect).open(request, timeout=_SECONDS) as answer:
                return _object(answer.read(_MOST_ANSWER), address)
        except HTTPError as error:
            with error:
                raise _failure(error, address) from None
        except URLError as error:
            raise Unreachable(f"{address} cannot be reached: {error.reason}") from None
        except (OSError, http.client.HTTPException) as error:
            raise Unreachable(f"{address} broke off: {error!r}") from None


class _NoRedirect(HTTPRedirectHandler):
    """A token goes to the address that its owner named, and to no other."""

    def redirect_request(self, req: Request, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> None:
        raise CannotPlay(f"{req.full_url} leads on to {newurl}: if you trust that, name it with --site")


def _failure(error: HTTPError, address: str) -> Exception:
    said = _reason(error.read(_MOST_ANSWER))
    if error.code == 401:
        return CannotPlay(f"{address} does not accept the token: {said or error.reason}")
    if error.code in (400, 403, 409, 413, 429):
        return UploadRejected(said or f"{error.code} {error.reason}")
    if error.code >= 500:
        return Unreachable(f"{address} answers {error.code} {error.reason}: is that the site's address?")
    return CannotPlay(f"{address} answers {error.code} {error.reason}: is that the site's address?")


def _reason(body: bytes) -> str:
    """The sentence in a refusal: `detail` of its problem details."""
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    return str(said.get("detail", "")) if isinstance(said, dict) else ""


def _object(body: bytes, address: str) -> dict[str, Any]:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise CannotPlay(f"{address} does not answer as a site does: is that its address?")
    return answer
