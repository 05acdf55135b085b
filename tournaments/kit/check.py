"""`squarefield check`: the site's check of a submission, run locally in the same sandbox."""

import os
from collections.abc import Sequence
from typing import Final

from engines.check import Failure, Step, check_submission
from engines.cli import parser_of
from engines.sandbox import Sandbox, SandboxError
from engines.sandbox.staging.tools import PROMISED
from tournaments.kit.bots import KINDS, CannotPlay, archive_of
from tournaments.kit.needs import missing_programs
from tournaments.kit.site import Site
from tournaments.kit.terminal import refused, show_log, shown, tell_tier

_DESCRIPTION: Final = """\
Checks a bot exactly as a site checks a submission: unpacks it, reads its bot.toml, builds it in the
sandbox, completes the handshake, and lets it play two games in each of its rulesets against a bot
that plays at random. It need not win them. If the check fails, prints the reason and the line to fix.

The exit status is 0 if the bot passes, 1 if it fails, 2 if it could not be checked."""


def main(argv: Sequence[str]) -> int:
    """Check a bot. Returns 0 if it passes, 1 if it fails, 2 if it could not be checked."""
    parser = parser_of("squarefield check", _DESCRIPTION)
    parser.add_argument("bot", metavar="BOT", help=KINDS)
    parser.add_argument("--site", metavar="URL", default=os.environ.get("SQUAREFIELD_SITE", ""),
                        help="warn about programs that this site does not have (default: $SQUAREFIELD_SITE; without a "
                             "site, about programs that sites do not promise)")
    parser.add_argument("--unsafe-local", action="store_true", help="run the bot without a sandbox (only for your own "
                                                                    "bots)")
    options = parser.parse_args(argv)
    try:
        archive = archive_of(options.bot)
        _warn(archive, options.site)
        sandbox = Sandbox.open(unsafe_local=options.unsafe_local)
        tell_tier(sandbox)
        verdict = check_submission(archive, sandbox, on_step=_tell)
    except (CannotPlay, SandboxError) as error:
        return refused("not checked", error)
    if verdict.failure is not None:
        _explain(verdict.failure)
        return 1
    print("Passed: a site would accept this bot.")
    return 0


def _warn(archive: bytes, address: str) -> None:
    """Warn about programs that the bot needs and the site lacks; the local sandbox has what is installed here."""
    try:
        tools = Site(address).tools() if address else {}
    except CannotPlay as error:
        print(shown(f"warning: {error}; checking against the programs that every site promises"))
        tools = {}
    where = f"{address} does not have" if tools else "a site may not have"
    for program, place in missing_programs(archive, tools or dict.fromkeys(PROMISED, "")):
        print(shown(f"warning: {where} {program}, needed by {place}: pack what you need into the bot"
                    + ("" if tools else ", or check your site with --site URL")), flush=True)


def _tell(step: Step) -> None:
    if step.passed is not None:
        note = f": {step.note}" if step.note else ""
        print(shown(f"{'passed' if step.passed else 'FAILED'}  {step.name}{note}  {step.seconds:.1f} s"), flush=True)


def _explain(failure: Failure) -> None:
    print(shown(f"Failed. {failure}"))
    if failure.line:
        print(shown(f"  {failure.line}"))
    show_log(failure.log)
