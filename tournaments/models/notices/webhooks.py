"""Notices to users (webhooks, mail, web push, feeds) and the audit log."""

from urllib.parse import urlsplit

from django.conf import settings
from django.db import models
from django.db.models import Q

from tournaments.models.lifecycle import Channel, DeliveryStatus


class Webhook(models.Model):
    """A URL to which notices for its owner are posted."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="webhooks",
                              help_text="Owner of the webhook.")
    url = models.URLField(max_length=500, help_text="URL to which notices are posted.")
    secret = models.CharField(max_length=80, help_text="Signing key; shown once.")
    old_secret = models.CharField(max_length=80, blank=True, default="", db_default="",
                                  help_text="Previous signing key, which also signs until `old_until`.")
    old_until = models.DateTimeField(null=True, help_text="Time until which the previous key also signs.")
    kinds = models.JSONField(default=list, help_text="Kinds of notices; empty for all.")
    active = models.BooleanField(default=True, help_text="Whether notices are posted.")
    failing_since = models.DateTimeField(null=True,
                                         help_text="Time of the first of the current consecutive failures; null if the "
                                                   "last try succeeded.")
    failed_at = models.DateTimeField(null=True, help_text="Time of the last failure.")
    failures = models.PositiveIntegerField(default=0, db_default=0, help_text="Number of consecutive failures.")
    created_at = models.DateTimeField(help_text="Time of creation.")

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"webhook to {urlsplit(self.url).hostname}"


class Delivery(models.Model):
    """A notice to one recipient. Written in the transaction of the event that it reports; sent afterwards."""

    kind = models.CharField(max_length=40, help_text="Kind of notice.")
    channel = models.CharField(max_length=10, choices=Channel, help_text="Channel by which it is sent.")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="deliveries",
                             help_text="Recipient.")
    webhook = models.ForeignKey(Webhook, models.CASCADE, null=True, related_name="deliveries",
                                help_text="Webhook to post to; null for other channels.")
    # Its index is partial, because only the deletion of a subscription needs it.
    subscription = models.ForeignKey("tournaments.PushSubscription", models.CASCADE, null=True, db_index=False,
                                     related_name="deliveries",
                                     help_text="Browser to send to; null for other channels.")
    payload = models.JSONField(help_text="Content of the notice.")
    status = models.CharField(max_length=10, choices=DeliveryStatus, default=DeliveryStatus.PENDING,
                              help_text="Current status.")
    attempts = models.PositiveSmallIntegerField(default=0, help_text="Number of tries.")
    due_at = models.DateTimeField(help_text="Time of the next try.")
    created_at = models.DateTimeField(help_text="Time of the reported event.")
    ended_at = models.DateTimeField(null=True, help_text="Time at which it was delivered or abandoned.")
    # Untrusted response of the recipient's server: bounded, shown escaped.
    answer = models.TextField(blank=True, help_text="Status and beginning of the last response, or the error.")

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "deliveries"
        constraints = [
            models.CheckConstraint(
                name="a_delivery_names_its_receiver",
                condition=Q(channel=Channel.WEBHOOK, webhook__isnull=False, subscription__isnull=True)
                | Q(channel=Channel.PUSH, webhook__isnull=True, subscription__isnull=False)
                | Q(channel__in=[Channel.MAIL, Channel.FEED], webhook__isnull=True, subscription__isnull=True)),
        ]
        indexes = [
            models.Index(name="delivery_due", fields=["due_at"], condition=Q(status=DeliveryStatus.PENDING)),
            models.Index(name="delivery_of_subscription", fields=["subscription"],
                         condition=Q(subscription__isnull=False)),
            models.Index(name="delivery_of_feed", fields=["user", "-id"], condition=Q(channel=Channel.FEED)),
        ]

    def __str__(self) -> str:
        return f"{self.kind} no. {self.pk}"


class AuditEntry(models.Model):
    """An entry of the audit log: actor, action and target. Inserted with the action, and never edited."""

    at = models.DateTimeField(help_text="Time of the action.")
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="audit",
                              help_text="Account that acted; null for the service itself.")
    verb = models.CharField(max_length=60, help_text="Action.")
    kind = models.CharField(max_length=40, help_text="Type of the target.")
    target = models.CharField(max_length=40, help_text="ID of the target.")
    name = models.CharField(max_length=200, help_text="Name of the target at that time.")
    detail = models.JSONField(default=dict, help_text="Further details.")

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "audit entries"
        indexes = [models.Index(name="audit_of_target", fields=["kind", "target"])]

    def __str__(self) -> str:
        return f"{self.actor or 'the service'}: {self.verb} {self.name}"
