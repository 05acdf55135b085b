"""Reasons why a bot, a ladder, a trial, an event or a series waits, for pages and the API.

Each read takes a batch, with as many queries for many rows as for one. Rows that are playing or over have no reason.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from typing import Any, Final

from django.conf import settings
from django.db.models import Exists, F, OuterRef, QuerySet, Window
from django.db.models.functions import RowNumber
from django.utils.translation import gettext, ngettext

from engines.rules.registry import RULESETS
from tournaments.models import Bot, Candidacy, Entry, Event, Ladder, LadderEntry, Match, Series
from tournaments.models.lifecycle import (
    MATCH_OPEN,
    CandidacyStatus,
    EventStatus,
    MatchKind,
    MatchStatus,
    VersionStatus,
)
from tournaments.operations import workers
from tournaments.operations.workers import Fleet
from tournaments.platform.refusals import stated
from tournaments.scoring.scores import GAMES_PER_MATCH
from tournaments.selectors.events.events import unannounced
from tournaments.selectors.events.permissions import OPEN_EVENTS, events_held, is_site_organiser
from tournaments.selectors.ladders.pairable import able_to_play, open_matches
from tournaments.selectors.shared.gaps import sentence
from tournaments.selectors.shared.permissions import under_ban
from tournaments.selectors.shared.quotas import games_free_at, games_left

# A higher number of waiting matches does not matter, and this many bots on a ladder tell whether there are opponents.
_COUNTED: Final = 1000
_OPPONENTS: Final = 32


class Reason(StrEnum):
    """A kind of reason to wait."""

    START = "start"
    """An event: its time has not come."""
    PAUSED = "paused"
    """An event: its organiser has to resume it."""
    SEASON = "season"
    """A league: the season has not ended."""
    EVENTS = "events"
    """A series: its organiser holds as many events as allowed."""
    CLOSED = "closed"
    """Only events use the ladder."""
    SUSPENDED = "suspended"
    """The bot, or its owner, is banned."""
    VERSION = "version"
    """The version is suspended or withdrawn."""
    FAULTS = "faults"
    """The bot is suspended after faults."""
    QUOTA = "quota"
    """The owner's quota of games for 24 hours is used up."""
    BUSY = "busy"
    """The bot has as many ladder matches as it may have at a time."""
    OPPONENT = "opponent"
    """No other bot can be paired."""
    WORKER = "worker"
    """No worker takes such matches: none is online, all are draining, or they lack the ruleset or the tier."""
    TURN = "turn"
    """Other bots are paired first."""
    QUEUE = "queue"
    """Matches exist and wait for a free worker."""


@dataclass(frozen=True, slots=True)
class Wait:
    """A reason to wait, and a sentence about it."""

    reason: Reason
    text: str


@dataclass(frozen=True, slots=True)
class _Player:
    bot: int
    owner: int
    trusted: bool


