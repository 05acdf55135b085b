"""Actions on a bot and its versions, from the bot's page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext, gettext_lazy

from frontend.views.shared.acting import button, run_action
from tournaments.models import Bot, Team, Version
from tournaments.services.accounts.teams import give_bot
from tournaments.services.bots import versions

VERBS = {
    "rest": (versions.rest, gettext_lazy("%(version)s is suspended.")),
    "withdraw": (versions.withdraw, gettext_lazy("%(version)s is withdrawn.")),
    "bring-back": (versions.bring_back, gettext_lazy("%(version)s is active again.")),
}


@button
def change(request: HttpRequest, pk: int, verb: str) -> HttpResponse:
    """Suspend a version, withdraw it or reactivate it."""
    version = get_object_or_404(Version.objects.select_related("bot__team"), pk=pk)
    return run_action(request, *VERBS[verb], ("bot", version.bot.slug), version=version)


@button
def give(request: HttpRequest, slug: str) -> HttpResponse:
    """Give the bot to a team, or take it back if no team is chosen."""
    bot, chosen = get_object_or_404(Bot, slug=slug), request.POST.get("team")
    team = get_object_or_404(Team, slug=chosen) if chosen else None
    done = (gettext("The members of %(team)s can now manage %(bot)s.") if team else
            gettext("Only its owner can now manage %(bot)s."))
    return run_action(request, give_bot, done, ("bot", slug), bot=bot, team=team)
