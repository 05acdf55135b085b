"""`python -m squarefield.rules COMMAND …`: play recorded turns by the rules, and count sequences of turns."""

import sys

from engines.__main__ import main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
