"""`squarefield COMMAND …` and `python -m squarefield COMMAND …`: the commands for authors of bots."""

import sys

from tournaments.kit.main import main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
