"""`squarefield check`: the check that the site makes of a submission, made here, in the same sandbox."""

import argparse
from collections.abc import Sequence
from typing import Final

from engines.check import Failure, Step, check_submission
from engines.kit.bots import KINDS, CannotPlay, archive_of
from engines.kit.terminal import refused, show_log, shown, tell_tier
from engines.sandbox import Sandbox, SandboxError

_DESCRIPTION: Final = """\
Checks a bot exactly as a site does when it is submitted: unpacks it, reads its bot.toml, builds it
in the sandbox, shakes hands, and lets it play two games in each of its rulesets against a
bot without a plan, which it need not win. Says what is wrong, and the line to mend.

The exit status is 0 when the bot passes, 1 when it does not, 2 when it could not be checked."""


def main(argv: Sequence[str]) -> int:
    """Check a bot. Returns 0 when it passes, 1 when it does not, 2 when that could not be found out."""
    parser = argparse.ArgumentParser(prog="squarefield check", description=_DESCRIPTION,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bot", metavar="BOT", help=KINDS)
    parser.add_argument("--unsafe-local", action="store_true", help="run it without a sandbox: only your own")
    options = parser.parse_args(argv)
    try:
        archive = archive_of(options.bot)
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


def _tell(step: Step) -> None:
    if step.passed is not None:
        note = f": {step.note}" if step.note else ""
        print(shown(f"{'passed' if step.passed else 'FAILED'}  {step.name}{note}  {step.seconds:.1f} s"), flush=True)


def _explain(failure: Failure) -> None:
    print(shown(f"It does not pass. {failure}"))
    if failure.line:
        print(shown(f"  {failure.line}"))
    show_log(failure.log)
