"""End of trials: by the test, by the neighbourhood, without a verdict, or because they cannot continue.

A trial is judged by its finished matches in the order of their numbers, up to the first gap. So the verdict does not
depend on the order in which they were played, or on which coordinator judges.
"""

from collections.abc import Iterator
from datetime import datetime
from functools import partial

from django.db import transaction
from django.db.models import Exists, OuterRef

from ratings.power import power
from ratings.sprt import judge
from tournaments.models import Candidacy, LadderEntry, Match
from tournaments.models.lifecycle import CandidacyStatus, MatchStatus, VersionStatus
from tournaments.scoring.trial import Pair, Prediction, TrialRun, Visit
from tournaments.selectors.ladders.candidacies import trial_run
from tournaments.selectors.shared.permissions import ban_of, manager_ids, under_ban
from tournaments.services.ladders import ladder_play, trial_selection, trials
from tournaments.services.notices import outbox
from tournaments.services.shared.failures import each

_RUNNING = Candidacy.objects.filter(status=CandidacyStatus.RUNNING)


def judge_trials(now: datetime) -> int:
    """End the trials that cannot continue, and judge the others by their finished matches; return how many ended."""
    return (each("end trials", _ineligible(), partial(_end_ineligible, now=now), now=now)
            + each("judge trials", _due(), partial(_judge, now=now), now=now))


# --- judging ---------------------------------------------------------------------------------


def _due() -> list[int]:
    """Return running trials whose next match to judge is finished."""
    finished = Match.objects.filter(candidacy=OuterRef("pk"), status=MatchStatus.FINISHED)
    following = finished.filter(number=OuterRef("offset") + OuterRef("judged") + 1)
    return list(_RUNNING.filter(Exists(following) | trial_selection.due(finished)).order_by("pk")
                .values_list("pk", flat=True))


def _judge(pk: int, now: datetime) -> bool:
    """Judge a trial; return whether it ended."""
    with transaction.atomic():
        candidacy, entry = _lock(pk)
        if candidacy is None or entry is None or _why_ineligible(candidacy, entry) is not None:
            return False
        if trial_selection.is_selecting(candidacy):
            return trial_selection.judge_turns(candidacy, now)
        run = trial_run(candidacy)
        run.take(_results(candidacy))
        candidacy.course = [[match.half_points, match.neighbour] if isinstance(match, Visit)
                            else [match.half_points, match.turns, match.llr] for match in run.taken]
        candidacy.judged = len(candidacy.course)
        candidacy.save(update_fields=["judged", "course"])
        if run.state == "running":
            return False
        trials.end(candidacy, verb="judge", status=CandidacyStatus(run.state), reason=_verdict(candidacy, run),
                   now=now)
        if run.state == "passed":
            ladder_play.change_over(entry, candidacy.candidate, now)
            ladder_play.rate_by(entry, now)
        outbox.emit(f"candidate.{run.state}", to=manager_ids(candidacy.bot), payload=_payload(candidacy, run),
                    now=now)
    return True


def _results(candidacy: Candidacy) -> Iterator[Pair | Visit]:
    """Yield the candidate's results in the finished matches that follow the judged ones without a gap."""
    after = candidacy.offset + candidacy.judged
    for place, match in enumerate(trial_selection.finished_after(candidacy, after), start=after + 1):
        if match.number != place:
            return
        mine = candidacy.candidate_id
        pair = trial_selection.pair_of(match, mine)
        opponent = match.second if match.first_id == mine else match.first
        if opponent.pk == candidacy.current_id:
            yield pair
        else:
            yield Visit(pair.half_points, opponent.bot_id, Prediction(*candidacy.predictions[str(match.number)]))


