"""A trial's matches, a few at a time: two against the current version, then one against a neighbour, and so on.

If several candidates were named, a selection comes first: in each turn, each of them that is still in plays one match
against the current version, all from the same opening.

Trials take turns, so that none waits for another to end. A match that was void or called off is recreated under its
number. All of the matches count towards the candidate's owner's quota of games.
"""

import math
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import count
from random import Random
from typing import Final

from django.conf import settings
from django.db.models import Exists, F, OuterRef, QuerySet, Subquery

from ratings.models import Rating
from ratings.services import INITIAL
from tournaments.models import Candidacy, Contender, Ladder, Match, Version
from tournaments.models.lifecycle import (
    MATCH_OPEN,
    CandidacyStatus,
    ContenderStatus,
    MatchKind,
    MatchStatus,
    VersionStatus,
)
from tournaments.operations import workers
from tournaments.scoring.scores import GAMES_PER_MATCH
from tournaments.scoring.selection import most_turns
from tournaments.scoring.trial import nearest, predict, schedule
from tournaments.selectors.ladders.candidacies import PAIR_FACTS, bounds_of
from tournaments.selectors.ladders.pairable import able_to_play, open_matches
from tournaments.selectors.shared.permissions import manager_ids
from tournaments.selectors.shared.quotas import games_left
from tournaments.services.ladders import trials
from tournaments.services.ladders.ladder_play import lock_places
from tournaments.services.matches.openings import draw_openings
from tournaments.services.notices import outbox
from tournaments.services.shared.failures import Tries
from tournaments.services.shared.locks import Lock, holding
from tournaments.services.shared.wakeups import Step, wake

LEAST_DEPTH: Final = 2
# Number of bots near in rating that the candidate meets in turn.
NEIGHBOURS: Final = 8
# Number of void matches after which a trial is given up: the machines cannot play it.
MOST_VOIDS: Final = 10


@dataclass(frozen=True, slots=True)
class _Due:
    """The next match to create: its number, its turn from 1, its candidate, its opponent, and its earlier tries.

    `group` has the numbers of the matches that share its opening.
    """

    number: int
    turn: int
    candidate: int
    is_pair: bool
    group: range
    tries: int = 0


def pair_trials(now: datetime) -> int:
    """Create the matches that running trials need; return how many. Safe to run concurrently."""
    trials_now = _running()
    if not trials_now:
        return 0
    made, fleet, tries = 0, workers.fleet(now), Tries("pair trials", now)
    open_now = Counter(ruleset for _, ruleset in open_matches(MatchKind.TRIAL, "ruleset"))
    for ruleset, running in trials_now.items():
        trusted = fleet.only_trusted(ruleset)
        depth = max(LEAST_DEPTH, math.ceil(settings.TRIAL_DEPTH * fleet.slots(ruleset, trusted=trusted)))
        turns = deque(pk for pk, is_trusted in running if is_trusted or not trusted)
        while turns and open_now[ruleset] < depth:
            if tries.attempt(turns[0], partial(_make_next, turns[0], now)):
                open_now[ruleset] += 1
                made += 1
                turns.rotate(-1)
            else:
                turns.popleft()
    return made


def _running() -> dict[str, list[tuple[int, bool]]]:
    """Return the running trials by ruleset, those whose last match was created longest ago first.

    Each has its ID, and whether the site's staff uploaded all its versions.
    """
    newest = Match.objects.filter(candidacy=OuterRef("pk")).order_by("-pk").values("pk")[:1]
    untrusted = Contender.objects.filter(candidacy=OuterRef("pk"), version__trusted=False)
    rows = (Candidacy.objects.filter(status=CandidacyStatus.RUNNING).annotate(newest=Subquery(newest))
            .order_by(F("newest").asc(nulls_first=True), "pk")
            .values_list("ladder__ruleset", "pk", "candidate__trusted", "current__trusted", ~Exists(untrusted)))
    found: dict[str, list[tuple[int, bool]]] = {}
    for ruleset, pk, *trusted in rows:
        found.setdefault(ruleset, []).append((pk, all(trusted)))
    return found


