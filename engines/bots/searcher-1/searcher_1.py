"""`searcher-1`: the searcher at the least of its three fixed strengths. A seed as argument repeats its games."""

import sys

from engines.sdk import run
from engines.search.searcher import AnchorBot


class SearcherBot1(AnchorBot):
    name = "searcher-1"


if __name__ == "__main__":
    run(SearcherBot1(1, *map(int, sys.argv[1:])))
