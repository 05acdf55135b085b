"""`squarefield check`: the check that the site makes of a submission, made here, in the same sandbox."""

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
Checks a bot exactly as a site does when it is submitted: unpacks it, reads its bot.toml, builds it
in the sandbox, shakes hands, and lets it play two games in each of its rulesets against a
bot without a plan, which it need not win. Says what is wrong, and the line to mend.

The exit status is 0 when the bot passes, 1 when it does not, 2 when it could not be checked."""


def main(argv: Sequence[str]) -> int:
    """Check a bot. Returns 0 when it passes, 1 when it does not, 2 when that could not be found out."""
    parser = parser_of("squarefield check", _DESCRIPTION)
    parser.add_argument("bot", metavar="BOT", help=KINDS)
    parser.add_argument("--site", metavar="URL", default=os.environ.get("SQUAREFIELD_SITE", ""),
                        help="warn of programs that this site does not have (default: $SQUAREFIELD_SITE; "
                             "without one, that no site promises)")
    parser.add_argument("--unsafe-local", action="store_true", help="run it without a sandbox: only your own")
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
    print("It passes: a site would take it.")
    return 0


def _warn(archive: bytes, address: str) -> None:
    """Name the programs that the bot needs and the site lacks: the sandbox shows what is installed here."""
    try:
        tools = Site(address).tools() if address else {}
    except CannotPlay as error:
        print(shown(f"warning: {error}; the programs are compared with what every site promises"))
        tools = {}
    where = f"{address} does" if tools else "sites need"
    for program, place in missing_programs(archive, tools or dict.fromkeys(PROMISED, "")):
        print(shown(f"warning: {where} not have {program}, which {place} names: pack what you need into the bot"
                    + ("" if tools else ", or ask your site with --site URL")), flush=True)


def _tell(step: Step) -> None:
    if step.passed is not None:
        note = f": {step.note}" if step.note else ""
        print(shown(f"{'passed' if step.passed else 'FAILED'}  {step.name}{note}  {step.seconds:.1f} s"), flush=True)


def _explain(failure: Failure) -> None:
    print(shown(f"It does not pass. {failure}"))
    if failure.line:
        print(shown(f"  {failure.line}"))
    show_log(failure.log)
