"""Names of bots: an author's own, which no other author may use or imitate, and the addresses that follow from them."""

from django.contrib.auth.models import AbstractBaseUser

from ratings.names import key, looks, tidy
from tournaments.models import Bot, Submission
from tournaments.models.lifecycle import SUBMISSION_OPEN
from tournaments.selectors.shared.permissions import owns
from tournaments.services.shared.slugs import slug_beside


class NameRefused(Exception):
    """The author may not use the name; `str()` says why and what to do."""


def bot_named(name: str) -> Bot | None:
    """Return the bot whose name this is, in any spelling."""
    wanted = key(name)
    return next((bot for bot in _alike(name) if key(bot.name) == wanted), None)


def refuse_name(name: str, uploader: AbstractBaseUser, bot: Bot | None) -> None:
    """Raise NameRefused if the author may not use the name, which is that of `bot` or of no bot.

    Call it under Lock.UPLOADS, to keep the name until the upload is stored.
    """
    if not any(map(str.isalnum, key(name))):
        raise NameRefused(f"The name {name!r} has no letter or digit: choose another name in bot.toml.")
    if bot is None:
        _refuse_imitation(name, uploader)
    elif not owns(uploader, bot):
        raise NameRefused(f"The name {bot.name} belongs to another author: choose another name in bot.toml.")
    elif tidy(bot.name) != tidy(name):
        raise NameRefused(f"The name {name} is too similar to that of your bot {bot.name}: "
                          "write it exactly the same way in bot.toml, or choose another name.")


def address_of(name: str, bot: Bot | None) -> str:
    """Return the slug that the bot has, or that a new bot of this name will have."""
    if bot is not None:
        return bot.slug
    wanted = key(name)
    waiting = dict(Submission.objects.filter(status__in=SUBMISSION_OPEN).values_list("slug", "name"))
    for slug, other in waiting.items():
        if key(other) == wanted:
            return slug
    return slug_beside(Bot, name, "bot", reserved=waiting)


def _alike(name: str) -> list[Bot]:
    """Return the bots whose names are this name or look like it."""
    look = looks(name)
    found = [pk for pk, other in Bot.objects.values_list("pk", "name") if looks(other) & look]
    return list(Bot.objects.filter(pk__in=found)) if found else []


def _refuse_imitation(name: str, uploader: AbstractBaseUser) -> None:
    """Raise NameRefused if the name looks like one of another author, of a bot or of one that is being checked."""
    for bot in _alike(name):
        if not owns(uploader, bot):
            raise NameRefused(f"The name {name} looks like that of another author's bot, {bot.name}: "
                              "choose another name in bot.toml.")
    look = looks(name)
    others = Submission.objects.filter(status__in=SUBMISSION_OPEN).exclude(uploader=uploader)
    for other in others.values_list("name", flat=True):
        if looks(other) & look:
            raise NameRefused(f"Another author's bot with the name {other} is being checked: "
                              "choose another name in bot.toml.")
