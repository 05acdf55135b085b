"""The reference bots, weakest first: each is a directory that could be uploaded like any other bot."""

from pathlib import Path
from typing import Final

# searcher-1 to -3 are the searcher with a fixed number of leaves per turn. Their strength does not depend on the
# machine, so ladders can be compared by them.
REFERENCE_BOTS: Final = {
    name: Path(__file__).parent / name
    for name in ("random", "greedy", "montecarlo", "searcher-1", "searcher-2", "searcher-3", "searcher",
                 "champion")
}
