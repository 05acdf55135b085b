"""`searcher-3`: the searcher at the highest of three fixed strengths. Takes a seed for reproducible games."""

import sys

from squarefield._core.engines.search.searcher import AnchorBot
from squarefield.sdk import run


class SearcherBot3(AnchorBot):
    name = "searcher-3"


if __name__ == "__main__":
    run(SearcherBot3(3, *map(int, sys.argv[1:])))
