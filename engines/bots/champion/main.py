"""`champion`: the tree search of the native engine. Arguments: a seed, and the maximum number of leaves per stone."""

import sys

from squarefield._core.engines.search.champion import ChampionBot
from squarefield.sdk import run

if __name__ == "__main__":
    run(ChampionBot(*map(int, sys.argv[1:])))
