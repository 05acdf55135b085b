"""Wording of statuses, results, time controls and numbers on pages."""

from django.utils.formats import get_format
from django.utils.translation import gettext, ngettext, pgettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from tournaments.models import Ladder, Match, Series
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

# A narrow no-break space, between a number and its unit and between thousands.
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
    SubmissionStatus.CHECKING: _("checking"),
    SubmissionStatus.ACCEPTED: _("ready"),
    SubmissionStatus.REFUSED: _("refused"),
    VersionStatus.ACTIVE: _("active"),
    VersionStatus.RESTED: _("suspended"),
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
    Reason.VERSION: _("version inactive"),
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


def status(value: str) -> str:
    """The label of a status, for its chip."""
    return str(_STATUS.get(value, value))


def match_status(match: Match) -> str:
    """The label of a match's status, for its chip."""
    return str(_("on hold") if match.held and match.status == MatchStatus.QUEUED else _MATCH_STATUS[match.status])


def match_kind(match: Match) -> str:
    """The label of the kind of a match."""
    return str(_MATCH_KIND[match.kind])


def place(state: str) -> str:
    """The label of a bot's state on a ladder, for its chip."""
    return str(_PLACE[state])


def role(value: str) -> str:
    """The label of a member's role in a team."""
    return str(_ROLE[value])


def live_state(live: LiveGame, before: int, ending: str = "") -> str:
    """Describe the state of a game that is not stored; `before` is the number of matches ahead in the queue.

    `ending` is the sentence about its end, if a turn has ended it.
    """
    match = live.match
    if match.status == MatchStatus.QUEUED:
        return gettext("On hold: the event is paused.") if match.held else _waiting(before)
    if match.status in _NOT_PLAYED:
        return str(_NOT_PLAYED[match.status])
    if not live.begun:
        return gettext("The first game of the match is still in progress.")
    if ending:
        return gettext("%(ending)s. The game counts once the match is finished.") % {"ending": ending}
    return (gettext("This game is over. It counts once the match is finished.") if live.over else
            gettext("In progress."))


def _waiting(before: int) -> str:
    if before == 0:
        return gettext("Waiting for a worker: next in its queue.")
    return ngettext("Waiting for a worker: about %(count)s match is ahead in the queue.",
                    "Waiting for a worker: about %(count)s matches are ahead in the queue.", before) % {"count": before}


def time_control(ladder: Ladder) -> str:
    """Describe the time control: "5 s + 0.1 s per turn" or "0.5 s per turn"; and whether pondering is allowed."""
    return gettext("%(time)s, pondering") % {"time": _time(ladder)} if ladder.pondering else _time(ladder)


def _time(ladder: Ladder) -> str:
    if ladder.per_turn_seconds:
        return gettext("%(time)s per turn") % {"time": _seconds(ladder.per_turn_seconds)}
    base = _seconds(ladder.base_seconds)
    if ladder.increment_seconds:
        return gettext("%(base)s + %(increment)s per turn") % {
            "base": base, "increment": _seconds(ladder.increment_seconds)}
    return gettext("%(base)s per game") % {"base": base}


def _seconds(number: float) -> str:
    return f"{decimal(f'{number:g}')}{THIN}s"


def percent(share: float | None) -> str:
    """A share from 0 to 1 as a percentage: 71.2%."""
    return "–" if share is None else gettext("%(share)s%%") % {"share": decimal(f"{share * 100:.1f}")}


def points(value: float) -> str:
    """Game points of a tie: "3", "½", "1½"."""
    whole, half = divmod(round(value * 2), 2)
    return f"{whole or ''}½" if half else str(whole)


def decimal(number: str) -> str:
    """Replace the decimal point of a formatted number with the decimal separator of the language."""
    return number.replace(".", get_format("DECIMAL_SEPARATOR"))


def recurrence(series: Series) -> str:
    """The schedule of a series: "every Sunday at 14:00, Europe/Berlin", or the cron expression if it is less simple."""
    fields = series.cron.lower().split()
    words = gettext("cron %(times)s") % {"times": series.cron}
    if len(fields) == 5 and all(field.isdigit() for field in fields[:2]) and fields[2:4] == ["*", "*"]:
        minute, hour, *_, weekday = fields
        day = _EVERY_DAY if weekday == "*" else _WEEKDAYS.get(weekday)
        if day:
            words = day % {"time": f"{int(hour):02}:{int(minute):02}"}
    return f"{words}, {series.time_zone}"


def seat_words(document: dict, seat: int) -> str:
    """The role of a seat in this game: "first, joins north–south"."""
    if document["board"]["goal_sides"]:
        return (gettext("first, joins north–south"), gettext("second, joins west–east"))[seat]
    return (pgettext("seat", "first"), pgettext("seat", "second"))[seat]
