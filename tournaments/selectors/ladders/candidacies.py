"""Reads about trials: their progress and results, and the versions that can be tried."""

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from django.db.models import Prefetch, QuerySet

from ratings.power import Power, power
from ratings.sprt import Bounds, Verdict, judge, normalized_elo
from tournaments.models import Bot, Candidacy, Contender, Ladder, Match, Version
from tournaments.models.lifecycle import CandidacyStatus, ContenderStatus, VersionStatus
from tournaments.scoring import outlook
from tournaments.scoring.scores import GAMES_PER_MATCH
from tournaments.scoring.selection import allowed_lead
from tournaments.scoring.trial import MATCHES_PER_VISIT, Pair, PairRun, Prediction, TrialRun, Visit
from tournaments.selectors.matches.games import with_games

# Number of values stored for a judged pair: half points, a hash of the turns, the ratio. For a neighbour's match it is
# one less.
PAIR_FACTS: Final = 3


@dataclass(frozen=True, slots=True)
class Summary:
    """Results of a trial: its course, the test's verdict on it, and pairs won, drawn and lost."""

    course: TrialRun
    verdict: Verdict
    won: int
    drawn: int
    lost: int


class Chances(NamedTuple):
    """How trials end, with candidates that are worth elo0 and with candidates that are worth elo1."""

    at_elo0: Power
    at_elo1: Power


@dataclass(frozen=True, slots=True)
class Contest:
    """A candidate of the selection, with its pairs, and the ratio at or below which it is out if it is still in."""

    contender: Contender
    run: PairRun
    out_at: float | None


def candidacies() -> QuerySet[Candidacy]:
    """Return trials, newest first, with ladder, bot and both versions."""
    return (Candidacy.objects.select_related("ladder", "bot__owner", "bot__team", "candidate__bot", "current__bot",
                                             "created_by")
            .prefetch_related(Prefetch("contenders", Contender.objects.select_related("version__bot")
                                       .order_by("place")))
            .order_by("-id"))


def chosen(*, bot: str = "", ladder: str = "", status: str = "") -> QuerySet[Candidacy]:
    """Return trials as in `candidacies`, by bot and ladder (slugs) and status; empty filters are ignored."""
    asked = {"bot__slug": bot, "ladder__slug": ladder, "status": status}
    return candidacies().filter(**{name: value for name, value in asked.items() if value})


def trial_run(candidacy: Candidacy) -> TrialRun:
    """Return the part of the trial that has been judged; no query."""
    run = TrialRun(bounds_of(candidacy), most_pairs=candidacy.most_pairs)
    run.take(_taken(candidacy, number, facts) for number, facts in enumerate(candidacy.course,
                                                                            start=candidacy.offset + 1))
    return run


def bounds_of(candidacy: Candidacy) -> Bounds:
    """Return the parameters of the trial's test."""
    return Bounds(candidacy.elo0, candidacy.elo1, candidacy.alpha, candidacy.beta)


def chances(candidacy: Candidacy) -> Chances:
    """Return how trials with these parameters end; no query."""
    bounds = bounds_of(candidacy)
    return Chances(*(power(bounds, candidacy.most_pairs, worth) for worth in (bounds.elo0, bounds.elo1)))


def pair_run(contender: Contender, bounds: Bounds) -> PairRun:
    """Return the contender's judged pairs of the selection; no query."""
    run = PairRun(bounds)
    for facts in contender.course:
        run.take_pair(Pair(*facts))
    return run


def contests(candidacy: Candidacy) -> list[Contest]:
    """Return the candidates of the selection in the order in which they were named; none if only one was named."""
    bounds = bounds_of(candidacy)
    runs = {contender: pair_run(contender, bounds) for contender in candidacy.contenders.all()}
    best = max((run.llr for contender, run in runs.items() if _is_in(contender)), default=0.0)
    return [Contest(contender, run, _out_at(run, best) if _is_in(contender) else None)
            for contender, run in runs.items()]


def games_left(candidacy: Candidacy) -> int | None:
    """Return the expected number of games until the trial ends; None if it is over. No query after `candidacies`."""
    if candidacy.status != CandidacyStatus.RUNNING:
        return None
    bounds, run = bounds_of(candidacy), trial_run(candidacy)
    inside = [pair_run(contender, bounds) for contender in candidacy.contenders.all()
              if _is_in(contender)]
    # The test starts afresh after the selection, with the strength that the leader has shown.
    shown = max(inside, key=lambda each: each.llr, default=run)
    pairs = outlook.test_pairs(run.llr, run.pairs, normalized_elo(shown.pentanomial), bounds, candidacy.most_pairs)
    matches = (outlook.selection_pairs([each.llr for each in inside], shown.pairs, bounds)
               + pairs * (MATCHES_PER_VISIT / (MATCHES_PER_VISIT - 1) if run.neighbourhood.games else 1.0))
    return round(GAMES_PER_MATCH * matches)


def summary(candidacy: Candidacy) -> Summary:
    """Return the results of the trial so far; no query."""
    run = trial_run(candidacy)
    lost, rather_lost, drawn, rather_won, won = run.pentanomial
    return Summary(run, judge(run.pentanomial, run.bounds), won + rather_won, drawn, lost + rather_lost)


def matches_of(candidacy: Candidacy) -> QuerySet[Match]:
    """Return the trial's matches, newest first, with both sides and the games (without records)."""
    return with_games(candidacy.matches.order_by("-pk"))


def of_bot(bot: Bot) -> QuerySet[Candidacy]:
    """Return the bot's trials, newest first."""
    return candidacies().filter(bot=bot)


def running_on(ladder: Ladder, bots: list[int]) -> dict[int, Candidacy]:
    """Return the running trials of these bots on the ladder, by bot."""
    return {trial.bot_id: trial for trial in candidacies().filter(
        ladder=ladder, bot__in=bots, status=CandidacyStatus.RUNNING)}


def eligible_versions(ladder: Ladder, places: dict[int, int]) -> dict[int, list[Version]]:
    """Return the versions that could be tried on the ladder, by bot, newest first.

    `places` maps bots to the version that plays there now.
    """
    listed = (Version.objects.filter(bot__in=places, status=VersionStatus.ACTIVE).exclude(pk__in=places.values())
              .select_related("bot").order_by("-number"))
    found: dict[int, list[Version]] = {}
    for version in listed:
        if ladder.ruleset in version.rulesets:
            found.setdefault(version.bot_id, []).append(version)
    return found


def _taken(candidacy: Candidacy, number: int, facts: list[Any]) -> Pair | Visit:
    if len(facts) == PAIR_FACTS:
        return Pair(*facts)
    return Visit(*facts, Prediction(*candidacy.predictions[str(number)]))


def _is_in(contender: Contender) -> bool:
    return contender.status == ContenderStatus.SELECTING


def _out_at(run: PairRun, best: float) -> float:
    """Return the ratio at which the candidate is out: far enough behind the best one, or at the test's lower bound."""
    behind = best - allowed_lead(run.pairs, run.bounds)
    return run.bounds.lower if run.llr == best else max(behind, run.bounds.lower)
