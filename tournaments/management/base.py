"""What the service's commands have in common: refusals are sentences on stderr with exit code 1, and look-ups."""

from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser
from django.core.management.base import BaseCommand, CommandError

from tournaments.models import Bot, Ladder
from tournaments.platform.refusals import Refused


class ServiceCommand(BaseCommand):
    """A command that makes one call of the service."""

    def execute(self, *args: Any, **options: Any) -> Any:
        """Run, and turn a refusal into the command's own error."""
        try:
            return super().execute(*args, **options)
        except Refused as refusal:
            raise CommandError(str(refusal)) from refusal


def user_named(username: str) -> AbstractBaseUser:
    """The account with this name. Raises CommandError."""
    users = get_user_model()
    try:
        return users.objects.get_by_natural_key(username)
    except users.DoesNotExist:
        raise CommandError(f"There is no account {username!r}: make it with `manage.py createsuperuser`, "
                           "or in the admin.") from None


def organiser_named(username: str | None) -> AbstractBaseUser:
    """The account with this name, which is staff; by default the first superuser. Raises CommandError."""
    if username is not None:
        user = user_named(username)
        if not user.is_staff:
            raise CommandError(f"{username} is not of the site's staff, and only these organise events.")
        return user
    first = get_user_model().objects.filter(is_superuser=True, is_active=True).order_by("pk").first()
    if first is None:
        raise CommandError("There is no superuser to organise the event: make one with `manage.py createsuperuser`.")
    return first


def ladder_named(slug: str) -> Ladder:
    """The ladder with this slug. Raises CommandError, which lists those there are."""
    ladder = Ladder.objects.filter(slug=slug).first()
    if ladder is None:
        known = ", ".join(Ladder.objects.values_list("slug", flat=True)) or "none: open one with create_ladder"
        raise CommandError(f"There is no ladder {slug!r}. There are: {known}.")
    return ladder


def bot_named(slug: str) -> Bot:
    """The bot with this slug. Raises CommandError."""
    bot = Bot.objects.filter(slug=slug).first()
    if bot is None:
        raise CommandError(f"There is no bot {slug!r}.")
    return bot
