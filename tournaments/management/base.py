"""Base class and look-ups for the service's commands. A refusal is printed on stderr, with exit code 1."""

from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser
from django.core.management.base import BaseCommand, CommandError

from tournaments.models import Bot, Event, Ladder, Version
from tournaments.platform.refusals import Refused


class ServiceCommand(BaseCommand):
    """A command that makes one call to the service."""

    def execute(self, *args: Any, **options: Any) -> Any:
        """Run the command. Raises CommandError if the service refuses."""
        try:
            return super().execute(*args, **options)
        except Refused as refusal:
            raise CommandError(str(refusal)) from refusal


def add_verb(verbs: Any, run: Callable[..., None], name: str, does: str) -> ArgumentParser:
    """Add a verb to the result of `add_subparsers`; return its parser. Its option `run` is the function to call."""
    parser: ArgumentParser = verbs.add_parser(name, help=does, description=f"{does[0].upper()}{does[1:]}.")
    parser.set_defaults(run=run)
    return parser


def add_organiser_argument(parser: ArgumentParser) -> None:
    """Add the option that `organiser_named` reads."""
    parser.add_argument("--organiser", metavar="USERNAME",
                        help="staff account of the organiser (default: the first superuser)")


def user_named(username: str) -> AbstractBaseUser:
    """Return the account with this name. Raises CommandError if there is none."""
    users = get_user_model()
    try:
        return users.objects.get_by_natural_key(username)
    except users.DoesNotExist:
        raise CommandError(f"There is no account {username!r}. Create it with `manage.py createsuperuser` "
                           "or in the admin.") from None


def organiser_named(username: str | None) -> AbstractBaseUser:
    """Return the staff account with this name, by default the first superuser. Raises CommandError if there is none."""
    if username is not None:
        user = user_named(username)
        if not user.is_staff:
            raise CommandError(f"{username} is not a staff account. Name an organiser who is on the site's staff.")
        return user
    first = get_user_model().objects.filter(is_superuser=True, is_active=True).order_by("pk").first()
    if first is None:
        raise CommandError("There is no superuser to organise the event. Create one with `manage.py createsuperuser`.")
    return first


def ladder_named(slug: str) -> Ladder:
    """Return the ladder with this slug. Raises CommandError, which lists the existing ladders, if there is none."""
    ladder = Ladder.objects.filter(slug=slug).first()
    if ladder is None:
        known = ", ".join(Ladder.objects.values_list("slug", flat=True)) or "none; create one with create_ladder"
        raise CommandError(f"There is no ladder {slug!r}. Existing ladders: {known}.")
    return ladder


def bot_named(slug: str) -> Bot:
    """Return the bot with this slug. Raises CommandError if there is none."""
    bot = Bot.objects.filter(slug=slug).first()
    if bot is None:
        raise CommandError(f"There is no bot {slug!r}. Name a bot by its slug.")
    return bot


def event_named(slug: str) -> Event:
    """Return the event with this slug. Raises CommandError if there is none."""
    event = Event.objects.select_related("ladder", "created_by", "series").filter(slug=slug).first()
    if event is None:
        raise CommandError(f"There is no event {slug!r}. Name an event by its slug, the last part of its address.")
    return event


def version_of(bot: Bot, number: int | None = None) -> Version:
    """Return the bot's version with this number, by default the newest. Raises CommandError if there is none."""
    # A bot is created together with its first version, so there is at least one.
    newest = bot.versions.select_related("bot__owner", "bot__team").order_by("-number")
    version = newest.first() if number is None else newest.filter(number=number).first()
    if version is None:
        known = ", ".join(map(str, bot.versions.order_by("number").values_list("number", flat=True)))
        raise CommandError(f"{bot.slug} has no version {number}. Existing versions: {known}.")
    return version
