"""A user's public page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from tournaments.selectors.accounts import people as reads
from tournaments.selectors.bots.bots import rated_bots_of


def page(request: HttpRequest, username: str) -> HttpResponse:
    person = get_object_or_404(reads.people(), username=username)
    return render(request, "frontend/accounts/person.html", {
        "person": person,
        # Created on demand: users who never opened their account page have no profile.
        "profile": getattr(person, "profile", None),
        "bots": rated_bots_of(person),
        "memberships": reads.memberships_of(person),
    })
