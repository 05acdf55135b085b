"""The log: one event a line, for people or as JSON, with what it is about beside it.

Everything logs with Python's `logging`. structlog only writes the lines, and adds what `about` says: a match, an
attempt, a worker, a request.
"""

import json
import logging
import re
from contextlib import AbstractContextManager
from typing import Any, Final

import structlog
from structlog.types import EventDict, Processor, WrappedLogger

from tournaments.platform.keys import masked

FORMATS = ("console", "json")
_WORD: Final = re.compile(r"""[^\s="]*""")


def about(**facts: Any) -> AbstractContextManager[None]:
    """Every line that is logged in this context, in this thread, has these facts beside it."""
    return structlog.contextvars.bound_contextvars(**facts)


def logging_for(line_format: str, level: str) -> dict[str, Any]:
    """Django's LOGGING: everything to stderr, `console` or `json`. Raises ValueError for another format."""
    if line_format not in FORMATS:
        raise ValueError(f"SQUAREFIELD_LOG_FORMAT is {line_format!r}; it must be one of {', '.join(FORMATS)}.")
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {
            "()": structlog.stdlib.ProcessorFormatter,
            "foreign_pre_chain": _facts(),
            "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, *_writers(line_format)],
        }},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["stderr"], "level": level},
        # Whatever else is left out: see tournaments.operations.security_log.
        "loggers": {"squarefield.security": {"level": "INFO"}},
    }


def _facts() -> list[Processor]:
    return [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _one_line,
    ]


def _writers(line_format: str) -> list[Processor]:
    if line_format == "json":
        return [structlog.processors.format_exc_info, structlog.processors.JSONRenderer(), _masked]
    return [_console, _masked]


def _one_line(_logger: WrappedLogger, _name: str, event: EventDict) -> EventDict:
    """Strangers' text may be in a message: what would begin a new line, or colour the terminal, is written out."""
    for name, value in event.items():
        if name == "event" or (isinstance(value, str) and not value.isprintable()):
            event[name] = _printable(str(value))
    return event


def _printable(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def _masked(_logger: WrappedLogger, _name: str, line: str) -> str:
    """Addresses of requests and texts of errors may have a key in them."""
    return masked(line)


def _console(_logger: WrappedLogger, _name: str, event: EventDict) -> str:
    """`time LEVEL logger message key=value`, and the traceback below it."""
    head = [event.pop("timestamp"), event.pop("level").upper(), event.pop("logger"), event.pop("event")]
    raised = event.pop("exc_info", None)
    line = " ".join([*head, *(f"{key}={_quoted(value)}" for key, value in sorted(event.items()))])
    return f"{line}\n{logging.Formatter().formatException(raised)}" if raised else line


def _quoted(value: Any) -> str:
    """Strangers choose their names: one with a blank would look like several facts."""
    text = str(value)
    return json.dumps(text, ensure_ascii=False) if isinstance(value, str) and not _WORD.fullmatch(text) else text
