"""The rules that the site plays by: declared by `manage.py migrate`, followed by every worker.

Workers of two releases run next to each other during an upgrade. That is harmless as long as both play by the same
rules. If a release changes a game, its `migrate` lets the workers with the old rules drain.
"""

from collections.abc import Mapping
from datetime import datetime
from operator import itemgetter

from tournaments.models import Release, Worker

Rules = Mapping[str, int]


def declare(rules: Rules, software: str, *, now: datetime) -> list[str]:
    """Record that the site plays by these versions of its rulesets. Return the workers that now drain, by name.

    Workers that do not report their rules are of a release before the first declaration, which had the same rules.
    """
    before = _site()
    if before == rules:
        return []
    Release.objects.create(rules=dict(rules), software=software, declared_at=now)
    first: Rules = Release.objects.order_by("pk").values_list("rules", flat=True)[0]
    others = [worker for worker in Worker.objects.filter(stopped_at=None) if _differ(worker.rules or first, rules)]
    Worker.objects.filter(pk__in=[worker.pk for worker in others]).update(draining=True)
    return sorted(worker.name for worker in others)


def conflicts(rules: Rules) -> str:
    """Return in words where these rules differ from the site's; empty if they do not.

    A ruleset that only one of the two has is no conflict.
    """
    site = _site() or {}
    return ", ".join(f"{slug} has version {mine} instead of {theirs}"
                     for slug, mine, theirs in _differ(rules, site))


def _site() -> Rules | None:
    newest: Rules | None = Release.objects.order_by("-pk").values_list("rules", flat=True).first()
    return newest


def _differ(mine: Rules, theirs: Rules) -> list[tuple[str, int, int]]:
    both = mine.keys() & theirs.keys()
    return sorted(((slug, mine[slug], theirs[slug]) for slug in both if mine[slug] != theirs[slug]), key=itemgetter(0))