def _verdict(candidacy: Candidacy, run: TrialRun) -> str:
    """Return why the trial ended as it did, as a sentence."""
    new, old = candidacy.candidate, f"v{candidacy.current.number}"
    ratio, bounds = f"LLR {run.llr:.2f}", run.bounds
    counted = f"{sum(run.pentanomial)} pairs of games"
    if run.state == "passed":
        return f"{new} passed against {old}: {ratio} reached {bounds.upper:.2f} after {counted}."
    if run.state == "inconclusive":
        repeated = f", of which {run.repeats} repeated earlier ones turn for turn" if run.repeats else ""
        if run.repeats_itself:
            return (f"{run.pairs} pairs of games were played{repeated}: the two versions only repeat themselves, "
                    f"and {ratio} is between {bounds.lower:.2f} and {bounds.upper:.2f}. {old} keeps playing.")
        undecided = power(bounds, candidacy.most_pairs, bounds.elo1).inconclusive
        return (f"No decision after {run.pairs} pairs of games{repeated}: {ratio} is between "
                f"{bounds.lower:.2f} and {bounds.upper:.2f}. {old} keeps playing. Of the candidates that are worth "
                f"{bounds.elo1:g} normalized Elo, {undecided:.0%} get no decision in such a trial.")
    if run.llr >= bounds.upper:
        near = run.neighbourhood
        return (f"{new} beat {old} ({ratio}), but scored {near.points:g} of {near.games} against its neighbours, where "
                f"the rating of {old} predicts {near.predicted:.1f} ± {near.margin:.1f}.")
    return f"{new} failed against {old}: {ratio} fell to {bounds.lower:.2f} after {counted}."


def _payload(candidacy: Candidacy, run: TrialRun) -> dict[str, object]:
    verdict = judge(run.pentanomial, run.bounds)
    return {**trials.facts_of(candidacy), "llr": run.llr, "pairs": verdict.pairs,
            "elo": round(verdict.elo, 1), "low": round(verdict.low, 1), "high": round(verdict.high, 1)}


# --- trials that cannot continue ------------------------------------------------------------


def _ineligible() -> list[int]:
    """Return running trials that something else has ended: a departure, suspension, ban, or another's takeover."""
    place = LadderEntry.objects.filter(ladder=OuterRef("ladder"), bot=OuterRef("bot"), version=OuterRef("current"),
                                       active=True)
    eligible = _RUNNING.filter(Exists(place), ~under_ban("bot__"), ~trial_selection.has_inactive(),
                               ladder__is_open=True,
                               current__status=VersionStatus.ACTIVE, candidate__status=VersionStatus.ACTIVE)
    return list(_RUNNING.exclude(pk__in=eligible.values("pk")).order_by("pk").values_list("pk", flat=True))


def _end_ineligible(pk: int, now: datetime) -> bool:
    with transaction.atomic():
        candidacy, entry = _lock(pk)
        if candidacy is not None:
            trial_selection.drop_inactive(candidacy, now)
        why = None if candidacy is None else _why_ineligible(candidacy, entry)
        if candidacy is None or why is None:
            return False
        status, reason = why
        verb = "supersede" if status == CandidacyStatus.SUPERSEDED else "withdraw"
        return trials.end(candidacy, verb=verb, status=status, reason=reason, now=now)


def _why_ineligible(candidacy: Candidacy, entry: LadderEntry | None) -> tuple[CandidacyStatus, str] | None:
    """Return how and why the trial must end before its verdict; None if it can continue."""
    gone = _why_gone(candidacy)
    if entry is None or gone:
        return CandidacyStatus.WITHDRAWN, gone or f"{candidacy.bot.name} left {candidacy.ladder.name}."
    if entry.version_id == candidacy.candidate_id:
        return CandidacyStatus.SUPERSEDED, f"{candidacy.candidate} took over without waiting for the verdict."
    if entry.version_id != candidacy.current_id:
        return CandidacyStatus.SUPERSEDED, f"{entry.version} took the place of {candidacy.current}."
    return None


def _why_gone(candidacy: Candidacy) -> str:
    """Return why a participant can no longer take part; "" if all can."""
    ladder, bot = candidacy.ladder, candidacy.bot
    for version in (candidacy.candidate, candidacy.current):
        if version.status != VersionStatus.ACTIVE:
            return f"{version} was {'withdrawn' if version.status == VersionStatus.WITHDRAWN else 'suspended'}."
    if ban_of(bot=bot) is not None:
        return f"{bot.name} or its owner was banned."
    return "" if ladder.is_open else f"{ladder.name} was closed."


def _lock(pk: int) -> tuple[Candidacy | None, LadderEntry | None]:
    """Lock and return the trial if it runs, and the bot's place unless it has left: the place first, as everywhere."""
    where = Candidacy.objects.values("ladder", "bot").get(pk=pk)
    entry = next(iter(ladder_play.lock_places(**where)), None)
    candidacy = (_RUNNING.select_for_update(of=("self",))
                 .select_related("ladder", "bot__owner", "bot__team", "candidate__bot", "current__bot")
                 .filter(pk=pk).first())
    return candidacy, entry
