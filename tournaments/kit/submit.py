"""`squarefield submit`: upload of a bot through a site's API, and the result of its check."""

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
from tournaments.kit.site import Rejected, Site, Unreachable
from tournaments.kit.terminal import refused, show_log, shown

TOKEN: Final = "SQUAREFIELD_TOKEN"  # noqa: S105 - the variable's name
SITE: Final = "SQUAREFIELD_SITE"
SECONDS_BETWEEN_LOOKS = 2.0
_OPEN: Final = ("received", "checking")
# More than enough for a restart of the site.
_TRIES: Final = 30

_DESCRIPTION: Final = f"""\
Packs a bot and uploads it to a site with your token for that site, from {TOKEN} in the environment
or from a file (--token-file). Then waits and shows the steps of the site's check. Run
`squarefield check` first: it is the same check.

The exit status is 0 if the bot qualifies (with --no-wait: if the site accepts the upload), 1 if the
site rejects it, 2 if there is no answer from the site."""


def main(argv: Sequence[str]) -> int:
    """Submit a bot. Returns 0 if it qualified or was received, 1 if it was rejected, 2 if there is no result."""
    options = _parser().parse_args(argv)
    try:
        site = site_of(options.site, options.token_file)
        name, archive = _packed(options.bot)
        answer = site.submit(f"{name}.zip", archive)
    except CannotPlay as error:
        return refused("not submitted", error)
    except Rejected as error:
        print(shown(f"{options.site} rejected the upload: {error}"))
        return 1
    print(shown(_said(answer, site)), flush=True)
    number = answer.get("id")
    if not options.wait or answer.get("status") not in _OPEN or not isinstance(number, int):
        return 0
    try:
        answer = _wait(site, number)
    except CannotPlay as error:
        return refused(f"no result yet, see {site.page_of(number)}", error)
    if answer.get("status") == "refused":
        return _tell_refusal(answer, options.site)
    print(shown(_said(answer, site)))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = parser_of("squarefield submit", _DESCRIPTION)
    parser.add_argument("bot", metavar="BOT", help=KINDS)
    add_site(parser)
    parser.add_argument("--no-wait", dest="wait", action="store_false",
                        help="exit when the site has received the bot, without waiting for its check")
    return parser


def _wait(site: Site, number: int) -> dict[str, Any]:
    """Show the steps of the check until it is over. Returns the submission. Raises Unreachable after many tries."""
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
    """Return the progress of the check: a line for each completed step, and for a setback."""
    steps = answer.get("steps")
    lines = [f"{'passed' if step.get('passed') else 'failed'}  {step.get('name')}"
             + (f": {step['note']}" if step.get("note") else "")
             for step in (steps if isinstance(steps, list) else [])
             if isinstance(step, dict) and step.get("passed") is not None]
    if answer.get("setback"):
        lines.append(f"The check is being repeated, through no fault of your bot: {answer['setback']}")
    return lines


def _tell_refusal(answer: dict[str, Any], site: str) -> int:
    print(shown(f"{site} rejected the bot: {answer.get('refusal')}"))
    if answer.get("line"):
        print(shown(f"Line to fix: {answer['line']}"))
    for log in ("log", "stderr"):
        show_log(str(answer.get(log) or ""))
    return 1


def _said(answer: dict[str, Any], site: Site) -> str:
    version = answer.get("version")
    if isinstance(version, dict):
        return f"Accepted: {version.get('bot')}, version {version.get('number')}."
    number = int(answer.get("id") or 0)
    return f"Received as submission {number}; the check is in progress: {site.page_of(number)}"


def add_site(parser: argparse._ActionsContainer) -> None:
    """Add the options that `site_of` takes."""
    parser.add_argument("--site", default=os.environ.get(SITE), metavar="URL",
                        help=f"the site's URL, such as https://bots.example (default: {SITE} in the environment)")
    parser.add_argument("--token-file", metavar="FILE",
                        help=f"file with your token (default: {TOKEN} in the environment)")


def site_of(address: str | None, token_file: str | None) -> Site:
    """Return the site at an address, with the token from a file or the environment. Raises CannotPlay."""
    if not address:
        raise CannotPlay(f"no site: set --site, or {SITE} in the environment")
    site = Site(address, _token(token_file))
    if not site.secret:
        print(shown(f"warning: {address} is not https, so others on the network can read your token"), file=sys.stderr)
    return site


def _token(file: str | None) -> str:
    try:
        token = (Path(file).read_text(encoding="ascii") if file else os.environ.get(TOKEN, "")).strip()
    except OSError as error:
        raise CannotPlay(f"cannot read {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        token = ""
    if not token and not file:
        raise CannotPlay(f"no token: set {TOKEN} in the environment, or give a file with --token-file")
    if not re.fullmatch(r"[A-Za-z0-9_]+", token):
        raise CannotPlay("the token must be one word of letters, digits and _: copy it again")
    return token


def _packed(bot: str) -> tuple[str, bytes]:
    archive = archive_of(bot)
    try:
        read_submission(archive)
    except (ArchiveRefused, ManifestRefused) as error:
        raise CannotPlay(f"{bot}: {error}") from None
    return name_for(Path(bot).resolve()), archive
