"""Client of a site's API: uploads an archive, reads the state of its submission, and plays casual games."""

import http.client
import json
import secrets
from typing import Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from tournaments.kit.bots import CannotPlay
from tournaments.kit.time_limit import TimeLimit

# The longest wait for the site, and for its whole answer. An upload has more time, at this number of bytes per second.
_SECONDS: Final = 120.0
_SLOWEST: Final = 20_000
_MOST_ANSWER: Final = 1 << 20


class Rejected(Exception):
    """The site rejected the request; `str()` is its reason."""


class TooMany(Rejected):
    """The site counts too many requests of this account at the moment."""


class Unreachable(CannotPlay):
    """The site is unavailable at the moment; a retry may succeed."""


class NotFound(CannotPlay):
    """The site has nothing at the path."""


class Site:
    """Site at a URL such as https://bots.example, with or without a token."""

    def __init__(self, address: str, token: str = "") -> None:
        """Raises CannotPlay if the URL is not valid for a site."""
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise CannotPlay(f"{address} is not a valid site URL; use one such as https://bots.example")
        self.address = address.rstrip("/")
        self.secret = parts.scheme == "https" or parts.hostname in ("localhost", "127.0.0.1", "::1")
        self._token = token

    def submit(self, filename: str, archive: bytes) -> dict[str, Any]:
        """Upload an archive. Returns the submission as answered by the site. Raises Rejected, CannotPlay."""
        boundary = secrets.token_hex(16)
        quoted = filename.replace("%", "%25").replace('"', "%22")
        head = (f'--{boundary}\r\nContent-Disposition: form-data; name="archive"; filename="{quoted}"\r\n'
                "Content-Type: application/octet-stream\r\n\r\n")
        return self._ask("/api/submissions/", head.encode() + archive + f"\r\n--{boundary}--\r\n".encode(),
                         {"Content-Type": f"multipart/form-data; boundary={boundary}"})

    def submission(self, number: int) -> dict[str, Any]:
        """Return a submission of the token's owner, with the steps of its check so far. Raises CannotPlay."""
        try:
            return self._ask(f"/api/submissions/{number}/")
        except Rejected as refusal:
            raise Unreachable(str(refusal)) from None

    def tools(self) -> dict[str, str]:
        """Return a version of each tool that all workers of the site have; empty if unknown. Raises CannotPlay."""
        try:
            told = self._ask("/api/tools/")
            return {tool["name"]: tool["versions"][0] for tool in told["tools"] if tool["everywhere"]}
        except Rejected as refusal:
            raise Unreachable(str(refusal)) from None
        except (KeyError, IndexError, TypeError):
            raise CannotPlay(f"{self.address} does not list its tools: check the site's URL") from None

    def get(self, path: str) -> dict[str, Any]:
        """Return what the API has at a path such as `/api/bots/searcher/`. Raises Rejected, CannotPlay."""
        return self._ask(path)

    def post(self, path: str, facts: dict[str, Any]) -> dict[str, Any]:
        """Send facts to a path of the API; return the answer. Raises Rejected, CannotPlay."""
        return self._ask(path, json.dumps(facts).encode(), {"Content-Type": "application/json"})

    def page_of(self, number: int) -> str:
        """Return the URL of the submission's page."""
        return f"{self.address}/submissions/{number}/"

    def _ask(self, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> dict[str, Any]:
        address = self.address + path
        request = Request(address, body, {  # noqa: S310 - the scheme was checked
            **({"Authorization": f"Token {self._token}"} if self._token else {}),
            "Accept": "application/json", **(headers or {})})
        limit = TimeLimit(_SECONDS + len(body or b"") / _SLOWEST)
        try:
            with limit:
                return _exchange(request, limit)
        except (CannotPlay, Rejected):
            if limit.passed:
                raise Unreachable(f"{address} did not answer within {limit.seconds:.0f} s") from None
            raise


class _NoRedirect(HTTPRedirectHandler):
    """Handler that refuses redirects: a token is sent only to the URL that its owner gave."""

    def redirect_request(self, req: Request, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> None:
        raise CannotPlay(f"{req.full_url} redirects to {newurl}: if you trust that URL, set it with --site")


def _exchange(request: Request, limit: TimeLimit) -> dict[str, Any]:
    address = request.full_url
    try:
        with build_opener(_NoRedirect, *limit.handlers()).open(request, timeout=_SECONDS) as answer:
            return _object(answer.read(_MOST_ANSWER), address)
    except HTTPError as error:
        with error:
            raise _failure(error, address) from None
    except URLError as error:
        raise Unreachable(f"cannot reach {address}: {error.reason}") from None
    except (OSError, http.client.HTTPException) as error:
        raise Unreachable(f"connection to {address} failed: {error!r}") from None


def _failure(error: HTTPError, address: str) -> Exception:
    try:
        said = _reason(error.read(_MOST_ANSWER))
    except (OSError, http.client.HTTPException):  # the status counts, even if the reason is cut off
        said = ""
    if error.code == 401:
        return CannotPlay(f"{address} rejected the token: {said or error.reason}")
    if error.code in (400, 403, 409, 413, 429):
        return (TooMany if error.code == 429 else Rejected)(said or f"{error.code} {error.reason}")
    if error.code >= 500:
        return Unreachable(f"{address} answered {error.code} {error.reason}: try again later, or check the site's URL")
    kind = NotFound if error.code == 404 else CannotPlay
    return kind(f"{address} answered {error.code} {error.reason}: check the site's URL")


def _reason(body: bytes) -> str:
    """Return the reason in a refusal: the `detail` of its problem details."""
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
        raise CannotPlay(f"{address} did not answer like a Squarefield site: check the URL")
    return answer
