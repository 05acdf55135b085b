"""Challenges: the list, the form, and a challenge's page."""

import secrets

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext

from frontend.forms.challenges import ChallengeForm
from frontend.views.shared.acting import attempt, button, run_action, status_of
from frontend.views.shared.numbers import text_in
from frontend.views.shared.paging import page_of
from tournaments.selectors.ladders import challenges as reads
from tournaments.selectors.shared.permissions import acts_for
from tournaments.services.ladders import challenges as verbs

PAGE = 30


def index(request: HttpRequest) -> HttpResponse:
    """The list of challenges, newest first, paginated by ID."""
    found, links = page_of(request, reads.challenges(), PAGE)
    summaries = reads.summaries(found)
    return render(request, "frontend/ladders/challenges.html", {
        "section": "ladders", "listed": [(each, summaries[each.pk]) for each in found], **links})


@login_required
def new(request: HttpRequest) -> HttpResponse:
    """The form, filled in from `?ladder=` and `?second=`; a POST creates the challenge."""
    if request.method != "POST":
        known = {name: text for name in ("ladder", "second") if (text := text_in(request, name))}
        return _form(request, ChallengeForm(initial=known, user=request.user))
    form = ChallengeForm(request.POST, user=request.user)
    made = form.is_valid() and attempt(form, verbs.challenge, **form.facts(), actor=request.user,
                                       seed=secrets.randbits(63))
    if not made:
        return _form(request, form)
    messages.success(request, gettext("Challenge created. Its games start when workers are free."))
    return redirect("challenge", made.pk)


def page(request: HttpRequest, pk: int) -> HttpResponse:
    challenge = get_object_or_404(reads.challenges(), pk=pk)
    return render(request, "frontend/ladders/challenge.html", {
        "section": "ladders",
        "challenge": challenge,
        "summary": reads.summary(challenge),
        "matches": reads.matches_of(challenge),
        "may_cancel": challenge.matches_open and request.user.is_authenticated and (
            challenge.created_by == request.user or acts_for(request.user, challenge.first.bot)),
    })


@button
def cancel(request: HttpRequest, pk: int) -> HttpResponse:
    """Cancel a challenge."""
    challenge = get_object_or_404(reads.challenges(), pk=pk)
    return run_action(request, verbs.cancel_challenge, gettext("The challenge is cancelled."), ("challenge", pk),
                      challenge=challenge)


def _form(request: HttpRequest, form: ChallengeForm) -> HttpResponse:
    return render(request, "frontend/ladders/challenge_new.html", {"section": "ladders", "form": form},
                  status=status_of(form))
