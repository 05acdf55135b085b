"""`python -m engines play`: one refereed game between two bots, shown in the terminal as it goes."""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final, TextIO

from engines.bots import REFERENCE_BOTS
from engines.clock import TimeControl, TimeControlError
from engines.manifest import FILE_NAME, ManifestRefused
from engines.record import GameRecord, TurnRecord
from engines.referee import Player, default_ply_cap, play_game
from engines.registry import RULESETS
from engines.replay import MARKS, board_text, result_sentence
from engines.ruleset import Position, Ruleset, SetupError
from engines.sandbox import ArchiveRefused, Build, BuildFailed, Sandbox, SandboxError, SandboxUnavailable, Tier

_LAST_WORDS: Final = 20
_LONGEST_LINE: Final = 300
_HOME_AND_CLEAR: Final = "\x1b[H\x1b[J"

_DESCRIPTION: Final = """\
Plays one game between two bots; the first has the first colour and moves first. A bot is the
name of a reference bot ({names}), a bot's directory (with its bot.toml), its archive
(.zip, .tar, .tar.gz), or a single Python file. Whatever they do, the game ends: a bot
that breaks the rules of conduct forfeits, with its reason and the offending line."""


class CannotPlayError(Exception):
    """No game was played; `str()` says why."""


def main(argv: Sequence[str]) -> int:
    """Play a game. Returns 0 when it was played to some result, 2 when it could not be."""
    options = _parser().parse_args(argv)
    try:
        with ExitStack() as stack:
            ruleset, size, control = _game_of(options)
            record_file = stack.enter_context(_writing(Path(options.record))) if options.record else None
            record = _play(options, ruleset, size, control)
            if record_file is not None:
                json.dump(record.to_dict(), record_file, ensure_ascii=False)
                record_file.write("\n")
    except (CannotPlayError, SandboxError) as error:
        remedy = " (or play your own bots without a sandbox: --unsafe-local)"
        unavailable = isinstance(error, SandboxUnavailable)
        print(f"no game: {_shown(str(error))}{remedy if unavailable else ''}", file=sys.stderr)
        return 2
    _show_end(record)
    return 0


