"""The code that untrusted bytes reach first, as functions that accept any bytes and must return.

Each returns whether the input was accepted, within all limits, or refused with the documented exception. Anything
else is a `Finding`.
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

# Limits low enough for a mutated archive of a few KB to reach, in addition to the service's limits.
SMALL_BYTES: Final = 256 * 1024
SMALL_ENTRIES: Final = 20
_BOARDS: Final = [ruleset.start(min(ruleset.sizes)) for ruleset in RULESETS.values()]


class Finding(AssertionError):
    """An accepted input that exceeds the limits, or a refusal that cannot be shown."""


def archive(data: bytes, scratch: Path) -> str:
    """Read an upload as the site does, and write it as the worker does. Leaves `scratch` empty."""
    into = scratch / "bot"
    try:
        read_entries(data, max_bytes=SMALL_BYTES, max_entries=SMALL_ENTRIES)
        entries, _ = bot_entries(data)
    except (ArchiveRefused, ManifestRefused) as refusal:
        must(not any(scratch.iterdir()), "a refused archive left files behind")
        must(len(str(refusal)) < 2000 and str(refusal).isprintable(), f"a refusal that cannot be shown: {refusal!r}")
        return "refused"
    write_entries(entries, into)
    try:
        _look_through(scratch, into)
    finally:
        shutil.rmtree(into)
    return "taken"


def _look_through(scratch: Path, into: Path) -> None:
    must([path.name for path in scratch.iterdir()] == ["bot"], "a file outside the bot's directory")
    found = list(into.rglob("*"))
    must(len(found) <= min(MAX_ENTRIES, SMALL_ENTRIES), "more entries than allowed")
    total = 0
    for path in found:
        facts = path.lstat()
        must(stat.S_ISREG(facts.st_mode) or stat.S_ISDIR(facts.st_mode), f"{path.name!r} is neither file nor directory")
        must(stat.S_IMODE(facts.st_mode) in (0o644, 0o755), f"{path.name!r} has mode {facts.st_mode:o}")
        must(path.name.isprintable(), f"{path.name!r} cannot be shown")
        total += facts.st_size if stat.S_ISREG(facts.st_mode) else 0
    must(total <= min(MAX_BYTES, SMALL_BYTES), "more bytes than allowed")


def manifest(data: bytes, scratch: Path) -> str:
    """Read a bot.toml whose size and encoding have been checked."""
    text = data[:MAX_FILE_BYTES].decode("utf-8", "replace")
    try:
        read = parse_manifest(text)
    except ManifestRefused as refusal:
        must(str(refusal).isprintable() and refusal.line.isprintable(), f"a refusal that cannot be shown: {refusal!r}")
        return "refused"
    must(bool(read.name) and read.name.isprintable() and bool(read.command), f"an empty manifest: {read}")
    must(set(read.rulesets) <= set(RULESETS) and bool(read.rulesets), f"unknown rulesets: {read.rulesets}")
    must(not any("\0" in word for word in (*read.command, *(read.build or ()))), "a NUL in a command")
    return "taken"


def protocol(data: bytes, scratch: Path) -> str:
    """Read a bot's reply to a request for a turn as a reply or a fault, and play the reply by the rules."""
    # More would not fit into the pipe, and the bot's side of it is not read here.
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
            # Skips the check for premature output, which would refuse everything that is already here.
            lines, _ = channel._receive("genmove x", timer, DEFAULT.reply_bytes)
        except BotFault as fault:
            # Other control characters are escaped when the line is shown; a NUL cannot even be stored.
            must("\0" not in fault.line + str(fault), f"a fault that cannot be stored: {fault!r}")
            must(len(fault.line) < 1000, "an endless line")
            return "refused"
    finally:
        for end in {*(end for pair in ends for end in pair)} - {wrote}:
            os.close(end)
    must(sum(map(len, lines)) <= DEFAULT.reply_bytes, "a reply longer than allowed")
    return _played(b"\n".join(lines)[1:].decode("utf-8", "backslashreplace").strip(" \t\n"))


def _played(text: str) -> str:
    taken = False
    for board in _BOARDS:
        try:
            board.play(board.parse(text))
        except TurnError as refusal:
            must(len(str(refusal)) < 10_000, "an endless refusal")
        else:
            taken = True
    return "taken" if taken else "refused"


def must(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Finding(otherwise)


TARGETS: Final[dict[str, Callable[[bytes, Path], str]]] = {
    "archive": archive, "manifest": manifest, "protocol": protocol}
