"""Facts as the words of a page."""

from django.utils.html import format_html
from django.utils.safestring import SafeString

from tournaments.lifecycle import EventStatus, MatchStatus, SubmissionStatus, VersionStatus
from tournaments.models import Game, Ladder, Series
from tournaments.selectors.live import LiveGame

# Narrow and unbreakable: between a number and its unit, and between thousands.
THIN = "\u202f"
_BY_RULE = {
    "connection": "by connection",
    "impasse": "by impasse",
    "board full": "on the full board",
    "two passes": "after two passes",
    "resignation": "by resignation",
}
FAULTS = {
    "illegal": "illegal turn",
    "crash": "crash",
    "time": "out of time",
    "protocol": "protocol error",
    "output": "too much output",
    "memory": "out of memory",
}
_DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_WEEKDAYS = {name: day for number, day in enumerate(_DAYS) for name in (str(number), day[:3].lower())}
_STATUS = {
    EventStatus.SCHEDULED: "Scheduled",
    EventStatus.RUNNING: "Live",
    EventStatus.PAUSED: "Paused",
    EventStatus.FINISHED: "Finished",
    EventStatus.CANCELLED: "Cancelled",
    MatchStatus.QUEUED: "queued",
    MatchStatus.VOID: "void",
    SubmissionStatus.RECEIVED: "waiting",
    SubmissionStatus.CHECKING: "being checked",
    SubmissionStatus.ACCEPTED: "ready",
    SubmissionStatus.REFUSED: "refused",
    VersionStatus.ACTIVE: "active",
    VersionStatus.RESTED: "rested",
    VersionStatus.WITHDRAWN: "withdrawn",
}


_NOT_PLAYED = {
    MatchStatus.CANCELLED: "Cancelled: it was not played.",
    MatchStatus.VOID: "Void: the infrastructure spoiled every attempt, and nobody lost.",
}


def how(ended_by: str, reason: str) -> str:
    """How a game ended, to stand after "won" or "Draw"."""
    if ended_by == "conduct":
        return f"by forfeit: {fault(reason)}"
    return _BY_RULE.get(reason, f"by {reason}")


def ending_words(game: Game) -> str:
    """As `ending`, but as a stranger's text: for what is no page."""
    words = how(game.ended_by, game.reason)
    if game.winner is None:
        return f"Draw {words}"
    return f"{(game.seat0 if game.winner == 0 else game.seat1).bot.name} won {words}"


def ending(game: Game) -> SafeString:
    """Who won, and how: "Alder won by connection"."""
    words = how(game.ended_by, game.reason)
    if game.winner is None:
        return format_html("Draw {}", words)
    winner = game.seat0 if game.winner == 0 else game.seat1
    return format_html('<bdi class="name">{}</bdi> won {}', winner.bot.name, words)


def fault(kind: str) -> str:
    """A kind of misconduct."""
    return FAULTS.get(kind, kind)


def status(value: str) -> str:
    """An event's, match's or submission's status for its chip."""
    return _STATUS.get(value, value)


def live_state(live: LiveGame, before: int) -> str:
    """How things stand with a game that has no result yet; `before` is how many matches are played earlier."""
    match = live.match
    if match.status == MatchStatus.QUEUED:
        return "Waiting: its event is paused." if match.held else _waiting(before)
    if match.status in _NOT_PLAYED:
        return _NOT_PLAYED[match.status]
    if not live.begun:
        return "The first game of the match is still being played."
    return "This game is over: it counts once the match is finished." if live.over else "Being played."


def _waiting(before: int) -> str:
    if before == 0:
        return "Waiting for a worker: it is the next of its kind."
    if before == 1:
        return "Waiting for a worker: about 1 match comes first."
    return f"Waiting for a worker: about {before} matches come first."


def time_control(ladder: Ladder) -> str:
    """5 s + 0.1 s a turn, or 0.5 s for each turn; and whether pondering is allowed."""
    return f"{_time(ladder)}, pondering" if ladder.pondering else _time(ladder)


def _time(ladder: Ladder) -> str:
    if ladder.per_turn_seconds:
        return f"{ladder.per_turn_seconds:g}{THIN}s for each turn"
    base = f"{ladder.base_seconds:g}{THIN}s"
    return f"{base} + {ladder.increment_seconds:g}{THIN}s a turn" if ladder.increment_seconds else f"{base} a game"


def recurrence(series: Series) -> str:
    """When its events are held: "every Sunday at 14:00, Europe/Berlin"; the cron line itself of what is rarer."""
    fields = series.cron.lower().split()
    words = f"cron {series.cron}"
    if len(fields) == 5 and all(field.isdigit() for field in fields[:2]) and fields[2:4] == ["*", "*"]:
        minute, hour, *_, weekday = fields
        day = "day" if weekday == "*" else _WEEKDAYS.get(weekday)
        if day:
            words = f"every {day} at {int(hour):02}:{int(minute):02}"
    return f"{words}, {series.time_zone}"


def seat_words(document: dict, seat: int) -> str:
    """What a seat is in this game: "first, north–south"."""
    order = ("first", "second")[seat]
    return f"{order}, joins {('north–south', 'west–east')[seat]}" if document["board"]["goal_sides"] else order
