"""Checks of a game beyond the verdict that the acceptance list requires. Durations in milliseconds are printed;
assertions use CPU time or a generous multiple of the limit, since other programs run on the machine."""

from collections.abc import Callable
from pathlib import Path

from django.utils.html import conditional_escape

from engines.sandbox import Tier
from engines.sandbox.isolation.limits import DEFAULT
from frontend.templatetags.squarefield import visible
from tests.sandbox.acceptance.arena import Meeting, note

ROOT = Path(__file__).resolve().parents[3]
SECRET = "postgres://somebody:a-secret@db/squarefield"
PATIENCE = 20
# The kernel of a guest counts processor time in ticks.
TICK_SECONDS = 0.01
# bubblewrap's process 1, which /proc lists in addition to the bot's tasks.
_PROCESS_1 = 1


def capped_at_64_tasks(meeting: Meeting) -> None:
    found = int(meeting.reports["tasks"])
    note(f"{found} tasks with process 1")
    assert 32 < found <= DEFAULT.tasks + _PROCESS_1
    died_with_the_match(meeting)


def memfds_are_counted(meeting: Meeting) -> None:
    assert meeting.reports["memfd_create"] == ("ENOSYS" if meeting.tier is Tier.REDUCED else "OK")


def cost_little(meeting: Meeting) -> None:
    """Loses within 50 ms, measured from waking the bot to waking its opponent, which is notified of the end."""
    note(f"lost {_milliseconds(meeting.opponent.last_thaw - meeting.bot.last_thaw)} after it was asked")
    if meeting.tier is Tier.STANDARD:
        used = meeting.bot.cpu_seconds()
        note(f"{_milliseconds(used)} of CPU time, its start included")
        assert used < 0.05 * PATIENCE


def kept_64_kb_of_stderr(meeting: Meeting) -> None:
    kept = meeting.record.stderr[meeting.seat]
    words = next(line for line in kept.splitlines(keepends=True) if b"bytes left out" in line)
    note(f"{len(kept)} bytes kept, {words.decode().strip()}")
    assert len(kept) - len(words) - len("\n") <= DEFAULT.stderr_kept


def lost_by_cpu_time(meeting: Meeting) -> None:
    if meeting.tier is Tier.STANDARD:
        assert "s of CPU time" in meeting.record.fault.message


def died_with_the_match(meeting: Meeting) -> None:
    """Dies within 100 ms of the match's end: from the last thaw, which lets bots exit, to the last process's end."""
    end = max(meeting.bot.last_thaw, meeting.opponent.last_thaw)
    note(f"{len(meeting.bot.tree)} processes dead {_milliseconds(meeting.bot.dead_at - end)} after the end")
    assert len(meeting.bot.tree) >= 2
    meeting.bot.await_death()
    assert meeting.bot.dead_at - end < 0.1 * PATIENCE


def was_charged(seconds: float, *, by_wall: float | None = None) -> Callable[[Meeting], None]:
    def check(meeting: Meeting) -> None:
        least = seconds if meeting.tier is Tier.STANDARD or by_wall is None else by_wall
        note(f"charged {meeting.seconds():.3f} s for at least {least} s of work")
        assert meeting.seconds() >= least - TICK_SECONDS

    return check


def was_not_charged(seconds: float) -> Callable[[Meeting], None]:
    def check(meeting: Meeting) -> None:
        note(f"charged {meeting.seconds():.3f} s, handshake {meeting.record.seats[meeting.seat].handshake:.3f} s")
        assert meeting.record.seats[meeting.seat].handshake >= seconds / 2  # the opponent's handshake came first
        assert meeting.seconds() < seconds

    return check


def used_little_off_turn(meeting: Meeting) -> None:
    share = meeting.bot.off_turn_cpu / meeting.bot.off_turn_wall
    note(f"{share:.1%} of one core in {meeting.bot.off_turn_wall:.2f} s off turn")
    assert meeting.bot.off_turn_wall > 0.9
    assert share < 0.05


def learned_no_secret(meeting: Meeting) -> None:
    said = meeting.record.stderr[meeting.seat].decode()
    note("\n".join(line for line in said.splitlines() if " /bot " in line or " /opt/squarefield " in line))
    assert meeting.reports["/proc/self/mountinfo"] == "OK"
    for secret in (SECRET, "a-secret", str(ROOT), str(Path.home()), meeting.record.seats[meeting.seat].name):
        assert secret not in said


def rival_was_there(meeting: Meeting) -> None:
    told = meeting.record.stderr[1 - meeting.seat].decode().splitlines()
    assert told == ["bind: OK", "listen: OK", "shm: OK"]


def shown_escaped(meeting: Meeting) -> None:
    """The stored line has no NUL and a bounded length, and a page shows no control character or tag of it."""
    line = meeting.record.fault.line
    assert line
    assert "\0" not in line
    assert len(line) <= 501
    shown = str(conditional_escape(visible(line)))
    note(shown[:80])
    assert shown.isprintable()
    assert "<" not in shown


def _milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:.1f} ms"
