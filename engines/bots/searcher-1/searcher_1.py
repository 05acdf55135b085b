"""`searcher-1`: the searcher at the lowest of three fixed strengths. Takes a seed for reproducible games."""

import sys

from squarefield._core.engines.search.searcher import AnchorBot
from squarefield.sdk import run


class SearcherBot1(AnchorBot):
    name = "searcher-1"


if __name__ == "__main__":
    run(SearcherBot1(1, *map(int, sys.argv[1:])))
