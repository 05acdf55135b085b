"""`searcher`: Monte Carlo tree search. Arguments: a seed, and the maximum number of leaves per turn."""

import sys

from engines.sdk import run
from engines.search.searcher import SearcherBot

if __name__ == "__main__":
    run(SearcherBot(*map(int, sys.argv[1:])))
