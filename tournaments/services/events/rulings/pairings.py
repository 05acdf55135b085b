"""Pairings by hand: an organiser changes unplayed pairings of the last round, and confirms a round."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from django.db import transaction
from django.utils.translation import gettext

from tournaments.formats.registry import find
from tournaments.formats.swiss.changing import BYE, REMATCH, SCORES, SEATS, TOGETHER, Plan, warnings
from tournaments.formats.swiss.standard import rounds_of
from tournaments.models import Bot, Bye, ChangedPairing, Entry, Event, Match, Round
from tournaments.models.lifecycle import EventStatus, MatchKind, MatchStatus
from tournaments.platform.refusals import Refused, stated
from tournaments.selectors.events.history.reading import history_of
from tournaments.selectors.events.permissions import refuse_stranger
from tournaments.selectors.shared.permissions import refuse_banned
from tournaments.services.events.rulings.disqualifying import LONGEST_REASON
from tournaments.services.matches.openings import Drawing, among
from tournaments.services.shared import audit
from tournaments.services.shared.locks import Lock, hold, lock_event
from tournaments.services.shared.statements import touch
from tournaments.services.shared.wakeups import Step, wake, wake_after

_OPEN: Final = (EventStatus.RUNNING, EventStatus.PAUSED)


class PairingRefused(Refused):
    """A pairing cannot be changed, or a round cannot be confirmed."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A change of a round's pairings: the new pairs and bye, as bots, and what they break.

    `warnings` have a kind, slugs of bots, and a number.
    """

    round: int
    pairs: list[tuple[Bot, Bot]]
    bye: Bot | None
    warnings: list[dict[str, Any]]
    stored: bool

    @property
    def sentences(self) -> list[str]:
        """The warnings as sentences."""
        bots = {bot.slug: bot.name for bot in (*(bot for pair in self.pairs for bot in pair), self.bye) if bot}
        return [words_of(warning, bots) for warning in self.warnings]


def pair_by_hand(*, event: Event, first: Bot, second: Bot | None, actor: Any, now: datetime, reason: str = "",
                 dry_run: bool = False) -> Changed:
    """Let two bots meet in the last round, and also their former opponents; without `second`, `first` gets the bye.

    Both matches must not have begun. A `dry_run` checks everything but the reason, and stores nothing. Raises
    PairingRefused, Forbidden.
    """
    refuse_stranger(actor, event)
    refuse_banned(user=actor)
    words = reason.strip()
    if not dry_run and (not words or len(words) > LONGEST_REASON or not words.isprintable()):
        raise PairingRefused(gettext(
            "A change of pairings needs a public reason of 1 to %(longest)s visible characters on one line."),
            longest=LONGEST_REASON)
    with transaction.atomic():
        hold(Lock.OPENINGS)
        event = lock_event(event)
        round_ = _last_round(event)
        entries = list(event.entries.filter(place__isnull=False).select_related("bot", "version").order_by("place"))
        matches = list(Match.objects.select_for_update(no_key=True).filter(round=round_).order_by("number"))
        plan = _plan(round_, entries, matches)
        ends = _entry(event, round_, entries, plan, first), (
            None if second is None else _entry(event, round_, entries, plan, second))
        _check(event, round_, plan, *ends)
        change = ends[0].place, None if ends[1] is None else ends[1].place
        new, swapped = plan.changed(change), {entries[place].version_id: place for place in plan.swap(change)}
        _refuse_begun(round_, entries, [match for match in matches if {match.first_id, match.second_id} & {*swapped}])
        broken = _broken(event, entries, plan, new)
        if not dry_run:
            _apply(event, round_, entries, matches, plan.swap(change))
            ChangedPairing.objects.create(
                round=round_, number=round_.changes.count() + 1, first=ends[0], second=ends[1], reason=words,
                warnings=broken, ruled_by=actor, ruled_at=now)
            touch(event.pk)
            audit.record(actor=actor, verb="change a pairing in", target=event, now=now, round=round_.number,
                         first=first.slug, second=second and second.slug, reason=words, warnings=broken)
            wake(Step.PUBLISH)
    same = set(plan.pairs)
    return Changed(round_.number, [(entries[a].bot, entries[b].bot) for a, b in new.pairs if (a, b) not in same],
                   entries[new.bye].bot if new.bye is not None and new.bye != plan.bye else None, broken, not dry_run)


def confirm_round(*, event: Event, actor: Any, now: datetime) -> Event:
    """Release the matches of the round that waits for its organiser. Raises PairingRefused, Forbidden."""
    refuse_stranger(actor, event)
    refuse_banned(user=actor)
    with transaction.atomic():
        event = lock_event(event)
        waiting = list(event.rounds.filter(awaits_confirmation=True).values_list("number", flat=True))
        if event.status not in _OPEN or not waiting:
            raise PairingRefused(gettext("No round of %(event)s waits for a confirmation."), event=event)
        if event.status == EventStatus.RUNNING:
            Match.objects.filter(round__event=event, round__awaits_confirmation=True,
                                 status=MatchStatus.QUEUED).update(held=False, published_at=None)
        event.rounds.filter(awaits_confirmation=True).update(awaits_confirmation=False)
        touch(event.pk)
        audit.record(actor=actor, verb="confirm a round of", target=event, now=now, round=max(waiting))
        wake_after(MatchKind.EVENT)
    event.refresh_from_db()
    return event


def words_of(warning: dict[str, Any], names: dict[str, str]) -> str:
    """Return the warning as a sentence. `names` are the bots' names by slug."""
    bots = [names.get(slug, slug) for slug in warning["bots"]]
    facts = {"first": bots[0], "second": bots[-1], "number": f"{warning['number']:g}"}
    return stated({
        REMATCH: gettext("%(first)s and %(second)s already met in round %(number)s."),
        TOGETHER: gettext("%(first)s and %(second)s belong to one owner or team, and should not meet in this round."),
        SCORES: gettext("%(first)s and %(second)s are %(number)s points apart."),
        SEATS: gettext("%(first)s gets the same seat three times in a row, or too often (seat %(number)s)."),
        BYE: gettext("%(first)s already had a bye or a win without play in round %(number)s."),
    }[warning["kind"]], **facts)


