"""Tables of a mapping file: they read the values, and refuse a bad one with its key and the remedy."""

import shlex
from collections.abc import Collection, Iterable
from string import Formatter
from typing import Any, Final

from engines.manifest import MAX_NAME
from tournaments.kit.bots import CannotPlay

_MOST_SECONDS: Final = 3600


class MappingRefused(CannotPlay):
    """A mapping file was rejected; `str()` names the file and the key, and says how to fix it."""


class Table:
    """A table of the file, with the sentences that refuse its values."""

    def __init__(self, where: str, values: dict[str, Any], keys: Collection[str]) -> None:
        self._where = where
        self._values = values
        for key in values:
            if key not in keys:
                raise self.refusal(key, f"unknown key: use only {', '.join(keys)}")

    def refusal(self, key: str, why: str) -> MappingRefused:
        """Return the refusal of a key's value."""
        return MappingRefused(f"{self._where}: {key}: {why}")

    def table(self, key: str, keys: Collection[str]) -> "Table":
        """Return a table in this table; an absent one is empty."""
        values = self._get(key, dict, {}, "a table, such as [commands]")
        return Table(f"{self._where}: [{key}]", values, keys)

    def text(self, key: str, default: str | None = None, *, line: bool = False) -> str:
        """Return a printable text; with `line`, one that is not empty."""
        value: str = self._get(key, str, default, f'a text: {key} = "…"')
        if not value.isprintable() or (line and not value.strip()):
            raise self.refusal(key, "it must be printable text" + (" and not empty" if line else ""))
        return value

    def name(self, key: str, default: str) -> str:
        """Return the name of a bot."""
        value = self.text(key, default, line=True)
        if len(value) > MAX_NAME or value != value.strip():
            raise self.refusal(key, f"it must be 1 to {MAX_NAME} characters without leading or trailing spaces")
        return value

    def choice(self, key: str, choices: Iterable[str], default: str | None = None) -> str:
        """Return one of the choices."""
        value = self.text(key, default)
        if value not in choices:
            raise self.refusal(key, f"{value!r} must be one of {', '.join(choices)}")
        return value

    def flag(self, key: str) -> bool:
        """Return true or false; false by default."""
        value: bool = self._get(key, bool, False, "true or false")
        return value

    def number(self, key: str, default: int) -> int:
        """Return a whole number from 0 to 100."""
        value: int = self._get(key, int, default, "a whole number")
        if isinstance(value, bool) or not 0 <= value <= 100:
            raise self.refusal(key, f"{value!r} must be a whole number from 0 to 100")
        return value

    def seconds(self, key: str, default: float) -> float:
        """Return a number of seconds."""
        value: float = self._get(key, (int, float), default, "a number of seconds")
        if isinstance(value, bool) or not 0 < value <= _MOST_SECONDS:
            raise self.refusal(key, f"{value!r} must be more than 0 and at most {_MOST_SECONDS} seconds")
        return value

    def sizes(self, key: str, known: Collection[int]) -> tuple[int, ...]:
        """Return some of the ruleset's board sizes; all of them by default."""
        value = self._get(key, list, [*known], "a list of sizes, such as [9, 13]")
        for size in value:
            if isinstance(size, bool) or size not in known:
                raise self.refusal(key, f"{size!r} is not one of the ruleset's sizes: {', '.join(map(str, known))}")
        if not value:
            raise self.refusal(key, "it is empty: name a size, or leave the key out for all sizes")
        return tuple(value)

    def words(self, key: str) -> tuple[str, ...]:
        """Return a command as a list of words; a text is split as a shell would."""
        value = self._get(key, (list, str), None, 'a list of texts: run = ["gnugo", "--mode", "gtp"]')
        try:
            words = shlex.split(value) if isinstance(value, str) else value
        except ValueError as error:
            raise self.refusal(key, f"it cannot be split into words ({error}): close every quotation mark") from None
        if not words or not all(isinstance(word, str) and word.isprintable() for word in words) or not words[0]:
            raise self.refusal(key, 'it must name a program: run = ["gnugo", "--mode", "gtp"]')
        return tuple(words)

    def lines(self, key: str) -> tuple[str, ...]:
        """Return a list of commands without facts; none by default."""
        value = self._get(key, list, [], 'a list of commands, such as ["komi 0"]')
        if not all(isinstance(line, str) and line.strip() and line.isprintable() for line in value):
            raise self.refusal(key, 'it must be a list of commands, such as ["komi 0"]')
        return tuple(value)

    def pattern(self, key: str, default: str, facts: Collection[str]) -> str:
        """Return a text in which `{fact}` stands for each of the facts."""
        value = self.text(key, default)
        known = " and ".join(f"{{{fact}}}" for fact in facts) or "no braces"
        try:
            found = [(name, spec, conversion) for _, name, spec, conversion in Formatter().parse(value)
                     if name is not None]
        except ValueError as error:
            raise self.refusal(key, f"{value!r} is not valid ({error}): use {known}") from None
        for name, spec, conversion in found:
            if name not in facts or spec or conversion:
                raise self.refusal(key, f"{value!r} contains {{{name}}}: use {known}")
        return value

    def _get(self, key: str, kind: type | tuple[type, ...], default: Any, what: str) -> Any:
        value = self._values.get(key, default)
        if value is None:
            raise self.refusal(key, f"it is missing: set {what}")
        if not isinstance(value, kind):
            raise self.refusal(key, f"{value!r} must be {what}")
        return value
