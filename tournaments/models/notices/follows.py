"""Followed bots and events, and where their news goes in addition to e-mail: browsers and personal feeds."""

from urllib.parse import urlsplit

from django.conf import settings
from django.db import models
from django.db.models import Q


class Follow(models.Model):
    """A bot or event that a user follows, and its state as last reported to them."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="follows", db_index=False,
                             help_text="The follower.")
    bot = models.ForeignKey("tournaments.Bot", models.CASCADE, null=True, related_name="follows",
                            help_text="The bot; null if it is an event.")
    event = models.ForeignKey("tournaments.Event", models.CASCADE, null=True, related_name="follows",
                              help_text="The event; null if it is a bot.")
    created_at = models.DateTimeField(help_text="Time from which it is followed.")
    seen = models.JSONField(default=dict, editable=False,
                            help_text="State as last reported; news is the difference from the current state.")
    due_at = models.DateTimeField(help_text="Time before which no news is sent.")

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(name="a_follow_is_of_a_bot_or_of_an_event",
                                   condition=Q(bot__isnull=False, event__isnull=True)
                                   | Q(bot__isnull=True, event__isnull=False)),
            models.UniqueConstraint(fields=["user", "bot"], name="a_user_follows_a_bot_once"),
            models.UniqueConstraint(fields=["user", "event"], name="a_user_follows_an_event_once"),
        ]
        indexes = [models.Index(name="follow_due", fields=["due_at"])]

    def __str__(self) -> str:
        return f"{self.user} follows {self.bot or self.event}"


class PushSubscription(models.Model):
    """A browser that receives news by web push: the address of its push service, and its keys."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="push_subscriptions",
                             help_text="Receiver of the news.")
    endpoint = models.URLField(max_length=500, unique=True, help_text="Address at the browser's push service.")
    p256dh = models.CharField(max_length=100, help_text="Public key of the browser, as base64url.")
    auth = models.CharField(max_length=40, help_text="Secret shared with the browser, as base64url.")
    created_at = models.DateTimeField(help_text="Time of creation.")
    succeeded_at = models.DateTimeField(null=True, help_text="Time of the last accepted message; null for none.")

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"browser at {self.service}"

    @property
    def service(self) -> str:
        """Return the host of the push service, which tells browsers apart. The rest of the address is a secret."""
        return urlsplit(self.endpoint).hostname or ""


class PersonalFeed(models.Model):
    """The secret address of a user's feed of news about what they follow."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="personal_feed",
                                help_text="Reader of the feed.")
    key = models.CharField(max_length=40, unique=True, help_text="Secret part of the address.")
    created_at = models.DateTimeField(help_text="Time at which the address was made.")

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"feed of {self.user}"
