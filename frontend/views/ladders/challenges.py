"""Challenges: the list, the form, and a challenge's page."""

import secrets

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from frontend.forms.challenges import ChallengeForm
from frontend.views.shared.acting import run_action
from frontend.views.shared.numbers import number_in, text_in
from tournaments.operations.security_log import sentence_of
from tournaments.platform.refusals import Refused
from tournaments.selectors.ladders import challenges as reads
from tournaments.selectors.shared.permissions import acts_for
from tournaments.services.ladders import challenges as verbs

PAGE = 30


def index(request: HttpRequest) -> HttpResponse:
    """Challenges, newest first, in pages that follow one another by id."""
    challenges = reads.challenges()
    if before := number_in(request, "before"):
        challenges = challenges.filter(pk__lt=before)
    found = list(challenges[:PAGE + 1])
    summaries = reads.summaries(found[:PAGE])
    return render(request, "frontend/ladders/challenges.html", {
        "section": "ladders", "listed": [(each, summaries[each.pk]) for each in found[:PAGE]], "before": before,
        "older": found[PAGE - 1].pk if len(found) > PAGE else None,
    })


@login_required
def new(request: HttpRequest) -> HttpResponse:
    """The form, filled in from `?ladder=` and `?second=`; a POST asks for the challenge."""
    if request.method != "POST":
        known = {name: text for name in ("ladder", "second") if (text := text_in(request, name))}
        return _form(request, ChallengeForm(initial=known, user=request.user))
    form = ChallengeForm(request.POST, user=request.user)
    if not form.is_valid():
        return _form(request, form, status=400)
    try:
        made = verbs.challenge(**form.facts(), actor=request.user, seed=secrets.randbits(63), now=timezone.now())
    except Refused as refusal:
        form.add_error(None, sentence_of(refusal))
        return _form(request, form, status=409)
    messages.success(request, gettext("The challenge is made; its games come when the workers are free."))
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


@login_required
@require_POST
def cancel(request: HttpRequest, pk: int) -> HttpResponse:
    """Call it off."""
    challenge = get_object_or_404(reads.challenges(), pk=pk)
    run_action(request, verbs.cancel_challenge, gettext("The challenge is called off."),
        challenge=challenge, actor=request.user, now=timezone.now())
    return redirect("challenge", pk)


def _form(request: HttpRequest, form: ChallengeForm, **options: int) -> HttpResponse:
    return render(request, "frontend/ladders/challenge_new.html", {"section": "ladders", "form": form}, **options)
