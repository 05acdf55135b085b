"""Selection of the candidate that plays a trial's test, if several were named.

The selection is judged turn by turn: a turn is judged when the matches of all candidates in it are finished.
So its result does not depend on the order in which they were played.
"""

from collections.abc import Mapping
from datetime import datetime

from django.db.models import Exists, Max, OuterRef, Prefetch, Q, QuerySet

from tournaments.models import Candidacy, Contender, Game, Match
from tournaments.models.lifecycle import CandidacyStatus, ContenderStatus, MatchStatus, VersionStatus
from tournaments.scoring.repeats import fingerprint
from tournaments.scoring.selection import Selection, select
from tournaments.scoring.trial import Pair, PairRun
from tournaments.selectors.ladders.candidacies import bounds_of, pair_run
from tournaments.selectors.shared.permissions import manager_ids
from tournaments.services.ladders import trials
from tournaments.services.matches.calling_off import cancel
from tournaments.services.notices import outbox

_SELECTING = Contender.objects.filter(status=ContenderStatus.SELECTING)


def is_selecting(candidacy: Candidacy) -> bool:
    """Return whether several candidates are still in."""
    return _SELECTING.filter(candidacy=candidacy).exists()


def due(finished: QuerySet[Match]) -> Q:
    """Return the condition on trials that one of these matches belongs to a turn that is not judged."""
    return (Exists(_SELECTING.filter(candidacy=OuterRef("pk")))
            & Exists(finished.filter(number__gt=OuterRef("offset"))))


def has_inactive() -> Exists:
    """Return the condition on trials that a candidate in the selection no longer takes part."""
    return Exists(_SELECTING.filter(candidacy=OuterRef("pk")).exclude(version__status=VersionStatus.ACTIVE))


def judge_turns(candidacy: Candidacy, now: datetime) -> bool:
    """Judge the turns of the selection that are finished; return whether the trial ended. Lock the trial first."""
    inside, bounds = _inside(candidacy), bounds_of(candidacy)
    every = candidacy.contenders.count()
    runs = {each.pk: pair_run(each, bounds) for each in inside}
    finished = {match.number: match for match in finished_after(candidacy, candidacy.offset)}
    while len(inside) > 1 and all(candidacy.offset + each.place in finished for each in inside):
        for each in inside:
            match = finished[candidacy.offset + each.place]
            pair = runs[each.pk].take_pair(pair_of(match, each.version_id))
            each.course.append([pair.half_points, pair.turns, pair.llr])
            each.save(update_fields=["course"])
        candidacy.offset += every
        turn = select({each.pk: runs[each.pk].llr for each in inside}, len(inside[0].course), bounds)
        inside = _apply(candidacy, inside, turn, runs, now)
    candidacy.save(update_fields=["offset", "candidate"])
    return _end(candidacy, now) if not inside else _conclude(candidacy, inside, now)


def drop_inactive(candidacy: Candidacy, now: datetime) -> None:
    """Put out the candidates that were suspended or withdrawn, unless none of them would be left."""
    inside = _inside(candidacy)
    active = [each for each in inside if each.version.status == VersionStatus.ACTIVE]
    if not active or len(active) == len(inside):
        return
    for each in inside:
        if each not in active:
            _put_out(candidacy, each, f"{each.version} was {_ENDED[VersionStatus(each.version.status)]}.", now)
    if candidacy.candidate_id not in {each.version_id for each in active}:
        bounds = bounds_of(candidacy)
        candidacy.candidate = max(active, key=lambda each: pair_run(each, bounds).llr).version
        candidacy.save(update_fields=["candidate"])
    _conclude(candidacy, active, now)


def finished_after(candidacy: Candidacy, number: int) -> QuerySet[Match]:
    """Return the trial's finished matches with higher numbers, in order, with both versions and the games."""
    return (Match.objects.filter(candidacy=candidacy, number__gt=number, status=MatchStatus.FINISHED)
            .order_by("number").select_related("first", "second")
            .prefetch_related(Prefetch("games", Game.objects.order_by("number").defer("stderr0", "stderr1"))))


def pair_of(match: Match, version: int) -> Pair:
    """Return the version's half points in the finished match, with a fingerprint of all its turns."""
    games = list(match.games.all())
    half_points = sum(1 if game.winner is None else 2 * ((game.winner == 0) == (game.seat0_id == version))
                      for game in games)
    played = ((game.seat0_id, [turn["turn"] for turn in game.record["turns"]]) for game in games)
    return Pair(half_points, fingerprint(match.opening, played))


_ENDED: dict[VersionStatus, str] = {VersionStatus.RESTED: "suspended", VersionStatus.WITHDRAWN: "withdrawn"}


def _inside(candidacy: Candidacy) -> list[Contender]:
    return list(_SELECTING.filter(candidacy=candidacy).select_related("version__bot").order_by("place"))


def _apply(candidacy: Candidacy, inside: list[Contender], turn: Selection,
           runs: Mapping[int, PairRun], now: datetime) -> list[Contender]:
    """Put out the candidates that the turn puts out; return the others."""
    leader = next(each for each in inside if each.pk == turn.leader)
    candidacy.candidate = leader.version
    for each in inside:
        own, best = runs[each.pk].llr, runs[leader.pk].llr
        if each.pk in turn.failed:
            _put_out(candidacy, each, f"LLR {own:.2f} fell to {bounds_of(candidacy).lower:.2f} "
                                      f"after {len(each.course)} pairs of games.", now)
        elif each.pk in turn.behind:
            _put_out(candidacy, each, f"LLR {own:.2f} is behind v{leader.version.number} ({best:.2f}) "
                                      f"after {len(each.course)} pairs of games.", now)
    return [each for each in inside if each.status == ContenderStatus.SELECTING]


def _put_out(candidacy: Candidacy, contender: Contender, reason: str, now: datetime) -> None:
    contender.status, contender.reason = ContenderStatus.OUT, reason
    contender.save(update_fields=["status", "reason"])
    of_version = Q(first=contender.version_id) | Q(second=contender.version_id)
    cancel(Match.objects.filter(of_version, candidacy=candidacy), "the candidate is out", now)


def _conclude(candidacy: Candidacy, inside: list[Contender], now: datetime) -> bool:
    """Start the test if one candidate is left. Its matches have numbers above all those of the selection."""
    if len(inside) == 1:
        chosen = inside[0]
        chosen.status, chosen.reason = ContenderStatus.CHOSEN, (
            f"Selected after {len(chosen.course)} pairs of games; it plays the test.")
        chosen.save(update_fields=["status", "reason"])
        matches = Match.objects.filter(candidacy=candidacy)
        cancel(matches, "the selection is over", now)
        candidacy.candidate = chosen.version
        candidacy.offset = matches.aggregate(last=Max("number"))["last"] or 0
        candidacy.save(update_fields=["candidate", "offset"])
    return False


def _end(candidacy: Candidacy, now: datetime) -> bool:
    """End the trial because every candidate has failed in the selection."""
    reason = (f"All candidates failed against v{candidacy.current.number} in the selection: the LLR of each fell to "
              f"{bounds_of(candidacy).lower:.2f}, or behind the leader's.")
    trials.end(candidacy, verb="judge", status=CandidacyStatus.FAILED, reason=reason, now=now)
    outbox.emit("candidate.failed", to=manager_ids(candidacy.bot), payload=trials.facts_of(candidacy), now=now)
    return True
