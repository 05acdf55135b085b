"""Send requests with malformed bodies, made by changing valid ones, to a site.

To run it for longer, on a separate site in a temporary directory: `python tests/fuzz/bodies.py --minutes 10`. A
request that causes an unhandled error is printed, and the exit status is 1.
"""

import argparse
import logging
import os
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

FORM: Final = "application/x-www-form-urlencoded"
MULTIPART: Final = "multipart/form-data; boundary=xx"
JSON: Final = "application/json"
# Endpoints that read a form, a form with files, or JSON, in the pages, the API and the admin.
PATHS: Final = ("/account/login/", "/account/signup/", "/account/profile/", "/language/", "/upload/", "/teams/",
                "/events/new/", "/admin/login/", "/admin/auth/user/add/", "/nowhere/", "/api/teams/", "/api/events/",
                "/api/submissions/", "/api/webhooks/", "/api/nowhere/")
_FIELDS: Final = ("archive", "name", "login", "password", "username", "email", "language", "next",
                  "csrfmiddlewaretoken")
_TYPES: Final = (FORM, MULTIPART, JSON, "multipart/form-data", "multipart/mixed; boundary=xx", "text/plain", "", ";",
                 "multipart/form-data; boundary=", 'multipart/form-data; boundary="x x"', f"{FORM}, {JSON}", "a/b/c",
                 "multipart/form-data; boundary=" + "y" * 300, "multipart/form-data; boundary=\u00e9",
                 "multipart/form-data; boundary*=utf-8''xx", "multipart/form-data; boundary*=hex''xx")
# Parameters; many are Python codecs that do not produce text, or fail for some bytes.
PARAMETERS: Final = (
    *(f"charset={name}" for name in (
        "utf-8", "UTF8", '"utf-8"', "nothing", "hex", "rot13", "base64", "zlib", "bz2", "uu", "quopri", "idna",
        "punycode", "undefined", "unicode_escape", "utf-16", "utf-7", "latin-1", "cp037", "", '""', "a b", "\u00e9",
        "../x", "a" * 5000)),
    "charset*=utf-8''x", "charset*=hex''x", "charset*=nothing''x%ff", "charset*=a'b", "charset*=a'b'c'd",
    "charset*0*=nothing''x", "charset*1=x", "=", "a", '"')
_TEXTS: Final = (b"", b"a", b"\0", b"\xff\xfe", b"%00", b"%", b"%zz", b"%ff", b"%u1234", b"\xe9", b"1e999",
                 b"\xed\xa0\x80", b"a" * 3000)
_DISPOSITIONS: Final = (
    b'; filename="a.zip"', b'; filename=""', b'; filename="\0"', b'; filename="../../a"',
    b"; filename*=utf-8''%ff%00.zip", b"; filename*=nothing''a.zip", b"; filename*=hex''a.zip", b"; filename*=a'b",
    b'; filename="' + b"a" * 5000 + b'"', b"", b"", b"; ;", b"; name", b"; name*=hex''x")
_HEADERS: Final = (
    b"Content-Type: application/zip; charset=hex", b"Content-Type: \xff", b"Content-Length: x", b"Content-Length: -5",
    b"Content-Transfer-Encoding: base64", b"Content-Transfer-Encoding: quoted-printable", b"x", b": x",
    b"X: " + b"y" * 3000)
_JSON: Final = (
    b"{}", b'{"name": "a"}', b'{"name": "\\u0000"}', b'{"name": "\\ud800"}', b'{"name": "\xff"}', b"NaN", b"1e999",
    b"[" * 5000, b'{"name":' * 5000, b'{"name": 1' + b"0" * 5000 + b"}", b'{"name": {"name": []}}', b'"',
    b"\xff\xfe{", b'{"members": [1, null, true]}')


@dataclass(frozen=True, slots=True)
class Sent:
    """A request: its path, content type and body."""

    path: str
    content_type: str
    body: bytes


