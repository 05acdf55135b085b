"""Reads and validates `bot.toml`, the manifest of a submission.

    name = "My bot"
    run = ["python3", "bot.py"]         # or one string, split as a shell would; `command` means the same
    build = "make"                      # optional; runs once, in the bot's directory
    rulesets = ["squ", "scware"]        # optional; default "all"

No other keys are allowed.
"""

import re
import shlex
import tomllib
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from engines.public import Copyable
from engines.rules.notation import quote
from engines.rules.registry import RULESETS

FILE_NAME: Final = "bot.toml"
MAX_FILE_BYTES: Final = 16 * 1024
MAX_NAME: Final = 40
MAX_WORDS: Final = 64
MAX_WORD: Final = 1000
MAX_DIGITS: Final = 20
MAX_PARTS: Final = 8
_KEYS: Final = ("name", "run", "command", "build", "rulesets")
_LINE_KEPT: Final = 200
# Strings and comments, terminated or not, as the parser reads them up to its first error.
_TEXT: Final = re.compile(r'''"""(?:\\[\s\S]|[^"\\]|"(?!""))*+(?:"{3,5}|\Z)|\'{3}[\s\S]*?(?:\'{3,5}|\Z)'''
                          r"""|"(?:\\.|[^"\\\n])*+"?|'[^'\n]*+'?|#[^\n]*+""")
_MANY_DIGITS: Final = re.compile(rf"[0-9](?:_?[0-9]){{{MAX_DIGITS}}}")
_MANY_PARTS: Final = re.compile(rf'(?:\.[ \t]*+[\w"-]*+[ \t]*+){{{MAX_PARTS}}}')


@dataclass(frozen=True, slots=True)
class Manifest:
    """The manifest of a bot. `command` runs it; `rulesets` are slugs in the registry's order, never empty."""

    name: str
    command: tuple[str, ...]
    build: tuple[str, ...] | None
    rulesets: tuple[str, ...]


class ManifestRefused(Copyable, ValueError):
    """A bot.toml was rejected. `str()` says what is wrong and how to fix it.

    `line` is the line at fault, such as `bot.toml:3: run = 7`, or "" if no single line is at fault.
    """

    def __init__(self, message: str, line: str = "") -> None:
        super().__init__(message)
        self.line = line


