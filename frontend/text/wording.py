"""Facts as the words of a page."""

from django.utils.formats import get_format
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, ngettext, pgettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from engines.rules.outcome import SPOKEN, spoken
from frontend.text.core_words import translated
from tournaments.models import Game, Ladder, Match, Series
from tournaments.models.lifecycle import (
    CandidacyStatus,
    EventStatus,
    MatchKind,
    MatchStatus,
    Role,
    SubmissionStatus,
    VersionStatus,
)
from tournaments.selectors.ladders.waiting import Reason
from tournaments.selectors.matches.live import LiveGame

# Narrow and unbreakable: between a number and its unit, and between thousands.
THIN = "\u202f"
_EVERY_DAY = _("every day at %(time)s")
_EVERY = (
    ("sun", _("every Sunday at %(time)s")),
    ("mon", _("every Monday at %(time)s")),
    ("tue", _("every Tuesday at %(time)s")),
    ("wed", _("every Wednesday at %(time)s")),
    ("thu", _("every Thursday at %(time)s")),
    ("fri", _("every Friday at %(time)s")),
    ("sat", _("every Saturday at %(time)s")),
)
_WEEKDAYS = {name: words for number, (short, words) in enumerate(_EVERY) for name in (str(number), short)}
_STATUS = {
    EventStatus.SCHEDULED: _("Scheduled"),
    EventStatus.RUNNING: _("Live"),
    EventStatus.PAUSED: _("Paused"),
    EventStatus.FINISHED: _("Finished"),
    EventStatus.CANCELLED: _("Cancelled"),
    MatchStatus.QUEUED: _("queued"),
    MatchStatus.VOID: _("cancelled: server error"),
    SubmissionStatus.RECEIVED: _("waiting"),
    SubmissionStatus.CHECKING: _("being checked"),
    SubmissionStatus.ACCEPTED: _("ready"),
    SubmissionStatus.REFUSED: _("refused"),
    VersionStatus.ACTIVE: _("active"),
    VersionStatus.RESTED: _("rested"),
    VersionStatus.WITHDRAWN: _("withdrawn"),
    CandidacyStatus.PASSED: _("passed"),
    CandidacyStatus.FAILED: _("failed"),
    CandidacyStatus.INCONCLUSIVE: _("inconclusive"),
    CandidacyStatus.SUPERSEDED: _("superseded"),
}


_MATCH_STATUS = {
    MatchStatus.QUEUED: _("queued"),
    MatchStatus.RUNNING: pgettext_lazy("match", "playing"),
    MatchStatus.FINISHED: _("finished"),
    MatchStatus.VOID: _("cancelled: server error"),
    MatchStatus.CANCELLED: _("cancelled"),
}
_MATCH_KIND = {
    MatchKind.EVENT: _("event"),
    MatchKind.LADDER: _("ladder"),
    MatchKind.TRIAL: _("trial"),
    MatchKind.CHALLENGE: _("challenge"),
}
_PLACE = {
    "left": _("left"),
    "playing": _("playing"),
    Reason.CLOSED: _("events only"),
    Reason.SUSPENDED: _("banned"),
    Reason.VERSION: _("paused"),
    Reason.QUOTA: _("quota used up"),
    Reason.BUSY: _("busy elsewhere"),
    Reason.OPPONENT: _("no opponent"),
    Reason.WORKER: _("no worker"),
    Reason.QUEUE: _("waiting"),
}
_ROLE = {
    Role.CAPTAIN: _("captain"),
    Role.MEMBER: _("member"),
}
_NOT_PLAYED = {
    MatchStatus.CANCELLED: _("Cancelled: it was not played."),
    MatchStatus.VOID: _("Cancelled: server error. Neither bot lost."),
}


def how(ended_by: str, reason: str, *, drawn: bool) -> str:
    """Describe how a game ended, in words that follow "won" or, if `drawn`, "Draw"."""
    if ended_by == "conduct":
        return gettext("by forfeit: %(fault)s") % {"fault": fault(reason)}
    if reason in SPOKEN:
        return translated(spoken(reason, drawn=drawn))
    return gettext("by %(reason)s") % {"reason": reason}


def ending_words(game: Game) -> str:
    """As `ending`, but as a stranger's text: for what is no page."""
    words = how(game.ended_by, game.reason, drawn=game.winner is None)
    if game.winner is None:
        return gettext("Draw %(how)s") % {"how": words}
    winner = game.seat0 if game.winner == 0 else game.seat1
    return gettext("%(bot)s won %(how)s") % {"bot": winner.bot.name, "how": words}