def _make_next(pk: int, now: datetime) -> bool:
    """Create the trial's next match; return False if it needs none now, or its owner has no games left."""
    candidacy = Candidacy.objects.select_related("ladder", "bot", "current").get(pk=pk)
    # Before any lock is taken: most of the time there is nothing to create.
    if _next(candidacy, now) is None:
        return False
    with holding(Lock.OPENINGS):
        # Only one process at a time creates trial matches: what is found to be missing stays missing until it is
        # created.
        candidacy = Candidacy.objects.select_related("ladder", "bot__team", "current", "candidate__bot").get(pk=pk)
        due = _next(candidacy, now)
        if due is None or _is_hopeless(candidacy, now):
            return False
        wanted = None if due.is_pair else _neighbour(candidacy, now)
        # Places before the trial, as everywhere. A bot that is leaving waits for this lock, or has left.
        places = _places(candidacy, wanted)
        running = (Candidacy.objects.select_for_update(of=("self",))
                   .filter(pk=pk, status=CandidacyStatus.RUNNING).first())
        if running is None or candidacy.bot_id not in places:
            return False
        neighbour = places.get(wanted) if wanted is not None else None
        _insert(candidacy, running, due, neighbour, now)
    return True


def _next(candidacy: Candidacy, now: datetime) -> _Due | None:
    """Return the trial's next match to create; None if it needs none now, or its owner has no games left.

    It needs none if it has enough open matches, or all its pairs.
    """
    contenders = list(candidacy.contenders.order_by("place"))
    inside = [each for each in contenders if each.status == ContenderStatus.SELECTING]
    rows = list(Match.objects.filter(candidacy=candidacy, number__gt=candidacy.offset + candidacy.judged)
                .values_list("number", "status", "first__bot", "second__bot"))
    there = {number: first == second for number, status, first, second in rows
             if status in (*MATCH_OPEN, MatchStatus.FINISHED)}
    slots = _selection_slots(candidacy, inside, len(contenders)) if inside else _test_slots(candidacy)
    place, due = next(((place, due) for place, due in enumerate(slots) if due.number not in there), (0, None))
    pairs = sum(len(judged) == PAIR_FACTS for judged in candidacy.course) + sum(there.values())
    open_now = sum(status in MATCH_OPEN for _, status, *_ in rows)
    # Not far ahead of a match that is not over: matches after the end of the trial would be played for nothing.
    ahead = place >= 3 * settings.TRIAL_MATCHES + max(0, len(inside) - 1)
    if (due is None or candidacy.status != CandidacyStatus.RUNNING or ahead
            or (not inside and pairs >= candidacy.most_pairs) or open_now >= settings.TRIAL_MATCHES
            or games_left([candidacy.bot.owner_id], now)[candidacy.bot.owner_id] < GAMES_PER_MATCH):
        return None
    return replace(due, tries=sum(row[0] == due.number for row in rows))


def _selection_slots(candidacy: Candidacy, inside: list[Contender], every: int) -> Iterator[_Due]:
    """Yield the matches of the selection from the current turn on. Each turn has numbers for all the candidates."""
    played = len(inside[0].course)
    for turn in range(played + 1, most_turns(bounds_of(candidacy)) + 1):
        start = candidacy.offset + (turn - played - 1) * every
        for contender in inside:
            yield _Due(start + contender.place, turn, contender.version_id, is_pair=True,
                       group=range(start + 1, start + every + 1))


def _test_slots(candidacy: Candidacy) -> Iterator[_Due]:
    """Yield the matches of the test from the first one that is not judged."""
    for turn in count(candidacy.judged + 1):
        number = candidacy.offset + turn
        yield _Due(number, turn, candidacy.candidate_id, schedule(turn) == "current", group=range(0))


def _is_hopeless(candidacy: Candidacy, now: datetime) -> bool:
    """Give the trial up if too many of its matches were void; return whether that is so."""
    voids = Match.objects.filter(candidacy=candidacy, status=MatchStatus.VOID).count()
    if voids < MOST_VOIDS:
        return False
    reason = (f"{voids} matches were void because of infrastructure faults. "
              f"v{candidacy.current.number} keeps playing; enter {candidacy.candidate} again later.")
    if trials.end(candidacy, verb="judge", status=CandidacyStatus.INCONCLUSIVE, reason=reason, now=now):
        outbox.emit("candidate.inconclusive", to=manager_ids(candidacy.bot), payload=trials.facts_of(candidacy),
                    now=now)
    return True


