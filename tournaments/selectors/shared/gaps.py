"""Sentences that say why no worker takes some work."""

from django.utils.translation import gettext

from engines.rules.registry import RULESETS
from tournaments.models.leased import FULL_TIER
from tournaments.models.lifecycle import Gap
from tournaments.platform.refusals import stated


def sentence(gap: str, ruleset: str | None) -> str:
    """Return why no worker takes matches of the ruleset, or with None, submissions and questions."""
    name = "" if ruleset is None else RULESETS[ruleset].name if ruleset in RULESETS else ruleset
    if gap == Gap.OFFLINE:
        return gettext("No worker is online.")
    if gap == Gap.RULESET:
        return stated(gettext("No worker that plays %(ruleset)s is online."), ruleset=name)
    if gap == Gap.DRAINING:
        return stated(gettext("The workers that play %(ruleset)s are under maintenance and take no new matches."),
                      ruleset=name) if name else gettext("The workers are under maintenance and take no new work.")
    if name:
        return stated(gettext(
            "No worker of the tier “%(tier)s” that plays %(ruleset)s is online; others play only bots that the "
            "site’s staff upload."), tier=FULL_TIER.value, ruleset=name)
    return stated(gettext(
        "No worker of the tier “%(tier)s” is online; others run only bots that the site’s staff upload."),
        tier=FULL_TIER.value)
