"""An event's history, read from the database as its format takes it: rounds, ties, byes, entrants who left."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import combinations, groupby

from tournaments.formats.history import Bout, Goal, History, Known, Played, RoundSoFar, Tie
from tournaments.formats.registry import find
from tournaments.models import Bye, ByeRequest, Entry, Event, Game, Match
from tournaments.models.lifecycle import MATCH_ENDED, MatchStatus
from tournaments.scoring.repeats import shortened
from tournaments.scoring.scores import GAMES_PER_MATCH


def history_of(event: Event, entries: Iterable[Entry] | None = None, now: datetime | None = None, *,
               with_known: bool = False) -> History:
    """Return the event's history; if rounds do not follow from earlier ones, only the entrants.

    Events of such formats have many matches. `entries` are the event's, if the caller has read them. `now` is for
    continuous formats: without it, the time counts as over. The facts stored with their waves, which are long,
    are read only `with_known`.
    """
    if entries is None:
        entries = (event.entries.select_related("disqualification")
                   .only("event", "place", "runs_the_gauntlet", "left_at", "version", "disqualification__annulled"))
    placed = sorted((entry for entry in entries if entry.place is not None), key=lambda entry: entry.place)
    rounds: list[RoundSoFar] = []
    form = find(event.format)
    if form.is_continuous:
        rounds = _waves(event, with_known=with_known)
    elif form.is_round_by_round:
        ties, (byes, rests) = ties_of(event), byes_of(event)
        rounds = [RoundSoFar(number, ties.get(number, ()), frozenset(byes.get(number, ())), rests.get(number, {}))
                  for number in event.rounds.order_by("number").values_list("number", flat=True)]
    if form.needs_games:
        rounds = _with_pairs(event, placed, rounds)
    return History(
        entrants=len(placed), cycles=event.cycles, rounds_wanted=event.swiss_rounds, rounds=rounds,
        runners=[entry.place for entry in placed if entry.runs_the_gauntlet],
        left=frozenset(entry.place for entry in placed if entry.left_at is not None), over=event.ended_at is not None,
        annulled=frozenset(entry.place for entry in placed
                           if (ruling := getattr(entry, "disqualification", None)) is not None and ruling.annulled),
        withdrawals=event.withdrawals, requests=_requests(event), bye_points=event.bye_points,
        together=_together(event), apart_rounds=event.apart_rounds,
        goal=_goal(event), games=_games(event, placed) if form.needs_games else (),
        bouts=_bouts(event, placed) if form.is_continuous else (), minutes=event.minutes, streaks=event.streaks,
        seconds=None if now is None or event.started_at is None else (now - event.started_at).total_seconds())


def _waves(event: Event, *, with_known: bool) -> list[RoundSoFar]:
    rows = event.rounds.order_by("number")
    if not with_known:
        return [RoundSoFar(number, (), frozenset()) for number in rows.values_list("number", flat=True)]
    return [RoundSoFar(number, (), frozenset(), known=known and Known(
        tuple(known["free"]), known["open"], known["seconds"]))
        for number, known in rows.values_list("number", "known")]


def _bouts(event: Event, entries: Iterable[Entry]) -> tuple[Bout, ...]:
    """Return the matches of a continuous event. A match that ends in between counts as open.

    Those of entrants that came after `entries` were read are left out.

    Its games are read afterwards: those of a match that was finished are all there.
    """
    places = {entry.version_id: entry.place or 0 for entry in entries}
    rows = list(Match.objects.filter(event=event).order_by("round__number", "number")
                .values_list("pk", "round__number", "number", "first", "second", "status"))
    points = _points(Game.objects.filter(event=event).values_list("match", "seat0", "seat1", "winner"))
    return tuple(Bout(wave, number, places[first], places[second], status, (points[pk, first], points[pk, second]))
                 for pk, wave, number, first, second, status in rows if first in places and second in places)


def _requests(event: Event) -> dict[int, frozenset[int]]:
    """Return the entrants that requested a bye, by round number."""
    requests: dict[int, frozenset[int]] = {}
    if event.byes_allowed:
        for number, place in (ByeRequest.objects.filter(entry__event=event, entry__place__isnull=False)
                              .values_list("number", "entry__place")):
            requests[number] = requests.get(number, frozenset()) | {place}
    return requests


def _together(event: Event) -> frozenset[frozenset[int]]:
    """Return the pairs of entrants with the same owner or the same team; none if the event does not keep them apart."""
    if not event.apart_rounds:
        return frozenset()
    groups: dict[tuple[str, int], list[int]] = defaultdict(list)
    for place, owner, team in (event.entries.filter(place__isnull=False)
                               .values_list("place", "bot__owner", "bot__team")):
        groups["owner", owner].append(place)
        if team is not None:
            groups["team", team].append(place)
    return frozenset(frozenset(pair) for members in groups.values() for pair in combinations(members, 2))


def _goal(event: Event) -> Goal | None:
    if not event.target:
        return None
    return Goal(event.target, event.target_value, event.max_matches, event.max_hours, event.seed)


def _with_pairs(event: Event, entries: Sequence[Entry], rounds: Iterable[RoundSoFar]) -> list[RoundSoFar]:
    """Return the rounds with all their matches, and with the entrants that had left when each was paired."""
    places = {entry.version_id: entry.place for entry in entries}
    left = [(entry.left_at, entry.place) for entry in entries if entry.left_at is not None]
    matches: dict[int, list[tuple[int, int]]] = defaultdict(list)
    paired: dict[int, datetime] = {}
    for number, first, second, created_at in (
            Match.objects.filter(event=event).order_by("round__number", "number")
            .values_list("round__number", "first", "second", "created_at")):
        matches[number].append((places[first], places[second]))
        paired[number] = created_at
    return [replace(round_, pairs=matches[round_.number], absent=frozenset(
        place for left_at, place in left if round_.number in paired and left_at <= paired[round_.number]
        # An entrant that was paired was there, even if it left at the same moment.
        and not any(place in pair for pair in matches[round_.number])))
        for round_ in rounds]


def _games(event: Event, entries: Iterable[Entry]) -> tuple[Played, ...]:
    """Return the finished matches of a running or ended event, in the order in which they were paired."""
    places = {entry.version_id: entry.place for entry in entries}
    rows = (Game.objects.filter(event=event).order_by("match__round__number", "match__number", "number")
            .values_list("match__round__number", "match__number", "seat0", "seat1", "winner", "record", "ended_at"))
    played = []
    for (number, pairing), two in groupby(rows.iterator(chunk_size=500), key=lambda row: row[:2]):
        games = list(two)
        played.append(Played.of(
            number, pairing, [(places[game[2]], places[game[3]]) for game in games], [game[4] for game in games],
            games[0][5]["opening"], [shortened(turn["turn"] for turn in game[5]["turns"]) for game in games],
            event.started_at.isoformat(), games[-1][6].isoformat()))
    return tuple(played)


def byes_of(event: Event) -> tuple[dict[int, set[int]], dict[int, dict[int, float]]]:
    """Return, by round number, the entrants who have a bye or a walkover without a match, and the points of others.

    The others requested the bye, or entered later.
    """
    byes: dict[int, set[int]] = {}
    rests: dict[int, dict[int, float]] = {}
    for number, place, points in Bye.objects.filter(round__event=event).values_list(
            "round__number", "entry__place", "points"):
        if points < 1:
            rests.setdefault(number, {})[place] = points
        else:
            byes.setdefault(number, set()).add(place)
    return byes, rests


def ties_of(event: Event) -> dict[int, list[Tie]]:
    """Return the event's ties by round number, in the order in which they were paired."""
    places = {entry.version_id: entry for entry in event.entries.filter(place__isnull=False)}
    matches = Match.objects.filter(event=event).order_by("round__number", "number")
    points = _points(Game.objects.filter(event=event).values_list("match", "seat0", "seat1", "winner"))
    ties: dict[int, dict[frozenset[int], Tie]] = defaultdict(dict)
    for row in matches.values_list("pk", "round__number", "first", "second", "status", "ended_at"):
        pk, number, first, second, status, ended_at = row
        one, other = places[first], places[second]
        pair = frozenset((first, second))
        tie = ties[number].setdefault(pair, Tie(one.place or 0, other.place or 0))
        _add(tie, status, {one.place or 0: points[pk, first], other.place or 0: points[pk, second]})
        if status == MatchStatus.CANCELLED:
            tie.gone |= _gone((one, other), ended_at)
    left = {entry.place or 0: entry.left_at for entry in places.values() if entry.left_at is not None}
    for tie in (tie for of_round in ties.values() for tie in of_round.values()):
        find(event.format).settle(tie, event.cycles, left)
    return {number: list(of_round.values()) for number, of_round in ties.items()}


def _points(games: Iterable[tuple[int, int, int, int | None]]) -> Mapping[tuple[int, int], float]:
    points: dict[tuple[int, int], float] = defaultdict(float)
    for match, seat0, seat1, winner in games:
        points[match, seat0] += 0.5 if winner is None else float(winner == 0)
        points[match, seat1] += 0.5 if winner is None else float(winner == 1)
    return points


def _add(tie: Tie, status: str, points: Mapping[int, float]) -> None:
    tie.matches += 1
    tie.played += status == MatchStatus.FINISHED
    tie.open += status not in MATCH_ENDED
    tie.last_is_void = status == MatchStatus.VOID
    tie.void += tie.last_is_void
    for side, place in enumerate((tie.first, tie.second)):
        tie.points[side] += GAMES_PER_MATCH / 2 if tie.last_is_void else points[place]


def _gone(entries: tuple[Entry, Entry], cancelled_at: datetime | None) -> set[int]:
    return {entry.place or 0 for entry in entries
            if entry.left_at is not None and cancelled_at is not None and entry.left_at <= cancelled_at}