class Waits:
    """The reasons at a moment. Facts that several reads need are read once."""

    def __init__(self, now: datetime) -> None:
        self.now = now
        self._left: dict[int, float] = {}
        self._free: dict[int, datetime] = {}
        self._players: dict[int, list[_Player]] = {}
        self._queue: dict[str, int] = {}

    def of_entries(self, entries: Sequence[LadderEntry]) -> dict[int, list[Wait]]:
        """Return reasons for bots' places on ladders, by entry ID; none if the bot plays there, or has left.

        A ban takes a bot off its ladders, so a place that was left can still have that reason. Entries must be loaded
        with their ladders, bots and versions.
        """
        active = [entry for entry in entries if entry.active]
        self._look_at({entry.ladder for entry in active}, {entry.bot.owner_id for entry in active})
        banned = _banned([entry.bot for entry in entries])
        return {entry.pk: ([_suspended()] if entry.bot_id in banned else []) +
                          (self._of_entry(entry) if entry.active else []) for entry in entries}

    def of_ladders(self, ladders: Sequence[Ladder]) -> dict[int, list[Wait]]:
        """Return reasons for ladders, by ID; none while a match is played there."""
        self._look_at(ladders, ())
        return {ladder.pk: self._of_ladder(ladder) for ladder in ladders}

    def of_trials(self, trials: Sequence[Candidacy]) -> dict[int, list[Wait]]:
        """Return reasons for trials, by ID; none while a match is played, or when the trial is over."""
        running = [trial for trial in trials if trial.status == CandidacyStatus.RUNNING]
        self._look_at([trial.ladder for trial in running], {trial.bot.owner_id for trial in running}, opponents=False)
        banned = _banned([trial.bot for trial in running])
        open_now: dict[int, set[str]] = {trial.pk: set() for trial in running}
        rows = (Match.objects.filter(candidacy__in=open_now, status__in=MATCH_OPEN)
                .order_by().values_list("candidacy", "status").distinct())
        for pk, status in rows:
            open_now[pk].add(status)
        return {trial.pk: self._of_trial(trial, open_now[trial.pk], banned=trial.bot_id in banned)
                if trial.pk in open_now else [] for trial in trials}

    def of_events(self, events: Sequence[Event]) -> dict[int, list[Wait]]:
        """Return reasons for events, by ID; none when the event is over, or while matches are played.

        The reason that no worker plays some of its bots also holds while other matches of the event are played.
        """
        matches = Match.objects.filter(event=OuterRef("pk")).order_by()
        rows = (Event.objects.filter(pk__in=[event.pk for event in events if event.status == EventStatus.RUNNING])
                .order_by().values_list("pk", "ladder__ruleset",
                                        Exists(matches.filter(status=MatchStatus.RUNNING)),
                                        Exists(matches.filter(status=MatchStatus.QUEUED)),
                                        Exists(Entry.objects.filter(event=OuterRef("pk"), version__trusted=False))))
        found = {pk: self._in_queue(ruleset, trusted=not strangers)
                 for pk, ruleset, is_played, is_queued, strangers in rows
                 if is_queued and (not is_played or (strangers and self._fleet.only_trusted(ruleset)))}
        for event in events:
            if event.status == EventStatus.PAUSED:
                found[event.pk] = Wait(Reason.PAUSED, gettext("It is paused until its organiser resumes it."))
            elif event.status == EventStatus.SCHEDULED:
                found[event.pk] = Wait(Reason.START, stated(gettext("It starts at %(time)s."),
                                                            time=_moment(event.starts_at)))
        return {event.pk: [found[event.pk]] if event.pk in found else [] for event in events}

    def of_series(self, series: Sequence[Series]) -> dict[int, list[Wait]]:
        """Return reasons why series have not announced their next events, by ID; none if they have, or end."""
        rows = list(unannounced(self.now).filter(pk__in=[each.pk for each in series]).select_related("created_by"))
        held = events_held(*{row.created_by for row in rows})
        found = {row.pk: [wait] for row in rows if (wait := self._of_series(row, held[row.created_by_id]))}
        return {each.pk: found.get(each.pk, []) for each in series}

    def _of_series(self, row: Any, held: int) -> Wait | None:
        if row.in_season:
            return Wait(Reason.SEASON, gettext(
                "The next season is announced when all divisions of the last one have ended."))
        if held < OPEN_EVENTS or is_site_organiser(row.created_by, "add"):
            return None
        return Wait(Reason.EVENTS, stated(gettext(
            "The next event is not announced yet: %(organiser)s holds %(held)s events that are not over, but at most "
            "%(most)s are allowed. It is announced when one of them has ended; the organiser can also cancel one."),
            organiser=row.created_by.username, held=held, most=OPEN_EVENTS))

    def _of_entry(self, entry: LadderEntry) -> list[Wait]:
        ladder, here = entry.ladder, (entry.ladder_id, entry.bot_id)
        trusted = entry.version.trusted
        if here in self._open[MatchStatus.RUNNING]:
            return []
        if here in self._open[MatchStatus.QUEUED]:
            return [self._in_queue(ladder.ruleset, trusted=trusted)]
        found = [] if ladder.is_open else [_closed()]
        found += _not_playable(entry.version.status)
        if entry.probe_at is not None and entry.probe_at > self.now:
            found.append(Wait(Reason.FAULTS, stated(ngettext(
                "It is suspended until %(time)s: %(count)s game lost by its fault.",
                "It is suspended until %(time)s: %(count)s games in a row lost by its fault.",
                entry.faults), time=_moment(entry.probe_at), count=entry.faults)))
        found += self._quota(entry.bot.owner_id)
        if found:
            return found
        if self._matches_of[entry.bot_id] >= settings.LADDER_MATCHES_OF_A_BOT:
            return [Wait(Reason.BUSY, stated(gettext(
                "It has %(count)s matches on other ladders, the most allowed at a time."),
                count=settings.LADDER_MATCHES_OF_A_BOT))]
        others = [player for player in self._players[ladder.pk] if player.bot != entry.bot_id]
        return [self._no_opponent(others, 1) or self._in_queue(ladder.ruleset, trusted=trusted, reason=Reason.TURN)]

    def _of_ladder(self, ladder: Ladder) -> list[Wait]:
        if ladder.pk in self._played_on[MatchStatus.RUNNING]:
            return []
        queued = ladder.pk in self._played_on[MatchStatus.QUEUED]
        if not ladder.is_open and not queued:
            return [_closed()]
        players = self._players[ladder.pk]
        trusted = all(player.trusted for player in players)
        missing = None if queued else self._no_opponent(players, 2)
        return [missing or self._in_queue(ladder.ruleset, trusted=trusted,
                                          reason=Reason.QUEUE if queued else Reason.TURN)]

    def _of_trial(self, trial: Candidacy, open_now: set[str], *, banned: bool) -> list[Wait]:
        if MatchStatus.RUNNING in open_now:
            return []
        trusted = trial.candidate.trusted and trial.current.trusted
        if open_now:
            return [self._in_queue(trial.ladder.ruleset, trusted=trusted)]
        found = [_suspended()] if banned else []
        found += _not_playable(trial.current.status) + self._quota(trial.bot.owner_id)
        return found or [self._in_queue(trial.ladder.ruleset, trusted=trusted, reason=Reason.TURN)]

    def _quota(self, owner: int) -> list[Wait]:
        if self._left[owner] >= GAMES_PER_MATCH:
            return []
        if owner not in self._free:
            return [Wait(Reason.QUOTA, gettext("Its owner’s quota allows no games."))]
        return [Wait(Reason.QUOTA, stated(gettext(
            "Its owner’s quota of games for 24 hours is used up; more games are available at %(time)s."),
            time=_moment(self._free[owner])))]

    def _no_opponent(self, players: Sequence[_Player], needed: int) -> Wait | None:
        able = [player for player in players if self._left[player.owner] >= GAMES_PER_MATCH]
        if len(able) >= needed:
            return None
        if len(players) >= needed:
            return Wait(Reason.OPPONENT, gettext(
                "There is no opponent: the other bots’ owners have used up their quotas of games for 24 hours."))
        return Wait(Reason.OPPONENT, gettext("There is no opponent: no other bot here can be paired."))

    def _in_queue(self, ruleset: str, *, trusted: bool, reason: Reason = Reason.QUEUE) -> Wait:
        """Return why no worker plays such matches, or else how long the queue is."""
        gap = self._fleet.gap(ruleset, trusted=trusted)
        if gap is not None:
            return Wait(Reason.WORKER, sentence(gap, ruleset))
        name = RULESETS[ruleset].name if ruleset in RULESETS else ruleset
        count = self._queued(ruleset)
        shown = count if count < _COUNTED else stated(gettext("more than %(number)s"), number=_COUNTED)
        text = (ngettext("It will be paired in turn: %(count)s match of %(ruleset)s waits for a worker.",
                         "It will be paired in turn: %(count)s matches of %(ruleset)s wait for a worker.", count)
                if reason == Reason.TURN else
                ngettext("It is queued: %(count)s match of %(ruleset)s waits for a worker.",
                         "It is queued: %(count)s matches of %(ruleset)s wait for a worker.", count))
        return Wait(reason, stated(text, count=shown, ruleset=name))

    def _look_at(self, ladders: Iterable[Ladder], owners: Collection[int], *, opponents: bool = True) -> None:
        """Read the players on these ladders, and the games left to these owners and to the players' owners."""
        new = [ladder.pk for ladder in ladders if ladder.pk not in self._players] if opponents else []
        if new:
            self._players.update({pk: [] for pk in new})
            for pk, bot, owner, trusted in _some_players(new, self.now):
                self._players[pk].append(_Player(bot, owner, trusted))
        asked = {player.owner for pk in new for player in self._players[pk]}.union(owners) - self._left.keys()
        if asked:
            self._left.update(games_left(asked, self.now))
        out = [owner for owner in owners if self._left[owner] < GAMES_PER_MATCH and owner not in self._free]
        if out:
            self._free.update(games_free_at(out, self.now))

    @cached_property
    def _open(self) -> dict[str, Counter[tuple[int, int]]]:
        """Ladder matches that are queued or running, counted by status, ladder and bot."""
        found: dict[str, Counter[tuple[int, int]]] = {status: Counter() for status in MATCH_OPEN}
        for status, ladder, *bots in open_matches(MatchKind.LADDER, "ladder", "first__bot", "second__bot"):
            found[status].update((ladder, bot) for bot in bots)
        return found

    @cached_property
    def _played_on(self) -> dict[str, set[int]]:
        """Ladders of these matches, by status."""
        return {status: {ladder for ladder, _ in sides} for status, sides in self._open.items()}

    @cached_property
    def _matches_of(self) -> Counter[int]:
        """Number of these matches of each bot, on all ladders."""
        return Counter(bot for sides in self._open.values() for _, bot in sides.elements())

    @cached_property
    def _fleet(self) -> Fleet:
        return workers.fleet(self.now)

    def _queued(self, ruleset: str) -> int:
        """Return how many matches of the ruleset wait for a worker; at most 1000."""
        if ruleset not in self._queue:
            rows = Match.objects.filter(status=MatchStatus.QUEUED, held=False, ruleset=ruleset).order_by()
            self._queue[ruleset] = rows[:_COUNTED].count()
        return self._queue[ruleset]


