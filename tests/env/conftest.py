"""The libraries that `selftest` installs for the tests of the wrappers."""

import sys

from tournaments.setup.bootstrap.environments import PLACE

if PLACE.is_dir():
    # At the end: the packages of the tests' own environment come first.
    sys.path.append(str(PLACE))
