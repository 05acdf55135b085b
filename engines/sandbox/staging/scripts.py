"""Finds files of a bot that its command names, but Linux cannot use: after a copy from Windows or macOS."""

import re
import unicodedata
from collections.abc import Callable, Collection, Sequence
from posixpath import basename, normpath
from typing import Final

from engines.rules.notation import quote

_SHELLS: Final = frozenset({"bash", "dash", "ksh", "sh", "zsh"})
# How shells, make and Python report a file that they cannot find or run.
_NOT_FOUND: Final = re.compile(r"(?:^|[\s'\"‘(])([^\s:'\"‘’()]+)['\"’)]*:? (?:\d+: |\S+\^M: )?"
                               r"(?:not found|No such file|bad interpreter|cannot execute)"
                               r"|can't open file '([^']+)'", re.MULTILINE)


def unusable(command: Sequence[str], names: Collection[str], read: Callable[[str], bytes]) -> str:
    """Return which file of the command cannot be used, why, and what to do; "" if there is none.

    `names` are the bot's files, relative to its directory, and `read` returns the content of one.
    """
    forms = {unicodedata.normalize("NFC", name): name for name in names if not name.isascii()}
    for place, word in enumerate(command):
        name = normpath(word).removeprefix("/bot/")
        if name not in names:
            if other := forms.get(unicodedata.normalize("NFC", name)):
                return (f"there is no file {quote(name)}, but the archive has {other!a}, whose name looks the same "
                        "in another Unicode form, as macOS writes it: rename the file, best in ASCII letters")
        elif place == 0 or basename(command[0]) in _SHELLS:
            first, ended, _ = read(name).partition(b"\n")
            if ended and first.endswith(b"\r") and (place or first.startswith(b"#!")):
                return (f"{quote(name)} ends its lines with CR and LF, as on Windows, and Linux takes each CR for a "
                        "part of the command: save the file with LF alone")
    return ""


def unusable_in(log: str, names: Collection[str], read: Callable[[str], bytes]) -> str:
    """Return what `unusable` does about the files that the output of a build or a bot reports as not found."""
    found = dict.fromkeys(first or second for first, second in _NOT_FOUND.findall(log))
    return next(filter(None, (unusable([name], names, read) for name in found)), "")