def _last_round(event: Event) -> Round:
    form = find(event.format)
    if not form.changes_by_hand:
        raise PairingRefused(gettext(
            "Pairings cannot be changed by hand in the format %(format)s, only in a Swiss."), format=gettext(form.name))
    last = event.rounds.order_by("number").last()
    if event.status not in _OPEN or last is None:
        raise PairingRefused(gettext(
            "%(event)s is %(status)s: only pairings of a running event can be changed."), event=event,
            status=event.get_status_display().lower())
    return last


def _plan(round_: Round, entries: list[Entry], matches: Iterable[Match]) -> Plan:
    places = {entry.version_id: entry.place or 0 for entry in entries}
    pairs: dict[frozenset[int], tuple[int, int]] = {}
    for match in matches:
        pairs.setdefault(frozenset((match.first_id, match.second_id)),
                         (places[match.first_id], places[match.second_id]))
    return Plan(tuple(pairs.values()), round_.byes.filter(points=1).values_list("entry__place", flat=True).first())


def _entry(event: Event, round_: Round, entries: list[Entry], plan: Plan, bot: Bot) -> Entry:
    facts = {"bot": bot.name, "event": event, "number": round_.number}
    entry = next((entry for entry in entries if entry.bot_id == bot.pk), None)
    if entry is None:
        raise PairingRefused(gettext("%(bot)s does not play in %(event)s: choose an entrant."), **facts)
    if entry.left_at is not None:
        raise PairingRefused(gettext("%(bot)s has left %(event)s: choose another entrant."), **facts)
    if entry.place != plan.bye and not any(entry.place in pair for pair in plan.pairs):
        raise PairingRefused(gettext("%(bot)s sits round %(number)s of %(event)s out: choose another entrant."),
                             **facts)
    return entry


def _check(event: Event, round_: Round, plan: Plan, one: Entry, other: Entry | None) -> None:
    facts = {"first": one.bot.name, "second": other and other.bot.name, "number": round_.number, "event": event}
    if other is not None and one.pk == other.pk:
        raise PairingRefused(gettext(
            "%(first)s cannot meet itself in round %(number)s of %(event)s: choose another opponent."), **facts)
    if other is None and plan.bye is None:
        raise PairingRefused(gettext("Round %(number)s of %(event)s has no bye: choose an opponent."), **facts)
    if plan.opponent(one.place or 0) == (None if other is None else other.place):
        raise PairingRefused(gettext(
            "Round %(number)s of %(event)s is already paired like this: choose another opponent for %(first)s."),
            **facts)


def _refuse_begun(round_: Round, entries: list[Entry], matches: Iterable[Match]) -> None:
    names = {entry.version_id: entry.bot.name for entry in entries}
    left = {entry.version_id for entry in entries if entry.left_at is not None}
    for match in matches:
        facts = {"first": names[match.first_id], "second": names[match.second_id], "number": round_.number}
        if left & {match.first_id, match.second_id}:
            raise PairingRefused(gettext(
                "A bot of the pairing %(first)s – %(second)s of round %(number)s has left: it cannot be changed."),
                **facts)
        if match.status != MatchStatus.QUEUED or match.attempt:
            raise PairingRefused(gettext(
                "The match %(first)s – %(second)s of round %(number)s has already begun: only pairings without a "
                "started match can be changed."), **facts)


def _broken(event: Event, entries: list[Entry], plan: Plan, new: Plan) -> list[dict[str, Any]]:
    history = history_of(event)
    together = history.together if history.last <= history.apart_rounds else ()
    played = rounds_of(replace(history, rounds=history.rounds[:-1]))
    return [{"kind": found.kind, "bots": [entries[place].bot.slug for place in found.entrants],
             "number": found.number} for found in warnings(plan, new, played, together=together)]


def _apply(event: Event, round_: Round, entries: list[Entry], matches: Iterable[Match], swap: tuple[int, int]) -> None:
    """Exchange the two entrants in their matches, which get new openings, and in the bye."""
    one, other = (entries[place] for place in swap)
    new = {one.version_id: other.version_id, other.version_id: one.version_id}
    drawing = Drawing(event.ladder, among(entry.version_id for entry in entries), book=event.book)
    for match in matches:
        if {match.first_id, match.second_id} & new.keys():
            first, second = (new.get(version, version) for version in (match.first_id, match.second_id))
            opening = list(drawing.draw(first, second, match.seed)) if event.openings else []
            Match.objects.filter(pk=match.pk).update(first=first, second=second, opening=opening, published_at=None)
    for bye in Bye.objects.filter(round=round_, entry__in=(one, other)):
        Bye.objects.filter(pk=bye.pk).update(entry=other if bye.entry_id == one.pk else one)