def _parser() -> argparse.ArgumentParser:
    names = ", ".join(REFERENCE_BOTS)
    parser = argparse.ArgumentParser(prog="python -m engines play", description=_DESCRIPTION.format(names=names),
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ruleset", choices=RULESETS, metavar="RULESET", help=", ".join(RULESETS))
    parser.add_argument("bots", nargs=2, metavar="BOT", help="a reference bot's name, or a directory or file of a bot")
    parser.add_argument("--size", type=int, metavar="N", help="cells a side; by default what the ruleset prefers")
    parser.add_argument("--time", default="10+0.1", metavar="BASE+INC", help="seconds each (default: %(default)s)")
    parser.add_argument("--record", metavar="FILE", help="save the game's record there, as JSON")
    parser.add_argument("--quiet", action="store_true", help="print nothing but the result")
    parser.add_argument("--unsafe-local", action="store_true", help="run the bots without a sandbox: only your own")
    return parser


def _game_of(options: argparse.Namespace) -> tuple[Ruleset, int, TimeControl]:
    ruleset = RULESETS[options.ruleset]
    size = ruleset.default_size if options.size is None else options.size
    try:
        ruleset.check_size(size)
        return ruleset, size, TimeControl.parse(options.time)
    except (SetupError, TimeControlError) as error:
        raise CannotPlayError(str(error)) from None


@contextmanager
def _writing(path: Path) -> Iterator[TextIO]:
    """A file that takes the path's place when the block ends well. Raises CannotPlayError before anything is played."""
    path = path.resolve()
    if path.exists() and not path.is_file():
        raise CannotPlayError(f"the record cannot be written: {path} is not a file")
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        file = part.open("x", encoding="utf-8")
    except OSError as error:
        raise CannotPlayError(f"the record cannot be written to {path}: {error.strerror}") from None
    try:
        with file:
            yield file
        part.replace(path)
    except BaseException:
        part.unlink()
        raise


# --- bots ------------------------------------------------------------------------------------


def _play(options: argparse.Namespace, ruleset: Ruleset, size: int, control: TimeControl) -> GameRecord:
    sandbox = Sandbox.open(unsafe_local=options.unsafe_local)
    first, second = (_build(sandbox, name, ruleset) for name in options.bots)
    if sandbox.tier is not Tier.STANDARD:
        print(f"sandbox: {sandbox.tier} ({_shown(sandbox.reason)})", file=sys.stderr)
    players = (_player(sandbox, first), _player(sandbox, second))
    show = None if options.quiet else _Screen(ruleset, size, control, (players[0].name, players[1].name)).show
    return play_game(ruleset, size, players, time_control=control, ply_cap=default_ply_cap(size), on_turn=show,
                     tier=sandbox.tier.value)


def _player(sandbox: Sandbox, build: Build) -> Player:
    return Player(build.manifest.name, lambda: sandbox.start(build))


def _build(sandbox: Sandbox, name: str, ruleset: Ruleset) -> Build:
    """The bot of that name or path, staged. Raises CannotPlayError."""
    try:
        build = _staged(sandbox, name)
    except (ArchiveRefused, ManifestRefused) as error:
        raise CannotPlayError(f"{name}: {error}") from None
    except BuildFailed as error:
        raise CannotPlayError(f"{name}: {error}\n{error.log}") from None
    except OSError as error:
        raise CannotPlayError(f"{name} cannot be read: {error.strerror}") from None
    if ruleset.slug not in build.manifest.rulesets:
        raise CannotPlayError(f"{name} does not play {ruleset.slug}; it plays {', '.join(build.manifest.rulesets)}")
    return build


def _staged(sandbox: Sandbox, name: str) -> Build:
    path = REFERENCE_BOTS.get(name, Path(name))
    if path.is_dir():
        return sandbox.runtime.stage_directory(path, sandbox=sandbox)
    if path.suffix != ".py":
        return sandbox.runtime.stage(path.read_bytes(), sandbox=sandbox)
    with tempfile.TemporaryDirectory() as directory:
        Path(directory, "bot.py").write_bytes(path.read_bytes())
        manifest = f'name = {json.dumps(path.stem[:40].strip() or "bot")}\ncommand = ["python3", "bot.py"]\n'
        Path(directory, FILE_NAME).write_text(manifest, encoding="utf-8")
        return sandbox.runtime.stage_directory(Path(directory), sandbox=sandbox)


# --- the terminal ----------------------------------------------------------------------------


class _Screen:
    """Shows a game as it goes: the board drawn over and over in a terminal, a line for each turn elsewhere."""

    def __init__(self, ruleset: Ruleset, size: int, control: TimeControl, names: tuple[str, str]) -> None:
        self._ruleset = ruleset
        self._who = [f"{name} ({colour})" for name, colour in zip(names, ruleset.colours, strict=True)]
        self._title = f"{ruleset.name}, {size}×{size}, {control} s: {self._who[0]} against {self._who[1]}"
        self._draws = sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self._ply = 0
        if not self._draws:
            print(_shown(self._title), flush=True)

    def show(self, position: Position, turn: TurnRecord) -> None:
        """Show the position after a turn."""
        colour = self._ruleset.colours[self._ply % 2]
        self._ply += 1
        line = f"{self._ply:3}  {colour:5}  {turn.turn}  {turn.seconds:.3f} s"
        if not self._draws:
            print(line, flush=True)
            return
        legend = "   ".join(f"{mark} {who}" for mark, who in zip(MARKS[1:], self._who, strict=True))
        picture = (_shown(self._title), "", board_text(position.rows()), "", _shown(legend), line)
        print(_HOME_AND_CLEAR + "\n".join(picture), flush=True)


def _show_end(record: GameRecord) -> None:
    """The result in a sentence, and after a forfeit what there is to say about it."""
    print(_shown(result_sentence(record)))
    fault = record.fault
    if fault is None:
        return
    name = record.seats[fault.seat].name
    print(_shown(f"{name}: {fault.message}"))
    if fault.line:
        print(_shown(f"{name} wrote: {fault.line}"))
    last_words = record.stderr[fault.seat].decode("utf-8", "backslashreplace").splitlines()[-_LAST_WORDS:]
    for line in last_words:
        print(f"  stderr: {_shown(line[:_LONGEST_LINE])}", file=sys.stderr)


def _shown(text: str) -> str:
    """A stranger's text so that a terminal only shows it: nothing that is not printable, nothing it cannot encode."""
    plain = "".join(char if char.isprintable() or char == "\n" else ascii(char)[1:-1] for char in text)
    encoding = sys.stdout.encoding or "utf-8"
    return plain.encode(encoding, "backslashreplace").decode(encoding)
