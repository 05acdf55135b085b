"""The organiser's page of an event's pairings: the round that waits, the next one as a preview, and changes by hand."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from frontend.views.shared.acting import button, run_action
from frontend.views.shared.numbers import posted_id
from tournaments.formats.registry import find
from tournaments.models import Bot, Event
from tournaments.operations.security_log import sentence_of
from tournaments.platform.refusals import Refused
from tournaments.selectors.events import events as reads
from tournaments.selectors.events.permissions import organises
from tournaments.services.events.rulings.drafts import preview_pairings
from tournaments.services.events.rulings.pairings import Changed, confirm_round, pair_by_hand


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the pairings; a POST checks a change and shows its warnings, or with `store` makes the change."""
    event = get_object_or_404(reads.visible_to(request.user), slug=slug)
    if not organises(request.user, event):
        raise Http404
    refusal, changed = "", None
    if request.method == "POST":
        store = "store" in request.POST
        try:
            changed = _change(request, event, store=store)
        except Refused as refused:
            refusal = sentence_of(refused)
        if changed is not None and store:
            messages.success(request, gettext("The pairings of round %(number)s are changed.") %
                             {"number": changed.round})
            return redirect("event-pairings", slug)
    return render(request, "frontend/events/pairings.html", {
        "section": "events", "event": event, "refusal": refusal, "change": changed, "chosen": request.POST,
        **_shown(request.user, event)}, status=409 if refusal else 200)


@button
def confirm(request: HttpRequest, slug: str) -> HttpResponse:
    """Release the matches of the round that waits."""
    event = get_object_or_404(reads.visible_to(request.user), slug=slug)
    return run_action(request, confirm_round, gettext("The round is confirmed, and its matches begin."),
                      ("event", slug), event=event)


def _change(request: HttpRequest, event: Event, *, store: bool) -> Changed:
    first = get_object_or_404(Bot, pk=posted_id(request, "first"))
    second = get_object_or_404(Bot, pk=posted_id(request, "second")) if request.POST.get("second") else None
    return pair_by_hand(event=event, first=first, second=second, reason=request.POST.get("reason", ""),
                        dry_run=not store, actor=request.user, now=timezone.now())


def _shown(user: Any, event: Event) -> dict[str, Any]:
    """The last round, the bots that can be paired in it, and the preview or the reason why there is none."""
    rounds = reads.round_summaries(event)
    last = rounds[-1] if rounds and find(event.format).changes_by_hand else None
    facts: dict[str, Any] = {"round": last, "draft": None, "no_draft": ""}
    if last is not None:
        facts |= {"matches": reads.matches_of(last), "byes": reads.byes(last).filter(points=1),
                  "bots": Bot.objects.filter(entries__event=event, entries__place__isnull=False,
                                             entries__left_at=None).order_by("name")}
    try:
        facts["draft"] = preview_pairings(event=event, actor=user, now=timezone.now())
    except Refused as refused:
        facts["no_draft"] = sentence_of(refused)
    return facts
