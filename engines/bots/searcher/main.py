"""`searcher`: Monte Carlo tree search. Arguments: a seed, and the maximum number of leaves per turn."""

import sys

from squarefield._core.engines.search.searcher import SearcherBot
from squarefield.sdk import run

if __name__ == "__main__":
    run(SearcherBot(*map(int, sys.argv[1:])))
