"""`squarefield submit`: a bot to a site, by its API, and the verdict back."""

import argparse
import os
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from engines.cli import parser_of
from engines.manifest import ManifestRefused
from engines.sandbox import ArchiveRefused
from engines.sandbox.staging.submission import read_submission
from tournaments.kit.bots import KINDS, CannotPlay, archive_of, name_for
from tournaments.kit.site import Site, Unreachable, UploadRejected
from tournaments.kit.terminal import refused, show_log, shown

TOKEN: Final = "SQUAREFIELD_TOKEN"  # noqa: S105 - the variable's name
SITE: Final = "SQUAREFIELD_SITE"
SECONDS_BETWEEN_LOOKS = 2.0
_OPEN: Final = ("received", "checking")
# A site that is being restarted is away for less.
_TRIES: Final = 30

_DESCRIPTION: Final = f"""\
Packs a bot and uploads it to a site, with your token there: in the environment as {TOKEN}, or in a
file (--token-file). Then it waits, and shows the steps of the site's check as they pass. Run
`squarefield check` first: the site makes the same check.

The exit status is 0 when the bot qualifies (with --no-wait: when the site takes it in), 1 when the
site refuses it, 2 when it could not be asked."""


def main(argv: Sequence[str]) -> int:
    """Submit a bot. Returns 0 when it qualified or was taken in, 1 when it was refused, 2 when nobody could tell."""
    options = _parser().parse_args(argv)
    try:
        site = _site(options.site, options.token_file)
        name, archive = _packed(options.bot)
        answer = site.submit(f"{name}.zip", archive)
    except CannotPlay as error:
        return refused("not submitted", error)
    except UploadRejected as error:
        print(shown(f"{options.site} refuses: {error}"))
        return 1
    print(shown(_said(answer, site)), flush=True)
    number = answer.get("id")
    if not options.wait or answer.get("status") not in _OPEN or not isinstance(number, int):
        return 0
    try:
        answer = _wait(site, number)
    except CannotPlay as error:
        return refused(f"no verdict yet, see {site.page_of(number)}", error)
    if answer.get("status") == "refused":
        return _tell_refusal(answer, options.site)
    print(shown(_said(answer, site)))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = parser_of("squarefield submit", _DESCRIPTION)
    parser.add_argument("bot", metavar="BOT", help=KINDS)
    parser.add_argument("--site", default=os.environ.get(SITE), metavar="URL",
                        help=f"the site's address, such as https://bots.example; else {SITE} in the environment")
    parser.add_argument("--token-file", metavar="FILE", help=f"holds your token; else {TOKEN} in the environment")
    parser.add_argument("--no-wait", dest="wait", action="store_false",
                        help="end when the site has taken it in, without the verdict")
    return parser


def _wait(site: Site, number: int) -> dict[str, Any]:
    """Show the steps of the check until it is over; returns the submission. Raises Unreachable after many tries."""
    told: set[str] = set()
    tries = 0
    while True:
        time.sleep(SECONDS_BETWEEN_LOOKS)
        try:
            answer = site.submission(number)
        except Unreachable:
            tries += 1
            if tries == _TRIES:
                raise
            continue
        tries = 0
        for line in _progress(answer):
            if line not in told:
                told.add(line)
                print(shown(line), flush=True)
        if answer.get("status") not in _OPEN:
            return answer


def _progress(answer: dict[str, Any]) -> list[str]:
    """What there is to say of the check so far: a line for each step that is over, and for a setback."""
    steps = answer.get("steps")
    lines = [f"{'passed' if step.get('passed') else 'failed'}  {step.get('name')}"
             + (f": {step['note']}" if step.get("note") else "")
             for step in (steps if isinstance(steps, list) else [])
             if isinstance(step, dict) and step.get("passed") is not None]
    if answer.get("setback"):
        lines.append(f"The check is repeated, by no fault of the bot: {answer['setback']}")
    return lines


def _tell_refusal(answer: dict[str, Any], site: str) -> int:
    print(shown(f"{site} refuses: {answer.get('refusal')}"))
    if answer.get("line"):
        print(shown(f"The line to mend: {answer['line']}"))
    for log in ("log", "stderr"):
        show_log(str(answer.get(log) or ""))
    return 1


def _said(answer: dict[str, Any], site: Site) -> str:
    version = answer.get("version")
    if isinstance(version, dict):
        return f"Taken: {version.get('bot')}, version {version.get('number')}."
    number = int(answer.get("id") or 0)
    return f"Received as submission {number}; it is checked now: {site.page_of(number)}"


def _site(address: str | None, token_file: str | None) -> Site:
    if not address:
        raise CannotPlay(f"no site: name it with --site, or in {SITE}")
    site = Site(address, _token(token_file))
    if not site.secret:
        print(shown(f"{address} is not https: anybody on the way can read your token"), file=sys.stderr)
    return site


def _token(file: str | None) -> str:
    try:
        token = (Path(file).read_text(encoding="ascii") if file else os.environ.get(TOKEN, "")).strip()
    except OSError as error:
        raise CannotPlay(f"{file} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        token = ""
    if not token and not file:
        raise CannotPlay(f"no token: put yours into the environment as {TOKEN}, or name a file with --token-file")
    if not re.fullmatch(r"[A-Za-z0-9_]+", token):
        raise CannotPlay("the token is not one word of letters, digits and _")
    return token


def _packed(bot: str) -> tuple[str, bytes]:
    archive = archive_of(bot)
    try:
        read_submission(archive)
    except (ArchiveRefused, ManifestRefused) as error:
        raise CannotPlay(f"{bot}: {error}") from None
    return name_for(Path(bot).resolve()), archive
