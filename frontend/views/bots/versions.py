"""What an author does with a bot and its versions, from the bot's page."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_POST

from frontend.views.shared.acting import run_action
from tournaments.models import Bot, Team, Version
from tournaments.services.accounts.teams import give_bot
from tournaments.services.bots import versions

VERBS = {
    "rest": (versions.rest, gettext_lazy("%(version)s rests.")),
    "withdraw": (versions.withdraw, gettext_lazy("%(version)s is withdrawn.")),
    "bring-back": (versions.bring_back, gettext_lazy("%(version)s takes part again.")),
}


@login_required
@require_POST
def change(request: HttpRequest, pk: int, verb: str) -> HttpResponse:
    """Rest a version, withdraw it or bring it back."""
    version = get_object_or_404(Version.objects.select_related("bot__team"), pk=pk)
    act_on, done = VERBS[verb]
    run_action(request, act_on, done % {"version": version}, version=version, actor=request.user, now=timezone.now())
    return redirect("bot", version.bot.slug)


@login_required
@require_POST
def give(request: HttpRequest, slug: str) -> HttpResponse:
    """Give the bot to a team, or take it back with an empty one."""
    bot, chosen = get_object_or_404(Bot, slug=slug), request.POST.get("team")
    team = get_object_or_404(Team, slug=chosen) if chosen else None
    done = (gettext("%(team)s's members act for %(bot)s now.") if team else
            gettext("Only its owner acts for %(bot)s now.")) % {"team": team, "bot": bot}
    run_action(request, give_bot, done, bot=bot, team=team, actor=request.user, now=timezone.now())
    return redirect("bot", slug)
