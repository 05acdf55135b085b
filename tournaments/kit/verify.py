"""`squarefield verify`: an event's bundle, checked and computed again. The checks are in `formats.verification`."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from engines.cli import parser_of
from engines.records.bundle import BundleError
from tournaments.formats.bundled import Mismatch
from tournaments.formats.verification import verify_bundle
from tournaments.kit.terminal import shown

_DESCRIPTION: Final = """\
Checks a bundle that a site offers for an event (events/SLUG/bundle/): that no file was changed, that every game was
played by the rules and ended as its record says, and that standings, tie-breaks and rating changes follow from the
games. It needs neither the site nor the bots.

The exit status is 0 when all of it holds, 1 when something does not, 2 when the file cannot be read."""


def main(argv: Sequence[str]) -> int:
    """Verify a bundle. Returns 0 when it holds, 1 when it does not, 2 when there is none."""
    parser = parser_of("squarefield verify", _DESCRIPTION)
    parser.add_argument("bundle", metavar="BUNDLE", help="the zip file")
    path = parser.parse_args(argv).bundle
    if not Path(path).is_file():
        print(shown(f"{path} is no file"), file=sys.stderr)
        return 2
    try:
        said = verify_bundle(path)
    except (BundleError, Mismatch) as error:
        print(shown(f"Refused: {error}"))
        return 1
    print(shown(said))
    return 0
