"""`squarefield verify`: verification of an event's bundle. The checks are in `formats.verification`."""

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
Verifies the bundle of an event, downloaded from a site (events/SLUG/bundle/): that no file was changed, that every
game was played by the rules and ended as its record says, and that standings, tie-breaks and rating changes follow
from the games. It needs neither the site nor the bots.

The exit status is 0 if the bundle is valid, 1 if not, 2 if there is no such file."""


def main(argv: Sequence[str]) -> int:
    """Verify a bundle. Returns 0 if it is valid, 1 if not, 2 if there is none."""
    parser = parser_of("squarefield verify", _DESCRIPTION)
    parser.add_argument("bundle", metavar="BUNDLE", help="the bundle's zip file")
    path = parser.parse_args(argv).bundle
    if not Path(path).is_file():
        print(shown(f"{path} is not a file"), file=sys.stderr)
        return 2
    try:
        said = verify_bundle(path)
    except (BundleError, Mismatch) as error:
        print(shown(f"Invalid: {error}"))
        return 1
    print(shown(said))
    return 0
