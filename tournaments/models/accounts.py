"""User data beyond Django's accounts: profiles, teams, tokens, bans."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from tournaments.models.lifecycle import Role, TokenScope


class Profile(models.Model):
    """A user's page, preferences and quotas. An empty quota means the site's default."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="profile",
                                help_text="Owner of the profile.")
    about = models.TextField(blank=True, max_length=2000, help_text="Text about the user, as plain text.")
    link = models.URLField(blank=True, help_text="The user's own website.")
    mail_on = models.JSONField(default=list, blank=True, help_text="Kinds of notices that are also sent by e-mail.")
    uploads_per_day = models.PositiveIntegerField(null=True, blank=True,
                                                  help_text="Maximum number of uploads in 24 hours; empty for the "
                                                            "site's default.")
    archive_bytes = models.PositiveIntegerField(null=True, blank=True,
                                                help_text="Maximum size of an archive in bytes; empty for the site's "
                                                          "default.")
    games_per_day = models.PositiveIntegerField(null=True, blank=True,
                                                help_text="Maximum number of games for the user's bots on ladders, in "
                                                          "trials and in challenges in 24 hours; empty for the site's "
                                                          "default.")

    class Meta:
        ordering = ["user"]

    def __str__(self) -> str:
        return str(self.user)


class Team(models.Model):
    """A group of users who own bots together."""

    slug = models.SlugField(max_length=60, unique=True, help_text="Name in URLs.")
    name = models.CharField(max_length=60, unique=True, help_text="Display name.")
    members = models.ManyToManyField(settings.AUTH_USER_MODEL, through="Membership", related_name="teams",
                                     help_text="Users in the team.")
    created_at = models.DateTimeField(help_text="Time of creation.")

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A user's membership of a team."""

    team = models.ForeignKey(Team, models.CASCADE, related_name="memberships", help_text="The team.")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships",
                             help_text="The member.")
    role = models.CharField(max_length=10, choices=Role, default=Role.MEMBER,
                            help_text="Captains add and remove members; all members manage the team's bots.")
    joined_at = models.DateTimeField(help_text="Time of joining.")

    class Meta:
        ordering = ["team", "user"]
        constraints = [models.UniqueConstraint(fields=["team", "user"], name="a_person_is_in_a_team_once")]

    def __str__(self) -> str:
        return f"{self.user} in {self.team}"


class Token(models.Model):
    """A personal API token. It is shown once; only its hash is stored."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="tokens",
                             help_text="Owner of the token.")
    name = models.CharField(max_length=60, help_text="Purpose of the token, in its owner's words.")
    prefix = models.CharField(max_length=12, help_text="First characters of the token, to identify it.")
    scope = models.CharField(max_length=10, choices=TokenScope, default=TokenScope.EVERYTHING,
                             db_default=TokenScope.EVERYTHING.value,
                             help_text="Actions permitted on the owner's behalf.")
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 hash of the token.")
    created_at = models.DateTimeField(help_text="Time of creation.")
    last_used_at = models.DateTimeField(null=True, help_text="Time of last use, accurate to about a minute.")
    expires_at = models.DateTimeField(null=True, help_text="Time after which the token is rejected; null for never.")
    revoked_at = models.DateTimeField(null=True, help_text="Time at which the owner or staff revoked the token.")

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.prefix}… ({self.name})"


class Ban(models.Model):
    """A ban on a user or a bot, in force until it is lifted."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, blank=True, related_name="bans",
                             help_text="Banned account: may not upload, enter, challenge or organise.")
    bot = models.ForeignKey("tournaments.Bot", models.CASCADE, null=True, blank=True, related_name="bans",
                            help_text="Banned bot: is not paired, cannot enter events, and accepts no new versions.")
    reason = models.TextField(help_text="Reason, as shown to the banned user or the bot's owner.")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="bans_given",
                                   help_text="Staff account that imposed the ban.")
    created_at = models.DateTimeField(help_text="Start of the ban.")
    lifted_at = models.DateTimeField(null=True, blank=True, help_text="End of the ban; empty while it is in force.")

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(name="a_ban_is_of_a_person_or_of_a_bot",
                                   condition=Q(user__isnull=False, bot__isnull=True)
                                   | Q(user__isnull=True, bot__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"ban of {self.user or self.bot}"
