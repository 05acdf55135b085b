"""`searcher-2`: the searcher at the middle of three fixed strengths. Takes a seed for reproducible games."""

import sys

from squarefield._core.engines.search.searcher import AnchorBot
from squarefield.sdk import run


class SearcherBot2(AnchorBot):
    name = "searcher-2"


if __name__ == "__main__":
    run(SearcherBot2(2, *map(int, sys.argv[1:])))
