"""`searcher-3`: the searcher at the highest of three fixed strengths. Takes a seed for reproducible games."""

import sys

from engines.sdk import run
from engines.search.searcher import AnchorBot


class SearcherBot3(AnchorBot):
    name = "searcher-3"


if __name__ == "__main__":
    run(SearcherBot3(3, *map(int, sys.argv[1:])))
