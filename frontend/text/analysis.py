"""Sentences about the analysis of a game. Names are user-supplied: everything here is plain text, to be escaped."""

from collections.abc import Sequence
from typing import Final

from django.utils.translation import gettext, gettext_lazy

from frontend.text import endings, wording
from tournaments.models import Analysis
from tournaments.models.lifecycle import AnalysisStatus
from tournaments.scoring.analysis import TurningPoint, Verdict

# Reasons of the analysis itself; all others are faults.
_REASONS: Final = {"": gettext_lazy("not judged yet"), "busy host": gettext_lazy("the server was overloaded"),
                   "gave up": gettext_lazy("the bot had failed several times before")}


def whole_percent(chance: float) -> str:
    """A chance from 0 to 1 in whole per cent: 71%."""
    return gettext("%(share)s%%") % {"share": f"{chance * 100:.0f}"}


def state(analysis: Analysis) -> str:
    """The progress of an analysis, or its end."""
    counts = {"done": analysis.judged, "positions": analysis.positions}
    if analysis.status == AnalysisStatus.DONE:
        return gettext("All %(positions)s positions were judged.") % counts
    if analysis.status == AnalysisStatus.VOID:
        return gettext(
            "The analysis ended after %(done)s of %(positions)s positions because of a service fault.") % counts
    if not analysis.judged:
        return gettext("Waiting for a free worker. Matches and questions go first.")
    return gettext("%(done)s of %(positions)s positions judged.") % counts


def budget(analysis: Analysis) -> str:
    """Who judged, and with how much time."""
    names = [str(version) for version in analysis.judges]
    seconds = {"seconds": wording.decimal(f"{analysis.seconds:g}")}
    if len(names) == 1:
        return gettext("Judged by %(one)s, %(seconds)s s per position.") % {**seconds, "one": names[0]}
    return gettext("Judged by %(one)s and %(two)s, %(seconds)s s per position each.") % {
        **seconds, "one": names[0], "two": names[1]}


def turning_point(point: TurningPoint, names: Sequence[str]) -> str:
    """The fall of the mover's chance: "Turn 23: basalt’s chance fell from 71% to 30%"."""
    return gettext("Turn %(turn)s: %(bot)s’s chance fell from %(before)s to %(after)s") % {
        "turn": point.turn, "bot": names[point.seat], "before": whole_percent(point.before),
        "after": whole_percent(point.after)}


def missing(verdict: Verdict) -> str:
    """The reason why a position was not judged."""
    return str(_REASONS.get(verdict.reason) or endings.fault(verdict.reason))


def verdict_on(verdict: Verdict, judge: str, *, same: bool) -> str:
    """The best turn that a judge sees, against the one that was played; `same` says whether they are equal."""
    if not verdict.turn:
        return gettext("Not judged: %(reason)s.") % {"reason": missing(verdict)}
    if same:
        return gettext("%(judge)s would play this turn, too.") % {"judge": judge}
    return gettext("%(judge)s would play %(turn)s.") % {"judge": judge, "turn": verdict.turn.replace(",", " ")}


def chance_around(name: str, before: float | None, after: float | None) -> str:
    """The mover's chance before and after its turn, where they are known; else ""."""
    if before is None or after is None:
        return ""
    return gettext("Chance of %(bot)s: %(before)s before this turn, %(after)s after it.") % {
        "bot": name, "before": whole_percent(before), "after": whole_percent(after)}
