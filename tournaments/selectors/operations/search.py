"""Bots, people, teams and events whose names contain a text."""

from typing import Any

from django.db.models import Case, Exists, OuterRef, Q, QuerySet, Value, When
from django.db.models.functions import Lower

from tournaments.models import Bot, Membership
from tournaments.selectors.accounts.people import people, teams
from tournaments.selectors.bots.bots import bots
from tournaments.selectors.events.events import visible_to


def search(text: str, user: Any) -> dict[str, QuerySet[Any]]:
    """Return what this user may see with `text` in its name, in any case: first the names that begin with it.

    People are found if they own a bot or belong to a team, because pages show this already: no other account is listed.
    """
    known = people().filter(Exists(Bot.objects.filter(owner=OuterRef("pk")))
                            | Exists(Membership.objects.filter(user=OuterRef("pk"))))
    return {"bots": _named(bots(), "name", text), "people": _named(known, "username", text),
            "teams": _named(teams(), "name", text), "events": _named(visible_to(user), "name", text)}


def _named(rows: QuerySet[Any], name: str, text: str) -> QuerySet[Any]:
    begins = Case(When(Q(**{f"{name}__istartswith": text}), then=Value(0)), default=Value(1))
    return rows.filter(**{f"{name}__icontains": text}).order_by(begins, Lower(name), "pk")
