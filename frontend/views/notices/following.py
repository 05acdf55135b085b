"""The page for a user's followed bots and events, and the channels of their news: e-mail, browsers, a feed."""

from collections.abc import Callable
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.csrf import csrf_exempt

from frontend.forms.accounts import BrowserForm
from frontend.views.shared.acting import attempt, button, run_action, status_of
from frontend.views.shared.private import private
from tournaments.selectors.bots import bots
from tournaments.selectors.events import events
from tournaments.selectors.notices import follows as reads
from tournaments.services.accounts.accounts import profile_of
from tournaments.services.notices import following as verbs
from tournaments.services.notices.kinds import FOLLOWED
from tournaments.services.notices.pushing import public_key

CHANNELS: Final[dict[str, tuple[Callable[..., Any], Any, dict[str, Any]]]] = {
    "mails-on": (verbs.choose_mails, gettext_lazy("News is sent by e-mail."), {"on": True}),
    "mails-off": (verbs.choose_mails, gettext_lazy("News is no longer sent by e-mail."), {"on": False}),
    "feed-renew": (verbs.renew_feed, gettext_lazy("The feed has a new address. An earlier one no longer works."), {}),
    "feed-off": (verbs.close_feed, gettext_lazy("The feed is off."), {}),
}


@login_required
def page(request: HttpRequest) -> HttpResponse:
    return _shown(request)


@button
def follow_bot(request: HttpRequest, slug: str) -> HttpResponse:
    """Follow the bot, or stop following it."""
    return _follow(request, "bot", get_object_or_404(bots.bots(), slug=slug))


@button
def follow_event(request: HttpRequest, slug: str) -> HttpResponse:
    """Follow the event, or stop following it."""
    return _follow(request, "event", get_object_or_404(events.visible_to(request.user), slug=slug))


@button
def unfollow(request: HttpRequest, pk: int) -> HttpResponse:
    """Stop following, from the list."""
    follow = get_object_or_404(reads.follows_of(request.user), pk=pk)
    return run_action(request, verbs.unfollow, gettext("You no longer follow it."), ("following",), follow=follow)


@button
def channel(request: HttpRequest, verb: str) -> HttpResponse:
    """Switch a channel on or off, or renew the address of the feed."""
    call, done, facts = CHANNELS[verb]
    return run_action(request, call, done, ("following",), **facts)


@button
def subscribe(request: HttpRequest) -> HttpResponse:
    """Send the news to this browser too. The page's script fills the form."""
    form = BrowserForm(request.POST)
    if form.is_valid() and attempt(form, verbs.subscribe, actor=request.user, **form.cleaned_data):
        return run_action(request, _nothing, gettext("This browser shows your news from now on."), ("following",))
    return _shown(request, status=status_of(form), browser_form=form)


@button
def unsubscribe_browser(request: HttpRequest, pk: int) -> HttpResponse:
    """Send nothing more to a browser."""
    browser = get_object_or_404(reads.subscriptions_of(request.user), pk=pk)
    return run_action(request, verbs.end_subscription, gettext("The browser no longer shows your news."),
                      ("following",), subscription=browser)


@csrf_exempt
def end_mails(request: HttpRequest, token: str) -> HttpResponse:
    """End the e-mails of the user of this token, who need not be signed in: mail programs post here (RFC 8058).

    The token is the proof that a form's token is otherwise. Reading the page changes nothing, because programs that
    check links read it, too.
    """
    done = request.method == "POST"
    if not (verbs.end_mails(token=token, now=timezone.now()) if done else verbs.is_genuine(token)):
        raise Http404
    return private(render(request, "frontend/notices/unsubscribe.html", {"done": done}))


def _follow(request: HttpRequest, noun: str, thing: Any) -> HttpResponse:
    if (known := reads.follow_of(request.user, thing)) is not None:
        return run_action(request, verbs.unfollow, gettext("You no longer follow %(name)s."), (noun, thing.slug),
                          names={"name": thing.name}, follow=known)
    return run_action(request, verbs.follow, gettext("You follow %(name)s. Your account has a page for its news."),
                      (noun, thing.slug), names={"name": thing.name}, **{noun: thing})


def _nothing(**_: Any) -> None:
    """Do nothing: the action has been done."""


def _shown(request: HttpRequest, *, status: int = 200, **forms: Any) -> HttpResponse:
    feed = reads.feed_of(request.user)
    address = f"{settings.BASE_URL}{reverse('news-feed', args=[feed.key])}" if feed else ""
    return private(render(request, "frontend/notices/following.html", {
        "follows": reads.follows_of(request.user), "mails": FOLLOWED in profile_of(request.user).mail_on,
        "browsers": reads.subscriptions_of(request.user), "push_key": public_key(), "feed": address, **forms,
    }, status=status))
