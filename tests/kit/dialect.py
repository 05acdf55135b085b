"""A Hex engine with its own dialect of GTP, and the mapping for it."""

import textwrap
from pathlib import Path

# A Hex engine with its own dialect: cells by numbers from the north-west, colours x and o, commands of its own. It
# plays the first empty cell, keeps a log of what it was sent, and misbehaves as the test asks.
ENGINE = """
import sys, time
log = open("log.txt", "a")
taken, size = set(), 0
for line in sys.stdin:
    log.write(line)
    log.flush()
    command, *words = line.split()
    text = ""
    if command == "new":
        size, taken = int(words[0]), set()
    elif command in ("x_plays", "o_plays"):
        taken.add(words[0])
    elif command in ("x_move", "o_move"):
        text = next(f"{column}/{row}" for row in range(size) for column in range(size)
                    if f"{column}/{row}" not in taken)
        taken.add(text)
        #MOVE
    print(f"= {text}\\n", flush=True)
"""
MAPPING = """
name = "Dialect"
run = ["python3", "engine.py"]
ruleset = "square-grid-hex"

[commands]
boardsize = ""
clear_board = "new {size}"
play = "{colour}_plays {turn}"
genmove = "{colour}_move"
time_settings = ""
time_left = ""

[colours]
black = "x"
white = "o"

[coordinates]
cell = "{column}/{row}"
first = 0
corner = "north-west"
"""


def write_bridge(directory: Path, move: str = "", more: str = "", mapping: str = MAPPING) -> Path:
    """Write the engine with its mapping, and return the mapping's path."""
    (directory / "engine.py").write_text(ENGINE.replace("#MOVE", move or "pass"))
    path = directory / "dialect.toml"
    path.write_text(mapping + textwrap.dedent(more))
    return path
