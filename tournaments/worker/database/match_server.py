"""Claims and ends matches for the processes of a worker, over one connection of its main process.

A process opens a line, and sends one request at a time: a line of JSON, answered by a line of JSON. The server
remembers the lease that it claimed for each line, so a request can end only the sender's own attempt.
"""

import json
import logging
import socket
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from django.db import InterfaceError, InternalError, OperationalError, close_old_connections, connection
from django.db.models import Model

from engines.records.record import GameRecord
from tournaments.models import Attempt, Bot, Ladder, Match, Version
from tournaments.platform.outage import Outage
from tournaments.services.matches.matches import MatchLease
from tournaments.worker.database.lines import Line, LineServer
from tournaments.worker.database.matches import Matches, OwnMatches

log = logging.getLogger(__name__)
# After this long without a request, the connection is tested first.
_QUIET_SECONDS: Final = 1.0
_ROWS: Final[dict[str, type[Model]]] = {
    "match": Match, "attempt": Attempt, "ladder": Ladder, "first": Version, "second": Version, "bot1": Bot, "bot2": Bot}


_UNREACHABLE: Final = (OperationalError, InterfaceError, InternalError)
# A result is reported again for about this long, less than two thirds of a lease, and first after this pause.
_PATIENCE_SECONDS: Final = 40.0
_PAUSE_SECONDS: Final = 0.5


class MatchServerError(Exception):
    """The main process could not do what it was asked for, and has logged why: the database failed, for example."""


class MatchServer(LineServer):
    """Answers the requests of this process's forks, from `start` on."""

    name = "match server"

    def __init__(self) -> None:
        super().__init__()
        self._matches = OwnMatches()
        self._leases: dict[Line, MatchLease] = {}
        self._lines = 0
        self._asked_at = 0.0
        self._database = Outage("the database")

    def opened(self, line: Line) -> None:
        self._lines += 1

    def heard(self, line: Line) -> None:
        if not line.received.endswith(b"\n"):
            return
        request = json.loads(line.received)
        line.received.clear()
        try:
            answer = {"answer": self._answer(line, **request)}
            self._database.over()
        except _UNREACHABLE as error:
            self._database.met(error, "results of matches wait")
            answer = {"error": f"{type(error).__name__}: {error}", "again": True}
        except Exception as error:
            # The others' requests must not wait for a traceback of this one.
            log.exception("a request about a match failed")
            answer = {"error": f"{type(error).__name__}: {error}"}
        try:
            line.end.sendall(json.dumps(answer).encode() + b"\n")
        except OSError:
            log.debug("a process ended before it was answered")

    def ended(self, line: Line) -> None:
        self._leases.pop(line, None)
        self._lines -= 1
        if self._lines == 0:
            connection.close()

    def _answer(self, line: Line, verb: str, **facts: Any) -> Any:
        now = time.monotonic()
        if now >= self._asked_at + _QUIET_SECONDS:
            close_old_connections()
        self._asked_at = now
        try:
            return self._do(line, verb, **facts)
        except _UNREACHABLE:
            # A busy worker does not test its connection first. If it was dead, nothing has been done.
            if connection.is_usable():
                raise
            connection.close()
            return self._do(line, verb, **facts)

    def _do(self, line: Line, verb: str, **facts: Any) -> Any:
        if verb == "claim":
            lease = self._matches.claim(**facts)
            if lease is None:
                return None
            self._leases[line] = lease
            return _written(lease)
        if verb == "is_excusable":
            return self._matches.is_excusable(Version(pk=facts["version"]))
        lease = self._leases[line]
        match verb:
            case "finish":
                return self._matches.finish(lease, [_record(**record) for record in facts["records"]])
            case "void":
                return self._matches.void(lease, facts["reason"])
            case "note_starved":
                return self._matches.note_starved(lease, Version(pk=facts["version"]))
        raise ValueError(f"unknown verb {verb!r}")


class RemoteMatches:
    """The verbs by requests on a line to the server."""

    def __init__(self, line: socket.socket) -> None:
        self._file = line.makefile("rwb")

    def claim(self, *, match_id: int, worker: str, tier: str) -> MatchLease | None:
        rows = self._ask("claim", match_id=match_id, worker=worker, tier=tier)
        return None if rows is None else _lease(rows)

    def finish(self, lease: MatchLease, records: Sequence[GameRecord]) -> bool:
        return bool(self._ask("finish", _PATIENCE_SECONDS, records=[
            {"record": record.to_dict(), "stderr": [part.decode("latin-1") for part in record.stderr]}
            for record in records]))

    def void(self, lease: MatchLease, reason: str) -> bool:
        return bool(self._ask("void", _PATIENCE_SECONDS, reason=reason))

    def note_starved(self, lease: MatchLease, version: Version) -> None:
        self._ask("note_starved", _PATIENCE_SECONDS, version=version.pk)

    def is_excusable(self, version: Version) -> bool:
        return bool(self._ask("is_excusable", _PATIENCE_SECONDS, version=version.pk))

    def _ask(self, verb: str, patience: float = 0.0, **facts: Any) -> Any:
        """Return the answer. While the database is away, ask again, for `patience` seconds."""
        pause, deadline = _PAUSE_SECONDS, time.monotonic() + patience
        while "error" in (answer := self._ask_once(verb, **facts)):
            if not answer.get("again") or time.monotonic() + pause > deadline:
                raise MatchServerError(answer["error"])
            # Here, so that the server can serve the other processes in the meantime.
            time.sleep(pause)
            pause *= 2
        return answer["answer"]

    def _ask_once(self, verb: str, **facts: Any) -> Any:
        self._file.write(json.dumps({"verb": verb, **facts}).encode() + b"\n")
        self._file.flush()
        return json.loads(self._file.readline() or b'{"error": "the main process has ended"}')


# --- rows as JSON ---------------------------------------------------------------------------------------------------


def _written(lease: MatchLease) -> dict[str, dict[str, Any]]:
    match = lease.work
    rows = (match, lease.attempt, match.ladder, match.first, match.second, match.first.bot, match.second.bot)
    return {name: {field.attname: _plain(field.value_from_object(row)) for field in row._meta.concrete_fields}  # noqa: SLF001
            for name, row in zip(_ROWS, rows, strict=True)}


def _plain(value: Any) -> Any:
    return value if isinstance(value, int | float | str | list | dict | None) else str(value)


def _lease(rows: dict[str, dict[str, Any]]) -> MatchLease:
    match, attempt, ladder, first, second, bot1, bot2 = (
        model.from_db(None, list(rows[name]), [
            field.to_python(rows[name][field.attname]) for field in model._meta.concrete_fields])  # noqa: SLF001
        for name, model in _ROWS.items())
    first.bot, second.bot = bot1, bot2
    match.ladder, match.first, match.second = ladder, first, second
    return MatchLease(match, attempt.number, attempt.worker, match.lease_until, attempt)


def _record(record: dict[str, Any], stderr: list[str]) -> GameRecord:
    first, second = (part.encode("latin-1") for part in stderr)
    return replace(GameRecord.from_dict(record), stderr=(first, second))


# --- the server of this worker --------------------------------------------------------------------------------------

_servers: list[MatchServer] = []


def serve() -> None:
    """Start the server of this process, for those that it forks from now on."""
    _servers[:] = [MatchServer()]
    _servers[0].start()


def matches() -> Matches:
    """Return the verbs for this process: by the server if the worker has one, else by its own connection."""
    return RemoteMatches(_servers[0].open()) if _servers else OwnMatches()
