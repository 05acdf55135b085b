"""What somebody wants to be told: by mail, and by webhooks with the log of what was sent to them."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_POST

from frontend.forms.accounts import MailForm, WebhookForm
from frontend.views.shared.acting import run_action
from frontend.views.shared.private import private
from tournaments.models import Webhook
from tournaments.models.lifecycle import DELIVERY_TRANSITIONS
from tournaments.operations.security_log import sentence_of
from tournaments.platform.refusals import Refused
from tournaments.selectors.notices import notices as reads
from tournaments.services.accounts.accounts import change_profile, profile_of
from tournaments.services.notices import webhooks as verbs
from tournaments.services.notices.deliveries import resend

DELIVERIES_SHOWN = 100
VERBS = {
    "pause": (verbs.pause_webhook, gettext_lazy("It is paused: what is on its way waits.")),
    "resume": (verbs.resume_webhook, gettext_lazy("It is told again of what happens.")),
    "test": (verbs.send_test, gettext_lazy("A test is on its way: look again in a few seconds.")),
}


@login_required
def page(request: HttpRequest) -> HttpResponse:
    """Mail and webhooks; a POST chooses what is mailed."""
    if request.method != "POST":
        return _shown(request)
    form = MailForm(request.POST)
    if not form.is_valid():
        return _shown(request, status=400, mail_form=form)
    run_action(request, change_profile, gettext("Your choice is kept."), user=request.user, now=timezone.now(),
        **form.cleaned_data)
    return redirect("notices")


@login_required
@require_POST
def make(request: HttpRequest) -> HttpResponse:
    """Make a webhook. The answer itself shows its secret: a redirect would have to keep it somewhere on the way."""
    form = WebhookForm(request.POST)
    if not form.is_valid():
        return _shown(request, status=400, webhook_form=form)
    try:
        webhook = verbs.create_webhook(owner=request.user, now=timezone.now(), **form.cleaned_data)
    except Refused as refusal:
        form.add_error("url", sentence_of(refusal))
        return _shown(request, status=409, webhook_form=form)
    return _secret(request, webhook, 201)


@login_required
def webhook(request: HttpRequest, pk: int) -> HttpResponse:
    """A webhook and its log."""
    row = _own(request, pk)
    sent = reads.deliveries_of(request.user).filter(webhook=row)[:DELIVERIES_SHOWN]
    return private(render(request, "frontend/notices/webhook.html", {
        "webhook": row, "deliveries": sent, "shown": DELIVERIES_SHOWN, "ended": DELIVERY_TRANSITIONS["resend"]}))


@login_required
@require_POST
def change(request: HttpRequest, pk: int, verb: str) -> HttpResponse:
    """Pause it, resume it, or send it a test."""
    act_on, done = VERBS[verb]
    run_action(request, act_on, done, webhook=_own(request, pk), actor=request.user, now=timezone.now())
    return redirect("webhook", pk)


@login_required
@require_POST
def renew(request: HttpRequest, pk: int) -> HttpResponse:
    """A new secret, shown like the first."""
    row = verbs.renew_secret(webhook=_own(request, pk), actor=request.user, now=timezone.now())
    return _secret(request, row, 200)


@login_required
@require_POST
def delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Delete it with its log."""
    run_action(request, verbs.delete_webhook, gettext("The webhook is deleted."),
        webhook=_own(request, pk), actor=request.user, now=timezone.now())
    return redirect("notices")


@login_required
@require_POST
def again(request: HttpRequest, pk: int) -> HttpResponse:
    """Send a notice once more."""
    delivery = get_object_or_404(reads.deliveries_of(request.user), pk=pk)
    run_action(request, resend, gettext("It is on its way again: look in a few seconds."),
        delivery=delivery, actor=request.user, now=timezone.now())
    return redirect("webhook", delivery.webhook_id)


def _own(request: HttpRequest, pk: int) -> Webhook:
    """404 for everybody else: that it exists is nobody's business."""
    return get_object_or_404(reads.webhooks_of(request.user), pk=pk)


def _shown(request: HttpRequest, *, status: int = 200, **forms: Any) -> HttpResponse:
    known = profile_of(request.user)
    return private(render(request, "frontend/notices/notices.html", {
        "webhooks": reads.webhooks_of(request.user), "most": verbs.MOST_WEBHOOKS,
        "mail_form": MailForm(initial={"mail_on": known.mail_on}), "webhook_form": WebhookForm(), **forms,
    }, status=status))


def _secret(request: HttpRequest, row: Webhook, status: int) -> HttpResponse:
    messages.info(request, gettext("Keep the secret now: it is not shown again."))
    return private(render(request, "frontend/notices/webhook_secret.html", {"webhook": row}, status=status))
