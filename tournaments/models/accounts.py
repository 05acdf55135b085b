"""What the service knows of people beyond Django's users: profiles, teams, tokens, bans."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from tournaments.models.lifecycle import Role, TokenScope


class Profile(models.Model):
    """A person's page, wishes and quotas; empty quotas are the site's."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="profile", help_text="Whose.")
    about = models.TextField(blank=True, max_length=2000, help_text="What they say about themselves, as plain text.")
    link = models.URLField(blank=True, help_text="Their own page.")
    mail_on = models.JSONField(default=list, blank=True, help_text="Kinds of notices that are also sent by mail.")
    uploads_per_day = models.PositiveIntegerField(null=True, blank=True, help_text="Uploads in 24 hours.")
    archive_bytes = models.PositiveIntegerField(null=True, blank=True, help_text="Largest archive, in bytes.")
    games_per_day = models.PositiveIntegerField(null=True, blank=True, help_text="Games that their bots may be given "
                                                                                 "on ladders and in challenges in 24 "
                                                                                 "hours.")

    class Meta:
        ordering = ["user"]

    def __str__(self) -> str:
        return str(self.user)


class Team(models.Model):
    """People who own bots together."""

    slug = models.SlugField(max_length=60, unique=True, help_text="Its place in addresses.")
    name = models.CharField(max_length=60, unique=True, help_text="As people call it.")
    members = models.ManyToManyField(settings.AUTH_USER_MODEL, through="Membership", related_name="teams",
                                     help_text="Who belongs to it.")
    created_at = models.DateTimeField(help_text="When it was founded.")

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A person in a team."""

    team = models.ForeignKey(Team, models.CASCADE, related_name="memberships", help_text="The team.")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships",
                             help_text="The person.")
    role = models.CharField(max_length=10, choices=Role, default=Role.MEMBER,
                            help_text="Captains change who belongs to it; members act for its bots.")
    joined_at = models.DateTimeField(help_text="When they joined.")

    class Meta:
        ordering = ["team", "user"]
        constraints = [models.UniqueConstraint(fields=["team", "user"], name="a_person_is_in_a_team_once")]

    def __str__(self) -> str:
        return f"{self.user} in {self.team}"


class Token(models.Model):
    """A personal key to the API. Only its hash is kept: it is shown once."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="tokens", help_text="Whose.")
    name = models.CharField(max_length=60, help_text="What it is for, in its owner's words.")
    prefix = models.CharField(max_length=12, help_text="Its first characters, to know it by.")
    scope = models.CharField(max_length=10, choices=TokenScope, default=TokenScope.EVERYTHING,
                             db_default=TokenScope.EVERYTHING.value, help_text="What it may do in its owner's name.")
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the whole token.")
    created_at = models.DateTimeField(help_text="When it was made.")
    last_used_at = models.DateTimeField(null=True, help_text="When it was last used, give or take a minute.")
    expires_at = models.DateTimeField(null=True, help_text="From when it is refused; empty for never.")
    revoked_at = models.DateTimeField(null=True, help_text="When its owner revoked it.")

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.prefix}… ({self.name})"


class Ban(models.Model):
    """A person or a bot that may not take part, until the ban is lifted."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, blank=True, related_name="bans",
                             help_text="Who: may not upload, enter, challenge or organise.")
    bot = models.ForeignKey("tournaments.Bot", models.CASCADE, null=True, blank=True, related_name="bans",
                            help_text="Which bot: is not paired, entered or given versions.")
    reason = models.TextField(help_text="Why, as its subject is told.")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="bans_given",
                                   help_text="Who decided it.")
    created_at = models.DateTimeField(help_text="Since when.")
    lifted_at = models.DateTimeField(null=True, blank=True, help_text="Until when.")

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(name="a_ban_is_of_a_person_or_of_a_bot",
                                   condition=Q(user__isnull=False, bot__isnull=True)
                                   | Q(user__isnull=True, bot__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"ban of {self.user or self.bot}"
