"""A user's notices: the choice of e-mails, and webhooks with their delivery logs."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from frontend.forms.accounts import MailForm, WebhookForm
from frontend.views.shared.acting import attempt, button, run_action, status_of
from frontend.views.shared.private import private
from tournaments.models import Webhook
from tournaments.models.lifecycle import DELIVERY_TRANSITIONS
from tournaments.selectors.notices import notices as reads
from tournaments.services.accounts.accounts import change_profile, profile_of
from tournaments.services.notices import webhooks as verbs
from tournaments.services.notices.deliveries import resend

DELIVERIES_SHOWN = 100
VERBS = {
    "pause": (verbs.pause_webhook, gettext_lazy("The webhook is paused. Pending deliveries wait.")),
    "resume": (verbs.resume_webhook, gettext_lazy("The webhook is resumed.")),
    "test": (verbs.send_test, gettext_lazy("A test notice is being sent. Reload the page in a few seconds.")),
}


@login_required
def page(request: HttpRequest) -> HttpResponse:
    """The e-mail settings and webhooks; a POST saves the e-mail settings."""
    if request.method != "POST":
        return _shown(request)
    form = MailForm(request.POST)
    if not form.is_valid():
        return _shown(request, status=400, mail_form=form)
    return run_action(request, change_profile, gettext("Settings saved."), ("notices",), actor="user",
                      **form.cleaned_data)


@button
def make(request: HttpRequest) -> HttpResponse:
    """Create a webhook. The response itself shows the secret: with a redirect, it would have to be stored."""
    form = WebhookForm(request.POST, user=request.user)
    made = form.is_valid() and attempt(form, verbs.create_webhook, field="url", owner=request.user, **form.cleaned_data)
    return _secret(request, made, 201) if made else _shown(request, status=status_of(form), webhook_form=form)


@login_required
def webhook(request: HttpRequest, pk: int) -> HttpResponse:
    """A webhook and its delivery log."""
    row = _own(request, pk)
    sent = reads.deliveries_of(request.user).filter(webhook=row)[:DELIVERIES_SHOWN]
    return private(render(request, "frontend/notices/webhook.html", {
        "webhook": row, "deliveries": sent, "shown": DELIVERIES_SHOWN, "ended": DELIVERY_TRANSITIONS["resend"]}))


@button
def change(request: HttpRequest, pk: int, verb: str) -> HttpResponse:
    """Pause or resume a webhook, or send it a test notice."""
    return run_action(request, *VERBS[verb], ("webhook", pk), webhook=_own(request, pk))


@button
def renew(request: HttpRequest, pk: int) -> HttpResponse:
    """Replace the secret, and show the new one like the first."""
    row = verbs.renew_secret(webhook=_own(request, pk), actor=request.user, now=timezone.now())
    return _secret(request, row, 200)


@button
def delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Delete a webhook and its log."""
    return run_action(request, verbs.delete_webhook, gettext("The webhook is deleted."), ("notices",),
                      webhook=_own(request, pk))


@button
def again(request: HttpRequest, pk: int) -> HttpResponse:
    """Resend a notice."""
    delivery = get_object_or_404(reads.deliveries_of(request.user), pk=pk)
    return run_action(request, resend, gettext("The notice is being resent. Reload the page in a few seconds."),
                      ("webhook", delivery.webhook_id), delivery=delivery)


def _own(request: HttpRequest, pk: int) -> Webhook:
    """The user's webhook; 404 for other users, who must not learn that it exists."""
    return get_object_or_404(reads.webhooks_of(request.user), pk=pk)


def _shown(request: HttpRequest, *, status: int = 200, **forms: Any) -> HttpResponse:
    known = profile_of(request.user)
    return private(render(request, "frontend/notices/notices.html", {
        "webhooks": reads.webhooks_of(request.user), "most": verbs.MOST_WEBHOOKS,
        "mail_form": MailForm(initial={"mail_on": known.mail_on}),
        "webhook_form": WebhookForm(user=request.user), **forms,
    }, status=status))


def _secret(request: HttpRequest, row: Webhook, status: int) -> HttpResponse:
    messages.info(request, gettext("Copy the secret now. It will not be shown again."))
    return private(render(request, "frontend/notices/webhook_secret.html", {"webhook": row}, status=status))
