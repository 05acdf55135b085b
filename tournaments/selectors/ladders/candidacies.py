"""Reads about trials: their progress and results, and the versions that can be tried."""

from dataclasses import dataclass
from typing import Any, Final

from django.db.models import QuerySet

from ratings.sprt import Bounds, Verdict, judge
from tournaments.models import Bot, Candidacy, Ladder, Match, Version
from tournaments.models.lifecycle import CandidacyStatus, VersionStatus
from tournaments.scoring.trial import Pair, Prediction, TrialRun, Visit
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


def candidacies() -> QuerySet[Candidacy]:
    """Return trials, newest first, with ladder, bot and both versions."""
    return (Candidacy.objects.select_related("ladder", "bot__owner", "bot__team", "candidate__bot", "current__bot",
                                             "created_by").order_by("-id"))


def chosen(*, bot: str = "", ladder: str = "", status: str = "") -> QuerySet[Candidacy]:
    """Return trials as in `candidacies`, by bot and ladder (slugs) and status; empty filters are ignored."""
    asked = {"bot__slug": bot, "ladder__slug": ladder, "status": status}
    return candidacies().filter(**{name: value for name, value in asked.items() if value})


def trial_run(candidacy: Candidacy) -> TrialRun:
    """Return the part of the trial that has been judged; no query."""
    run = TrialRun(Bounds(candidacy.elo0, candidacy.elo1, candidacy.alpha, candidacy.beta), candidacy.most_pairs)
    run.take(_taken(candidacy, number, facts) for number, facts in enumerate(candidacy.course, start=1))
    return run


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