def ending(game: Game) -> SafeString:
    """Who won, and how: "Alder won by connection"."""
    words = how(game.ended_by, game.reason, drawn=game.winner is None)
    if game.winner is None:
        return format_html("{}", gettext("Draw %(how)s") % {"how": words})
    winner = format_html('<bdi class="name">{}</bdi>', (game.seat0 if game.winner == 0 else game.seat1).bot.name)
    # The translation is ours; the words are escaped, the name has been.
    said = gettext("%(bot)s won %(how)s") % {"bot": winner, "how": escape(words)}
    return mark_safe(said)  # noqa: S308


def fault(kind: str) -> str:
    """A kind of misconduct."""
    return translated(SPOKEN.get(kind, kind))


def status(value: str) -> str:
    """An event's, match's or submission's status for its chip."""
    return str(_STATUS.get(value, value))


def match_status(match: Match) -> str:
    """A match's status for its chip."""
    return str(_("held") if match.held and match.status == MatchStatus.QUEUED else _MATCH_STATUS[match.status])


def match_kind(match: Match) -> str:
    """What a match is played for."""
    return str(_MATCH_KIND[match.kind])


def place(state: str) -> str:
    """What a bot does on a ladder, for its chip."""
    return str(_PLACE[state])


def role(value: str) -> str:
    """What somebody is in a team."""
    return str(_ROLE[value])


def live_state(live: LiveGame, before: int) -> str:
    """How things stand with a game that has no result yet; `before` is how many matches are played earlier."""
    match = live.match
    if match.status == MatchStatus.QUEUED:
        return gettext("Waiting: its event is paused.") if match.held else _waiting(before)
    if match.status in _NOT_PLAYED:
        return str(_NOT_PLAYED[match.status])
    if not live.begun:
        return gettext("The first game of the match is still being played.")
    return (gettext("This game is over: it counts once the match is finished.") if live.over else
            gettext("In progress."))


def _waiting(before: int) -> str:
    if before == 0:
        return gettext("Waiting for a worker: it is the next of its kind.")
    return ngettext("Waiting for a worker: about %(count)s match comes first.",
                    "Waiting for a worker: about %(count)s matches come first.", before) % {"count": before}


def time_control(ladder: Ladder) -> str:
    """5 s + 0.1 s a turn, or 0.5 s for each turn; and whether pondering is allowed."""
    return gettext("%(time)s, pondering") % {"time": _time(ladder)} if ladder.pondering else _time(ladder)


def _time(ladder: Ladder) -> str:
    if ladder.per_turn_seconds:
        return gettext("%(time)s for each turn") % {"time": _seconds(ladder.per_turn_seconds)}
    base = _seconds(ladder.base_seconds)
    if ladder.increment_seconds:
        return gettext("%(base)s + %(increment)s a turn") % {
            "base": base, "increment": _seconds(ladder.increment_seconds)}
    return gettext("%(base)s a game") % {"base": base}


def _seconds(number: float) -> str:
    return f"{decimal(f'{number:g}')}{THIN}s"


def percent(share: float | None) -> str:
    """A share of 0 to 1: 71.2%."""
    return "–" if share is None else gettext("%(share)s%%") % {"share": decimal(f"{share * 100:.1f}")}


def decimal(number: str) -> str:
    """A number as Python formats it, with the decimal separator of the language."""
    return number.replace(".", get_format("DECIMAL_SEPARATOR"))


def recurrence(series: Series) -> str:
    """When its events are held: "every Sunday at 14:00, Europe/Berlin"; the cron line itself of what is rarer."""
    fields = series.cron.lower().split()
    words = f"cron {series.cron}"
    if len(fields) == 5 and all(field.isdigit() for field in fields[:2]) and fields[2:4] == ["*", "*"]:
        minute, hour, *_, weekday = fields
        day = _EVERY_DAY if weekday == "*" else _WEEKDAYS.get(weekday)
        if day:
            words = day % {"time": f"{int(hour):02}:{int(minute):02}"}
    return f"{words}, {series.time_zone}"


def seat_words(document: dict, seat: int) -> str:
    """What a seat is in this game: "first, north–south"."""
    if document["board"]["goal_sides"]:
        return (gettext("first, joins north–south"), gettext("second, joins west–east"))[seat]
    return (pgettext("seat", "first"), pgettext("seat", "second"))[seat]
