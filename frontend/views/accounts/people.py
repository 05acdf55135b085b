"""A person's page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from tournaments.selectors.accounts import people as reads
from tournaments.selectors.bots.bots import rated_bots_of


def page(request: HttpRequest, username: str) -> HttpResponse:
    person = get_object_or_404(reads.people(), username=username)
    return render(request, "frontend/accounts/person.html", {
        "person": person,
        # Made at need: somebody who never opened the account's page has none.
        "profile": getattr(person, "profile", None),
        "bots": rated_bots_of(person),
        "memberships": reads.memberships_of(person),
    })
