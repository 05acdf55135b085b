"""The reference bots, weakest first: each is a directory that anybody could upload."""

from pathlib import Path
from typing import Final

REFERENCE_BOTS: Final = {name: Path(__file__).parent / name for name in ("random", "greedy", "searcher")}
