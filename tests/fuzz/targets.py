"""What strangers' bytes meet first, each as a function that takes any bytes and must come back.

It says what became of them: they were taken, within every limit, or refused by the exception that is documented. A
`Finding` is anything else.
"""

import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Final

from engines.manifest import MAX_FILE_BYTES, ManifestRefused, parse_manifest
from engines.referee.conduct import BotFault
from engines.referee.gtp import Channel
from engines.rules.errors import TurnError
from engines.rules.registry import RULESETS
from engines.sandbox.archives.unpack import MAX_BYTES, MAX_ENTRIES, ArchiveRefused, read_entries, write_entries
from engines.sandbox.isolation.limits import DEFAULT
from engines.sandbox.staging.submission import bot_entries

# Limits that a mutated archive of some KB can meet, besides those of the service.
SMALL_BYTES: Final = 256 * 1024
SMALL_ENTRIES: Final = 20
_BOARDS: Final = [ruleset.start(min(ruleset.sizes)) for ruleset in RULESETS.values()]


class Finding(AssertionError):
    """Something that was taken and is not within the limits."""


def archive(data: bytes, scratch: Path) -> str:
    """An upload: read by the door, and written as the worker writes it. Leaves `scratch` empty."""
    into = scratch / "bot"
    try:
        read_entries(data, max_bytes=SMALL_BYTES, max_entries=SMALL_ENTRIES)
        entries, _ = bot_entries(data)
    except (ArchiveRefused, ManifestRefused) as refusal:
        _see(not any(scratch.iterdir()), "a refused archive has left something")
        _see(len(str(refusal)) < 2000 and str(refusal).isprintable(), f"a refusal that cannot be shown: {refusal!r}")
        return "refused"
    write_entries(entries, into)
    try:
        _look_through(scratch, into)
    finally:
        shutil.rmtree(into)
    return "taken"


def _look_through(scratch: Path, into: Path) -> None:
    _see([path.name for path in scratch.iterdir()] == ["bot"], "a file outside of the bot's directory")
    found = list(into.rglob("*"))
    _see(len(found) <= min(MAX_ENTRIES, SMALL_ENTRIES), "more entries than are allowed")
    total = 0
    for path in found:
        facts = path.lstat()
        _see(stat.S_ISREG(facts.st_mode) or stat.S_ISDIR(facts.st_mode), f"{path.name!r} is neither file nor directory")
        _see(stat.S_IMODE(facts.st_mode) in (0o644, 0o755), f"{path.name!r} has mode {facts.st_mode:o}")
        _see(path.name.isprintable(), f"{path.name!r} cannot be shown")
        total += facts.st_size if stat.S_ISREG(facts.st_mode) else 0
    _see(total <= min(MAX_BYTES, SMALL_BYTES), "more bytes than are allowed")


def manifest(data: bytes, scratch: Path) -> str:
    """A bot.toml, as it is read once its size and encoding have passed."""
    text = data[:MAX_FILE_BYTES].decode("utf-8", "replace")
    try:
        read = parse_manifest(text)
    except ManifestRefused as refusal:
        _see(str(refusal).isprintable() and refusal.line.isprintable(), f"a refusal that cannot be shown: {refusal!r}")
        return "refused"
    _see(bool(read.name) and read.name.isprintable() and bool(read.command), f"a manifest that says nothing: {read}")
    _see(set(read.rulesets) <= set(RULESETS) and bool(read.rulesets), f"rulesets that there are not: {read.rulesets}")
    _see(not any("\0" in word for word in (*read.command, *(read.build or ()))), "a NUL in a command")
    return "taken"


def protocol(data: bytes, scratch: Path) -> str:
    """What a bot writes when it is asked for a turn: an answer or a fault; then a turn, or the rules' refusal."""
    # More would not fit the pipe, and the bot's part of it is not awaited here.
    data = data[:60_000]
    ends = [os.pipe() for _ in range(3)]
    (_, asked), (stdout, wrote), (stderr, _) = ends
    bot = SimpleNamespace(pid=0, stdin=asked, stdout=stdout, stderr=stderr, memory_exceeded=lambda: False,
                          exit_status=lambda: 0)
    try:
        channel = Channel(bot)
        os.write(wrote, data)
        os.close(wrote)
        timer = SimpleNamespace(wait=lambda: 0.01, spent=lambda: "a while")
        try:
            # Past the look for what was written too early, which refuses everything that is here already.
            lines, _ = channel._receive("genmove x", timer, DEFAULT.reply_bytes)
        except BotFault as fault:
            # Other control characters are written out by whoever shows the line; a NUL cannot even be stored.
            _see("\0" not in fault.line + str(fault), f"a fault that cannot be kept: {fault!r}")
            _see(len(fault.line) < 1000, "an endless line")
            return "refused"
    finally:
        for end in {*(end for pair in ends for end in pair)} - {wrote}:
            os.close(end)
    _see(sum(map(len, lines)) <= DEFAULT.reply_bytes, "an answer longer than is allowed")
    return _played(b"\n".join(lines)[1:].decode("utf-8", "backslashreplace").strip(" \t\n"))


def _played(text: str) -> str:
    taken = False
    for board in _BOARDS:
        try:
            board.play(board.parse(text))
        except TurnError as refusal:
            _see(len(str(refusal)) < 10_000, "an endless refusal")
        else:
            taken = True
    return "taken" if taken else "refused"


def _see(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Finding(otherwise)


TARGETS: Final[dict[str, Callable[[bytes, Path], str]]] = {
    "archive": archive, "manifest": manifest, "protocol": protocol}