def _some_players(ladders: Collection[int], now: datetime) -> QuerySet:
    """Return a few bots that can be paired on each ladder: ladder, bot, owner, and whether it is trusted."""
    able = able_to_play(LadderEntry.objects.filter(ladder__in=ladders), now)
    if len(ladders) == 1:
        # From the index, because a ladder's page is requested often.
        some = able.order_by("waiting_since")[:_OPPONENTS]
    else:
        some = able.annotate(place=Window(RowNumber(), partition_by="ladder", order_by=F("waiting_since").asc())
                             ).filter(place__lte=_OPPONENTS).order_by()
    return some.values_list("ladder", "bot", "bot__owner", "version__trusted")


def _banned(bots: Collection[Bot]) -> set[int]:
    """Return the IDs of those of these bots that are banned, themselves or with their owners."""
    return set(Bot.objects.filter(under_ban(), pk__in=[bot.pk for bot in bots]).values_list("pk", flat=True))


def _closed() -> Wait:
    return Wait(Reason.CLOSED, gettext("Only events use this ladder."))


def _suspended() -> Wait:
    return Wait(Reason.SUSPENDED, gettext("The bot or its owner is banned by the site’s staff."))


def _not_playable(status: str) -> list[Wait]:
    if status == VersionStatus.ACTIVE:
        return []
    return [Wait(Reason.VERSION, gettext("Its version is suspended: its author must bring it back.")
                 if status == VersionStatus.RESTED else gettext("Its version is withdrawn."))]


def _moment(time: datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M %Z}"
