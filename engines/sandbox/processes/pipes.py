"""The pipes of a start: the child's ends are closed when it is done, ours only if it fails."""

import os
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Self


@dataclass(frozen=True, slots=True)
class Standard:
    """A child's ends of stdin, stdout and stderr."""

    stdin: int
    stdout: int
    stderr: int


class Pipes:
    """Opens pipes. Leaving the block closes the child's ends; `undo` closes ours when it unwinds."""

    def __init__(self, undo: ExitStack) -> None:
        self._undo = undo
        self._theirs = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *fault: object) -> None:
        self._theirs.close()

    def standard(self) -> tuple[Standard, tuple[int, int, int]]:
        """Return the child's ends and our ends of the three standard files; ours are non-blocking."""
        their_stdin, stdin = self.to_child()
        stdout, their_stdout = self.from_child()
        stderr, their_stderr = self.from_child()
        for file in (stdin, stdout, stderr):
            os.set_blocking(file, False)
        return Standard(their_stdin, their_stdout, their_stderr), (stdin, stdout, stderr)

    def to_child(self) -> tuple[int, int]:
        """Open a pipe to the child. Return the child's end to read and our end to write."""
        theirs, ours = os.pipe()
        self._theirs.callback(os.close, theirs)
        self._undo.callback(os.close, ours)
        return theirs, ours

    def from_child(self) -> tuple[int, int]:
        """Open a pipe from the child. Return our end to read and the child's end to write."""
        ours, theirs = os.pipe()
        self._undo.callback(os.close, ours)
        self._theirs.callback(os.close, theirs)
        return ours, theirs

    def open(self, path: Path) -> int:
        """Open a file for the child to read."""
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self._theirs.callback(os.close, file)
        return file

    def message(self) -> tuple[int, "Message"]:
        """Return a file descriptor that the child reads to its end, and the message that writes to it."""
        theirs, ours = os.pipe()
        self._theirs.callback(os.close, theirs)
        message = Message(ours)
        self._theirs.callback(message.close)
        return theirs, message


class Message:
    """Bytes for a child that waits for them."""

    def __init__(self, file: int) -> None:
        self._file = open(file, "wb", buffering=0)

    def send(self, content: bytes) -> None:
        """Write the content, at most the capacity of a pipe (64 KiB), and close."""
        self._file.write(content)
        self._file.close()

    def close(self) -> None:
        """Close without sending, unless the content was sent already."""
        self._file.close()
