"""What happened, for those who asked to be told: webhooks, mail, and the audit log."""

from typing import Final
from urllib.parse import urlsplit

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from tournaments.models.lifecycle import Channel, DeliveryStatus

# The kinds of notices that webhooks and mail may be asked for, and what each of them says.
NOTICES: Final = {
    "submission.accepted": _("A submission of yours has qualified and is a version now."),
    "submission.refused": _("A submission of yours was refused."),
    "event.changed": _("An event that your bot is entered in was changed before its start."),
    "event.started": _("An event that a bot of yours is entered in has started."),
    "event.finished": _("An event that a bot of yours is entered in is over, or was cancelled."),
    "version.rested": _("A version of yours was rested after faults."),
    "version.well": _("A version of yours plays again after a probe."),
    "candidate.passed": _("A version of yours has passed its trial, and plays on the ladder now."),
    "candidate.failed": _("A version of yours has failed its trial."),
    "candidate.inconclusive": _("A trial of a version of yours ended without a verdict."),
}


class Webhook(models.Model):
    """An address that is told of what concerns its owner."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="webhooks", help_text="Whose.")
    url = models.URLField(max_length=500, help_text="Where notices are posted.")
    secret = models.CharField(max_length=80, help_text="The key of the signatures; shown once.")
    old_secret = models.CharField(max_length=80, blank=True, default="", db_default="",
                                  help_text="The key before, which signs as well …")
    old_until = models.DateTimeField(null=True, help_text="… until then.")
    kinds = models.JSONField(default=list, help_text="Kinds of notices; empty for all.")
    active = models.BooleanField(default=True, help_text="Whether it is told.")
    failing_since = models.DateTimeField(null=True, help_text="When the first of the failures came that nothing has "
                                                              "interrupted; empty when the last try succeeded.")
    failed_at = models.DateTimeField(null=True, help_text="When the last of them came.")
    failures = models.PositiveIntegerField(default=0, db_default=0, help_text="How many they are.")
    created_at = models.DateTimeField(help_text="When it was made.")

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"webhook to {urlsplit(self.url).hostname}"


class Delivery(models.Model):
    """A notice on its way to one receiver. Written in the transaction of what it tells of; sent afterwards."""

    kind = models.CharField(max_length=40, help_text="What happened.")
    channel = models.CharField(max_length=10, choices=Channel, help_text="How it is sent.")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="deliveries", help_text="To whom.")
    webhook = models.ForeignKey(Webhook, models.CASCADE, null=True, related_name="deliveries",
                                help_text="Where, unless by mail.")
    payload = models.JSONField(help_text="What is told.")
    status = models.CharField(max_length=10, choices=DeliveryStatus, default=DeliveryStatus.PENDING,
                              help_text="Whether it has arrived.")
    attempts = models.PositiveSmallIntegerField(default=0, help_text="How often it was tried.")
    due_at = models.DateTimeField(help_text="When it is tried next.")
    created_at = models.DateTimeField(help_text="When it happened.")
    ended_at = models.DateTimeField(null=True, help_text="When it arrived or was given up.")
    # What a stranger's server said: bounded, shown escaped.
    answer = models.TextField(blank=True, help_text="Status and beginning of the last answer, or the error.")

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "deliveries"
        constraints = [
            models.CheckConstraint(name="a_webhook_s_delivery_names_it",
                                   condition=Q(channel=Channel.WEBHOOK, webhook__isnull=False)
                                   | Q(channel=Channel.MAIL, webhook__isnull=True)),
        ]
        indexes = [models.Index(name="delivery_due", fields=["due_at"], condition=Q(status=DeliveryStatus.PENDING))]

    def __str__(self) -> str:
        return f"{self.kind} no. {self.pk}"


class AuditEntry(models.Model):
    """Who did what to what. Inserted with the act, never edited."""

    at = models.DateTimeField(help_text="When.")
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="audit",
                              help_text="Who; empty for the service itself.")
    verb = models.CharField(max_length=60, help_text="What they did.")
    kind = models.CharField(max_length=40, help_text="Which noun they did it to.")
    target = models.CharField(max_length=40, help_text="Its id.")
    name = models.CharField(max_length=200, help_text="What it was called then.")
    detail = models.JSONField(default=dict, help_text="What else there is to say.")

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "audit entries"
        indexes = [models.Index(name="audit_of_target", fields=["kind", "target"])]

    def __str__(self) -> str:
        return f"{self.actor or 'the service'}: {self.verb} {self.name}"
