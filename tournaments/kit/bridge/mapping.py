"""Mapping file of a bridge: how to start an engine, and its words for commands, colours and turns.

docs/how-to/author/bridge.md documents the keys.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from engines.rules.registry import RULESETS
from tournaments.kit.bots import name_for
from tournaments.kit.bridge.cells import CORNERS, PARTS, NamesRefused, Notation
from tournaments.kit.bridge.table import MappingRefused, Table

# Commands for an engine unless the mapping has others, and the facts that each can contain.
COMMANDS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "boardsize": ("boardsize {size}", ("size",)),
    "clear_board": ("clear_board", ("size",)),
    "play": ("play {colour} {turn}", ("colour", "turn")),
    "genmove": ("genmove {colour}", ("colour", "seconds")),
    "time_settings": ("time_settings {seconds} {increment} {stones}", ("seconds", "increment", "stones")),
    "time_left": ("time_left {colour} {seconds} {stones}", ("colour", "seconds", "stones")),
    "quit": ("quit", ()),
}
ILLEGAL: Final = ("resign", "pass", "random")
REFUSED: Final = ("resign", "ignore")
_KEYS: Final = ("name", "run", "directory", "ruleset", "sizes", "commands", "colours", "coordinates", "turns", "faults")
_WORDS: Final = ("pass", "swap", "resign")


@dataclass(frozen=True, slots=True)
class Mapping:
    """Mapping of one engine to one ruleset.

    `directory` is where the engine runs. A command that is "" is never sent; `setup` are further commands, sent after
    each `clear_board`. `colours` are the engine's names of the seats. `illegal` is the bridge's turn if the engine's
    turn is illegal, and `refused` its reaction if the engine refuses a legal turn.
    """

    name: str
    run: tuple[str, ...]
    directory: Path
    ruleset: str
    sizes: tuple[int, ...]
    commands: dict[str, str]
    setup: tuple[str, ...]
    colours: tuple[str, str]
    notation: Notation
    illegal: str
    refused: str
    start_seconds: float
    answer_seconds: float

    def check_size(self, size: int) -> None:
        """Raise MappingRefused if the engine does not play on boards of this size."""
        if size not in self.sizes:
            raise MappingRefused(f"{self.name} plays on sizes {', '.join(map(str, self.sizes))}, not on {size}: choose "
                                 "another size, or change sizes in the mapping")


def read_mapping(path: Path) -> Mapping:
    """Return the mapping in a file. Raises MappingRefused."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        return _mapping(Table(str(path), tomllib.loads(text), _KEYS), path)
    except OSError as error:
        raise MappingRefused(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise MappingRefused(f"{path} is not text in UTF-8: save it as UTF-8") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise MappingRefused(f"{path} is not TOML: {error}") from None


def _mapping(top: Table, path: Path) -> Mapping:
    slug = top.choice("ruleset", RULESETS)
    ruleset = RULESETS[slug]
    commands = top.table("commands", (*COMMANDS, "setup"))
    colours = top.table("colours", ruleset.colours)
    faults = top.table("faults", ("illegal", "refused", "start_seconds", "answer_seconds"))
    directory = path.parent / top.text("directory", ".")
    if not directory.is_dir():
        raise top.refusal("directory", f"{directory} is not a directory: correct it, or leave it out")
    notation, sizes = _notation(top), top.sizes("sizes", ruleset.sizes)
    try:
        notation.names(max(sizes))
    except NamesRefused as error:
        raise MappingRefused(f"{path}: [coordinates] {error}") from None
    first, second = (colours.text(colour, colour, line=True) for colour in ruleset.colours)
    if first == second:
        raise colours.refusal(ruleset.colours[1], f"both colours are {first!r}: give each its own word")
    return Mapping(
        name=top.name("name", name_for(path)), run=top.words("run"), directory=directory.resolve(), ruleset=slug,
        sizes=sizes, setup=commands.lines("setup"), colours=(first, second), notation=notation,
        commands={key: commands.pattern(key, default, facts) for key, (default, facts) in COMMANDS.items()},
        illegal=faults.choice("illegal", ILLEGAL, "resign"), refused=faults.choice("refused", REFUSED, "resign"),
        start_seconds=faults.seconds("start_seconds", 30), answer_seconds=faults.seconds("answer_seconds", 300))


def _notation(top: Table) -> Notation:
    default = Notation()
    cells = top.table("coordinates", ("letters", "first", "corner", "transpose", "cell"))
    turns = top.table("turns", (*_WORDS, "separator"))
    letters = cells.text("letters", default.letters, line=True)
    if len({*letters.lower()}) < len(letters):
        raise cells.refusal("letters", f"{letters!r} names a letter twice: remove one of them")
    separator = turns.text("separator", default.separator)
    if not separator:
        raise turns.refusal("separator", 'it must not be empty: use "," between the stones of a turn')
    return Notation(
        letters=letters, first=cells.number("first", default.first), corner=cells.choice("corner", CORNERS, CORNERS[0]),
        transpose=cells.flag("transpose"), cell=cells.pattern("cell", default.cell, PARTS), separator=separator,
        words=tuple((name, turns.text(name, word)) for name, word in default.words))
