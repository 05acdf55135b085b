"""Reads about the versions that may judge positions of other bots' games."""

from math import inf

from django.db.models import Q, QuerySet

from ratings.models import OfficialLine, ReportedChances
from tournaments.models import Bot, Game, Version
from tournaments.selectors.casual.questions import askable_versions

# Of two versions of a bot, the second would add little.
_MOST = 2


def willing() -> QuerySet[Version]:
    """Return the versions that may judge: of bots whose authors allow it, and by default those that staff uploaded."""
    return askable_versions().filter(Q(bot__judges=True) | Q(bot__judges=None, trusted=True))


def judges_for(game: Game) -> list[Version]:
    """Return the strongest willing versions for the game's ruleset, at most two, of different bots.

    Versions that report their chances come first. The rating on the game's ladder counts, then the best on
    another ladder of the ruleset.
    """
    ruleset, ladder = game.match.ruleset, game.match.ladder_id
    able = {pk: bot for pk, bot, rulesets in willing().values_list("pk", "bot_id", "rulesets") if ruleset in rulesets}
    reports = set(ReportedChances.objects.filter(ladder__ruleset=ruleset, version__in=able).order_by()
                  .values_list("version", flat=True).distinct())
    rated: dict[int, tuple[float, float]] = {}
    for version, where, rating in OfficialLine.objects.filter(
            table__ladder__ruleset=ruleset, version__in=able).order_by().values_list(
            "version", "table__ladder", "rating"):
        here, elsewhere = rated.get(version, (-inf, -inf))
        rated[version] = (rating, elsewhere) if where == ladder else (here, max(elsewhere, rating))
    order = sorted(able, key=lambda pk: (pk in reports, rated.get(pk, (-inf, -inf)), pk), reverse=True)
    best = list({able[pk]: pk for pk in reversed(order)}.values())
    chosen = sorted(best, key=order.index)[:_MOST]
    found = Version.objects.select_related("bot").in_bulk(chosen)
    return [found[pk] for pk in chosen]


def may_judge(bot: Bot) -> bool:
    """Return whether versions of the bot may judge."""
    return willing().filter(bot=bot).exists()