def sent(dice: Random) -> Sent:
    """Return the next request to try."""
    path = dice.choice(PATHS)
    kind = dice.choice((FORM, MULTIPART, JSON))
    body = {FORM: _form, MULTIPART: multipart, JSON: _json}[kind](dice)
    if dice.random() < 0.3:
        kind = dice.choice(_TYPES)
    if dice.random() < 0.5:
        kind += "; " + dice.choice(PARAMETERS)
    if dice.random() < 0.3:
        body = _cut(body, dice)
    return Sent(path, kind, body)


def _form(dice: Random) -> bytes:
    pairs = [dice.choice(_FIELDS).encode() + b"=" + dice.choice(_TEXTS) for _ in range(dice.choice((1, 3, 9, 1500)))]
    return dice.choice((b"&", b"&", b"&&", b";")).join(pairs)


def _json(dice: Random) -> bytes:
    return dice.choice(_JSON)


def multipart(dice: Random) -> bytes:
    """Return a form with fields and files, some parts of which are malformed."""
    parts = []
    for _ in range(dice.choice((1, 1, 3, 150, 1500))):
        name = dice.choice((dice.choice(_FIELDS).encode(), dice.choice(_TEXTS)))
        disposition = b'Content-Disposition: form-data; name="' + name + b'"' + dice.choice(_DISPOSITIONS)
        headers = [disposition, *([dice.choice(_HEADERS)] if dice.random() < 0.3 else [])]
        if dice.random() < 0.05:
            headers.pop(0)
        parts.append(b"--xx\r\n" + b"\r\n".join(headers) + b"\r\n\r\n" + dice.choice(_TEXTS) + b"\r\n")
    return b"".join(parts) + b"--xx--\r\n"


def _cut(body: bytes, dice: Random) -> bytes:
    """Return the body with pieces changed, duplicated or left out."""
    made = bytearray(body)
    for _ in range(dice.randint(1, 4)):
        at = dice.randrange(len(made) + 1)
        made[at:at + dice.choice((0, 1, 8, 500))] = dice.choice(
            (b"", dice.choice(_TEXTS), dice.randbytes(3), bytes(made[at:at + 200]), b"\r\n", b"--xx", b"--xx--"))
    return bytes(made)


def asked(client: Any, request: Sent) -> Any:
    """Return the response, without changes to the database. Raises any unhandled error of the site."""
    from django.db import transaction

    from tournaments.web.content_types import readable

    with transaction.atomic():
        answer = client.generic("POST", request.path, request.body, content_type=readable(request.content_type))
        transaction.set_rollback(True)
    return answer


def main() -> int:
    """Fuzz a temporary site for a while; return the exit status."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--minutes", type=float, default=10.0)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        os.environ |= {"SQUAREFIELD_VAR": directory, "DJANGO_SETTINGS_MODULE": "tournaments.settings",
                       "SQUAREFIELD_HOSTS": "testserver", "SQUAREFIELD_API_ANONYMOUS": "1000000000",
                       "SQUAREFIELD_API_SIGNED_IN": "1000000000"}
        import django

        django.setup()
        return _ask_for(given.minutes * 60, Random(given.seed))


def _ask_for(seconds: float, dice: Random) -> int:
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from django.test import Client

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    logging.disable(logging.CRITICAL)
    user = User.objects.create_superuser("fuzz")
    clients = [Client(), Client(enforce_csrf_checks=True), Client()]
    counts: Counter[str] = Counter()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        # Some of the requests sign users out.
        clients[2].force_login(user)
        request = sent(dice)
        try:
            counts[str(asked(dice.choice(clients), request).status_code)] += 1
        except Exception as error:  # noqa: BLE001 - it is shown, and the next one is tried
            counts["finding"] += 1
            sys.stderr.write(f"FINDING {error!r}: {request}"[:500] + "\n")
    sys.stdout.write(f"{dict(counts)}\n")
    return 1 if counts["finding"] else 0


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    sys.exit(main())