def read_manifest(data: bytes) -> Manifest:
    """Parse the content of a bot.toml: UTF-8, with or without a byte order mark. Raises ManifestRefused."""
    if len(data) > MAX_FILE_BYTES:
        raise ManifestRefused(f"{FILE_NAME} is larger than {MAX_FILE_BYTES // 1024} KB: shorten it")
    try:
        return parse_manifest(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise ManifestRefused(f"{FILE_NAME} is not UTF-8: save it as UTF-8") from None


def parse_manifest(text: str) -> Manifest:
    """Parse the text of a bot.toml. Raises ManifestRefused."""
    _refuse_costly(text)
    try:
        stated = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as fault:
        raise ManifestRefused(f"{FILE_NAME} is not TOML: {_one_line(str(fault))}", _error_line(text, fault)) from None
    for key in stated:
        if key not in _KEYS:
            with _naming_line(text, key):
                raise ManifestRefused(f"{FILE_NAME} has an unknown key {quote(key)}: use only {', '.join(_KEYS)}")
    with _naming_line(text, "name"):
        name = _name(stated.get("name"))
    with _naming_line(text, "command" if "command" in stated else "run"):
        command = _command(stated)
    with _naming_line(text, "build"):
        build = _words("build", stated["build"]) if "build" in stated else None
    with _naming_line(text, "rulesets"):
        return Manifest(name, command, build, _rulesets(stated.get("rulesets", "all")))


def _refuse_costly(text: str) -> None:
    """Refuse numbers with thousands of digits, on which the parser fails, and long keys, which slow it down."""
    bare = _TEXT.sub(lambda found: '""' + "\n" * found[0].count("\n"), text)
    for costly, message in (
            (_MANY_DIGITS, f"has a number of more than {MAX_DIGITS} digits: no key takes one"),
            (_MANY_PARTS, f"has a key of more than {MAX_PARTS} parts: its keys are {', '.join(_KEYS)}, without dots")):
        if found := costly.search(bare):
            number = bare.count("\n", 0, found.start())
            raise ManifestRefused(f"{FILE_NAME} {message}", _numbered(number + 1, text.split("\n")[number]))


@contextmanager
def _naming_line(text: str, key: str) -> Iterator[None]:
    """Add to a refusal the line that sets the key, if there is one."""
    try:
        yield
    except ManifestRefused as refusal:
        stating = re.compile(rf"""\s*+\[*+\s*+(["']?){re.escape(key)}\1\s*+[\].=]""")
        refusal.line = next((_numbered(number, line) for number, line in enumerate(text.splitlines(), start=1)
                             if stating.match(line)), "")
        raise


def _error_line(text: str, fault: Exception) -> str:
    """Return the line that the parser's message refers to, or ""."""
    found = re.search(r"at line (\d+)", str(fault))
    lines = text.splitlines()
    if found is None or not 1 <= int(found[1]) <= len(lines):
        return ""
    return _numbered(int(found[1]), lines[int(found[1]) - 1])


def _numbered(number: int, line: str) -> str:
    return f"{FILE_NAME}:{number}: {_one_line(line.strip())[:_LINE_KEPT]}"


def _command(stated: dict[str, Any]) -> tuple[str, ...]:
    """Return the command that runs the bot, from `run` or `command`."""
    if "run" in stated and "command" in stated:
        raise ManifestRefused(f"{FILE_NAME} has both run and command, which mean the same: keep only run")
    key = "run" if "run" in stated else "command"
    return _words(key, stated.get(key))


def _name(value: object) -> str:
    if not isinstance(value, str):
        raise ManifestRefused(f'{FILE_NAME} must set the bot\'s name as a string: name = "My bot"')
    value = unicodedata.normalize("NFC", value)
    if not 1 <= len(value) <= MAX_NAME or not value.isprintable() or value != value.strip():
        raise ManifestRefused(f"the name {quote(value)} must be 1 to {MAX_NAME} printable characters "
                              "without leading or trailing spaces")
    return value


def _words(key: str, value: object) -> tuple[str, ...]:
    """Return a command as a tuple of words; a string is split as a shell would, but without expansion."""
    if isinstance(value, str):
        try:
            value = shlex.split(value)
        except ValueError as fault:
            raise ManifestRefused(f"{key} cannot be split into words ({fault}): close every quotation mark, "
                                  "or write a list of strings") from None
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value) or not value:
        raise ManifestRefused(f'{FILE_NAME} must set {key} as a list of strings: {key} = ["python3", "bot.py"]')
    words: Sequence[str] = value
    if len(words) > MAX_WORDS or any(len(word) > MAX_WORD for word in words):
        raise ManifestRefused(f"{key} has more than {MAX_WORDS} words or a word longer than {MAX_WORD} characters: "
                              "put it into a script")
    for word in words:
        if not word.isprintable():
            raise ManifestRefused(f"{key} has unprintable characters in {quote(word)}: remove them")
    if not words[0] or words[0].startswith("-"):
        raise ManifestRefused(f"{key} must begin with a program, not with {quote(words[0])}")
    return tuple(words)


def _rulesets(value: Any) -> tuple[str, ...]:
    if value == "all":
        return tuple(RULESETS)
    known = ", ".join(RULESETS)
    if not isinstance(value, list) or not value or not all(isinstance(slug, str) for slug in value):
        raise ManifestRefused(f'rulesets must be "all" or a list of at least one of {known}')
    for slug in value:
        if slug not in RULESETS:
            raise ManifestRefused(f"unknown ruleset {quote(slug)}: choose from {known}")
    return tuple(slug for slug in RULESETS if slug in value)


def _one_line(text: str) -> str:
    return ascii(text)[1:-1] if not text.isprintable() else text
