"""The log: one event per line, for people or as JSON, with context such as the match or request.

All code logs with Python's `logging`. Structlog only writes the lines, and adds the facts given to `about`: a match,
an attempt, a worker, a request.
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
    """Add these facts to every line that this thread logs in the context."""
    return structlog.contextvars.bound_contextvars(**facts)


def logging_for(line_format: str, level: str) -> dict[str, Any]:
    """Return Django's LOGGING: everything to stderr as `console` or `json`. Raises ValueError for another format."""
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
        # Always logged, whatever the level: see tournaments.operations.security_log.
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
    """Escape control characters: messages may contain untrusted text with line breaks or terminal codes."""
    for name, value in event.items():
        if name == "event" or (isinstance(value, str) and not value.isprintable()):
            event[name] = _printable(str(value))
    return event


def _printable(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def _masked(_logger: WrappedLogger, _name: str, line: str) -> str:
    """Mask keys, which can occur in URLs of requests and in error messages."""
    return masked(line)


def _console(_logger: WrappedLogger, _name: str, event: EventDict) -> str:
    """Return `time LEVEL logger message key=value`, with the traceback below it."""
    head = [event.pop("timestamp"), event.pop("level").upper(), event.pop("logger"), event.pop("event")]
    raised = event.pop("exc_info", None)
    line = " ".join([*head, *(f"{key}={_quoted(value)}" for key, value in sorted(event.items()))])
    return f"{line}\n{logging.Formatter().formatException(raised)}" if raised else line


def _quoted(value: Any) -> str:
    """Quote values with blanks, which would look like several facts: users choose their names."""
    text = str(value)
    return json.dumps(text, ensure_ascii=False) if isinstance(value, str) and not _WORD.fullmatch(text) else text
