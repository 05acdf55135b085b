"""Teams: the list, a team's page, and the actions of its members."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext

from frontend.forms.accounts import MemberForm, TeamForm
from frontend.views.shared.acting import button, run_action
from tournaments.models import Team
from tournaments.selectors.accounts import people as reads
from tournaments.selectors.bots import bots as bot_reads
from tournaments.services.accounts import teams as verbs


def index(request: HttpRequest) -> HttpResponse:
    """The list; a POST creates a team."""
    if request.method == "POST":
        return _found(request)
    return render(request, "frontend/accounts/teams.html", {"teams": reads.teams(), "form": TeamForm()})


@login_required
def _found(request: HttpRequest) -> HttpResponse:
    form = TeamForm(request.POST)
    if not form.is_valid():
        return render(request, "frontend/accounts/teams.html", {"teams": reads.teams(), "form": form}, status=400)
    name = form.cleaned_data["name"]
    done = gettext("Team %(team)s created. You are its captain.")
    answer = run_action(request, verbs.found_team, done, ("teams",), actor="founder", name=name,
                        names={"team": name})
    team = Team.objects.filter(name__iexact=name, members=request.user).first()
    return redirect("team", team.slug) if team else answer


def page(request: HttpRequest, slug: str) -> HttpResponse:
    return _shown(request, get_object_or_404(Team, slug=slug), MemberForm())


@button
def add(request: HttpRequest, slug: str) -> HttpResponse:
    """Add a member by username."""
    team, form = get_object_or_404(Team, slug=slug), MemberForm(request.POST)
    if not form.is_valid():
        return _shown(request, team, form, status=400)
    return run_action(request, verbs.add_member, gettext("%(user)s is now a member of %(team)s."), ("team", slug),
                      team=team, user=form.cleaned_data["username"])


@button
def appoint(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Promote a member to captain."""
    team, user = get_object_or_404(Team, slug=slug), get_object_or_404(User, pk=pk)
    return run_action(request, verbs.appoint_captain, gettext("%(user)s is now a captain of %(team)s."),
                      ("team", slug), team=team, user=user)


@button
def remove(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Remove a member, or leave."""
    team, user = get_object_or_404(Team, slug=slug), get_object_or_404(User, pk=pk)
    done = gettext("You have left %(team)s.") if user == request.user else gettext("%(user)s has left %(team)s.")
    answer = run_action(request, verbs.remove_member, done, ("teams",), team=team, user=user)
    return redirect("team", slug) if Team.objects.filter(slug=slug).exists() else answer


def _shown(request: HttpRequest, team: Team, form: MemberForm, **options: Any) -> HttpResponse:
    return render(request, "frontend/accounts/team.html", {
        "team": team, "members": reads.members_of(team), "bots": bot_reads.bots().filter(team=team), "form": form,
        "may_change": verbs.is_captain(team, request.user),
    }, **options)
