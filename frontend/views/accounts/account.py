"""The user's own account: profile, quotas, bots, uploads, tokens, teams."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext

from frontend.forms.accounts import ProfileForm, TeamForm, TokenForm
from frontend.views.shared.acting import asked, button, run_action
from frontend.views.shared.private import private
from tournaments.models import Token
from tournaments.selectors.accounts import people as reads
from tournaments.selectors.bots.bots import bots_of
from tournaments.selectors.shared.quotas import quota_of
from tournaments.services.accounts.accounts import change_profile, profile_of
from tournaments.services.accounts.second_factor import second_factor_of
from tournaments.services.accounts.tokens import make_token, revoke_token, tokens_in_force

UPLOADS_SHOWN = 10


@login_required
def page(request: HttpRequest) -> HttpResponse:
    return _shown(request)


@button
def profile(request: HttpRequest) -> HttpResponse:
    """Change the profile."""
    form = ProfileForm(request.POST)
    if not form.is_valid():
        return _shown(request, status=400, profile_form=form)
    return run_action(request, change_profile, gettext("Profile saved."), ("account",), actor="user",
                      **form.cleaned_data)


@button
def make(request: HttpRequest) -> HttpResponse:
    """Create a token. The response itself shows it: with a redirect, it would have to be stored."""
    form = TokenForm(request.POST)
    if not form.is_valid():
        return _shown(request, status=400, token_form=form)
    made = asked(request, make_token, user=request.user, **form.facts())
    if made is None:
        return redirect("account")
    return private(render(request, "frontend/accounts/token.html", {"token": made[0], "text": made[1]}, status=201))


@button
def revoke(request: HttpRequest, pk: int) -> HttpResponse:
    """Revoke a token."""
    token = get_object_or_404(Token, pk=pk, user=request.user)
    return run_action(request, revoke_token, gettext("Token %(token)s revoked."), ("account",), token=token)


def _shown(request: HttpRequest, *, status: int = 200, **forms: Any) -> HttpResponse:
    user, now = request.user, timezone.now()
    known = profile_of(user)
    return private(render(request, "frontend/accounts/account.html", {
        "quota": quota_of(user, now),
        "bots": bots_of(user),
        "uploads": reads.uploads_of(user)[:UPLOADS_SHOWN],
        "tokens": tokens_in_force(user, now),
        "second_factor": second_factor_of(user),
        "memberships": reads.memberships_of(user),
        "profile_form": ProfileForm(initial={"about": known.about, "link": known.link}),
        "token_form": TokenForm(), "team_form": TeamForm(),
        **forms,
    }, status=status))
