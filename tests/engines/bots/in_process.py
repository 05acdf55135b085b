"""Reference bots in this process. Their programs import `squarefield`, which a checkout does not have."""

from types import ModuleType
from typing import Any, Final

from engines.bots import REFERENCE_BOTS
from engines.layout import PLACES
from engines.sdk import Bot

_NAMES: Final = {"from squarefield import native": "from engines import native"} | {
    f"from {new}.": f"from {old}." for old, new in reversed(PLACES.items())}


def reference_bot(name: str, *arguments: Any) -> Bot:
    """Return a new bot of the only class in the program of this reference bot."""
    path = REFERENCE_BOTS[name] / "main.py"
    text, module = path.read_text(encoding="utf-8"), ModuleType(f"program_of_{name}")
    for new, old in _NAMES.items():
        text = text.replace(new, old)
    exec(compile(text, path, "exec"), module.__dict__)  # noqa: S102  # our own file
    made = [value for value in vars(module).values() if isinstance(value, type) and issubclass(value, Bot)
            and value.__module__ == module.__name__]
    return made[0](*arguments)