def _neighbour(candidacy: Candidacy, now: datetime) -> int | None:
    """Return the bot to meet next, of those near the current version in rating; None if it is alone on the ladder."""
    ladder, bot = candidacy.ladder, candidacy.bot_id
    others = able_to_play(ladder.entries.all(), now).exclude(bot=bot)
    rated = Rating.objects.filter(ladder=ladder, bot__in=others.order_by().values("bot"))
    own, _ = _rating(ladder, bot)
    near = [*_first(rated.filter(value__gte=own).order_by("value", "bot_id")),
            *_first(rated.filter(value__lt=own).order_by("-value", "bot_id"))]
    near = sorted(near, key=lambda row: (abs(row[0] - own), row[1]))[:NEIGHBOURS]
    if not near:
        near = [(INITIAL, other) for other in others.order_by("pk").values_list("bot", flat=True)[:NEIGHBOURS]]
    met: Counter[int] = Counter()
    for pair in (Match.objects.filter(candidacy=candidacy).exclude(status=MatchStatus.CANCELLED).order_by()
                 .values_list("first__bot", "second__bot")):
        met.update(set(pair) - {bot})
    return next(iter(nearest(own, near, met)), None)


def _first(rated: QuerySet[Rating]) -> list[tuple[float, int]]:
    return list(rated.values_list("value", "bot_id")[:NEIGHBOURS])


def _rating(ladder: Ladder, bot: int) -> tuple[float, float]:
    """Return the bot's rating and its standard error, those of a newcomer if it has none."""
    return (Rating.objects.filter(ladder=ladder, bot=bot).values_list("value", "error").first()
            or (INITIAL, math.inf))


def _places(candidacy: Candidacy, neighbour: int | None) -> dict[int, Version]:
    """Lock the two bots' places; return the version that plays for each on the ladder, without bots that have left."""
    bots = [candidacy.bot_id] if neighbour is None else [candidacy.bot_id, neighbour]
    return {entry.bot_id: entry.version for entry in lock_places(ladder=candidacy.ladder_id, bot__in=bots)
            if entry.version.status == VersionStatus.ACTIVE
            and (entry.bot_id != candidacy.bot_id or entry.version_id == candidacy.current_id)}


def _insert(candidacy: Candidacy, running: Candidacy, due: _Due, neighbour: Version | None, now: datetime) -> None:
    """Create the match, against the neighbour if there is one, else against the current version. Seats alternate."""
    opponent = candidacy.current_id if neighbour is None else neighbour.pk
    sides = (due.candidate, opponent)
    first, second = sides if due.turn % 2 else sides[::-1]
    dice = Random(f"{candidacy.seed}/{due.number}/{due.tries}")  # noqa: S311 - reproducible draw, not a secret
    match = Match(kind=MatchKind.TRIAL, ladder=candidacy.ladder, candidacy=candidacy, number=due.number, rated=False,
                  created_at=now, first_id=first, second_id=second, seed=dice.getrandbits(63),
                  ruleset=candidacy.ladder.ruleset)
    shared = (Match.objects.filter(candidacy=candidacy, number__in=due.group).exclude(status=MatchStatus.CANCELLED)
              .order_by("pk").first()) if due.group else None
    if shared is None:
        draw_openings(candidacy.ladder, [match])
    else:
        match.opening = shared.opening
    match.save()
    wake(Step.PUBLISH)
    running.predictions.pop(str(due.number), None)
    if neighbour is not None:
        (own, own_error), (their, their_error) = (
            _rating(candidacy.ladder, bot) for bot in (candidacy.bot_id, neighbour.bot_id))
        predicted = predict(own - their, own_error, their_error)
        running.predictions[str(due.number)] = [predicted.score, predicted.own, predicted.theirs]
        running.save(update_fields=["predictions"])
