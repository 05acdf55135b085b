"""Every URL pattern of the site, filled in with objects that users own.

The patterns come from the API's schema and Django's resolver, not from a list. A pattern whose noun is not in `nouns`
fails the tests that request all of them.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.urls import URLPattern, URLResolver, get_resolver

from tests.tournaments.api import contract
from tournaments.models import (
    AuditEntry,
    Ban,
    Candidacy,
    CasualGame,
    Challenge,
    Check,
    Delivery,
    Event,
    Follow,
    Game,
    Ladder,
    Match,
    PersonalFeed,
    PushSubscription,
    Question,
    Round,
    Series,
    Submission,
    Token,
    Version,
    Webhook,
    Worker,
)

METHODS: Final = ("get", "post", "put", "patch", "delete")
_PARAMETER: Final = re.compile(r"<(?:\w+:)?(\w+)>")
_GROUP: Final = re.compile(r"\(\?P<(\w+)>([^()]*)\)")


def operations() -> list[tuple[str, str]]:
    """Return the API's operations as (method, path)."""
    return [(method, path) for path, methods in contract.schema()["paths"].items() for method in methods]


@cache
def pages() -> tuple[str, ...]:
    """Return the patterns of all pages, such as `/games/{pk}/`; a pattern with alternatives once for each."""
    return tuple(way for pattern in _patterns(get_resolver()) if not pattern.startswith(("/api/", "/admin/"))
                 for way in _ways(pattern))


@cache
def admin_pages() -> tuple[str, ...]:
    """Return the patterns of the admin's pages."""
    return tuple(way for pattern in _patterns(get_resolver()) if pattern.startswith("/admin/")
                 for way in _ways(pattern))


def _patterns(resolver: URLResolver, before: str = "/") -> Iterator[str]:
    for pattern in resolver.url_patterns:
        route = before + str(pattern.pattern).lstrip("^")
        if isinstance(pattern, URLPattern):
            yield route.rstrip("$")
        else:
            yield from _patterns(pattern, route)


def _ways(pattern: str) -> list[str]:
    made = [_PARAMETER.sub(r"{\1}", _GROUP.sub(lambda group: group[0].replace("<", "\0").replace(">", "\1"), pattern))]
    made = [way.replace("\0", "<").replace("\1", ">") for way in made]
    while group := _GROUP.search(made[0]):
        words = group[2].split("|") if "|" in group[2] else [f"{{{group[1]}}}"]
        made = [way.replace(group[0], word) for way in made for word in words]
    return made


def fill(pattern: str, nouns: dict[str, list[Any]]) -> list[str]:
    """Return the URLs of this pattern, one for each object of its noun. Raises KeyError for an unknown noun."""
    if "{" not in pattern:
        return [pattern]
    words = pattern.removeprefix("/api").strip("/").split("/")
    noun = "/".join(words[:1 if "{" in words[1] else 2])
    first, *others = re.findall(r"{(\w+)}", pattern)
    made = [pattern.replace(f"{{{first}}}", str(key)) for key in nouns[noun]]
    for name in others:
        made = [way.replace(f"{{{name}}}", str(key)) for way in made for key in nouns[name]]
    return made


def nouns() -> dict[str, list[Any]]:
    """Return the keys of all objects for each noun in a URL, and the valid values for each second parameter."""
    def keys(of: Any, name: str = "pk") -> list[Any]:
        rows = of if isinstance(of, QuerySet) else of.objects.all()
        return list(rows.order_by("pk").values_list(name, flat=True))

    otto = User.objects.get(username="otto").pk
    return {
        "audit": keys(AuditEntry)[-2:], "bans": keys(Ban), "bots": ["ant"], "candidacies": keys(Candidacy),
        "trials": keys(Candidacy),
        "casual-games": keys(CasualGame, "token"), "play/games": keys(CasualGame, "token"), "play": ["ant"],
        "play/ruleset": ["squ"],
        "challenges": keys(Challenge), "deliveries": keys(Delivery), "account/deliveries": keys(Delivery),
        "events": keys(Event, "slug"), "series": keys(Series, "slug"), "games": keys(Game), "matches": keys(Match),
        "openings": ["squ"], "size": [6],
        "rounds": keys(Round), "ladders": keys(Ladder, "slug")[:1], "problems": ["refused"], "rulesets": ["squ"],
        "rules": ["squ"], "questions": keys(Question, "token"), "submissions": keys(Submission)[:3], "teams": ["ants"],
        "tokens": keys(Token), "account/tokens": keys(Token),
        "versions": keys(Version.objects.filter(bot__owner__username="mia")), "webhooks": keys(Webhook),
        "follows": keys(Follow), "account/following": keys(Follow), "account/browsers": keys(PushSubscription),
        "watch/director": sorted({*keys(Game), *keys(Match)}),
        "news": keys(PersonalFeed, "key"), "unsubscribe": ["x"], "icons": ["any-192"],
        "account/webhooks": keys(Webhook), "workers": keys(Worker), "people": ["mia", "quinn"], "docs": ["events"],
        "docs/decisions": ["0014-questions"], "docs/starters": ["python"], "checks": keys(Check),
        "api/docs": ["games"], "downloads": ["SHA256SUMS"], "account/confirm-email": ["x"], "account/password": ["x"],
        "number": [1, 2], "seat": [0, 1], "other": ["cat"], "pk": [otto], "key": ["x"],
    }
