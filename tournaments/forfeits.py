"""Games that were lost before they began."""

from engines.clock import ClockKind, TimeControl
from engines.outcome import Forfeit
from engines.record import EndedBy, Fault, GameRecord, Result, SeatRecord
from engines.sandbox import BuildFailed
from tournaments.models import Ladder


def build_failed(
    failure: BuildFailed, seat: int, names: tuple[str, str], *, ladder: Ladder, time_control: TimeControl, tier: str
) -> GameRecord:
    """The game that a seat loses because its build command failed: a crash; the build's log is its stderr."""
    log = failure.log.encode("utf-8", "backslashreplace")
    return GameRecord(
        ruleset=ladder.ruleset, size=ladder.size, time_control=time_control, clock=ClockKind.WALL, tier=tier,
        seats=(SeatRecord(names[0]), SeatRecord(names[1])), opening=(), turns=(),
        result=Result(1 - seat, EndedBy.CONDUCT, Forfeit.CRASH),
        fault=Fault(seat, Forfeit.CRASH, "", str(failure), 0),
        stderr=(log, b"") if seat == 0 else (b"", log))
