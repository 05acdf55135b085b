"""Users' profiles, their choice of mails, and their quotas."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.core.validators import URLValidator
from django.db import transaction
from django.utils.translation import gettext

from tournaments.models import Profile
from tournaments.platform.refusals import Refused
from tournaments.selectors.shared.permissions import Forbidden
from tournaments.services.notices.kinds import COMMON_CHOICES, refuse_unknown
from tournaments.services.shared import audit

LONGEST_ABOUT: Final = 2000
LONGEST_LINK: Final = 200
_is_page = URLValidator(schemes=["http", "https"])


class ProfileRefused(Refused):
    """The text, link or choice of mails is not acceptable in a profile."""


def profile_of(user: Any) -> Profile:
    """Return the user's profile, which is created if necessary."""
    return Profile.objects.get_or_create(user=user)[0]


def change_profile(*, user: Any, now: datetime, about: str | None = None, link: str | None = None,
                   mail_on: Sequence[str] | None = None) -> Profile:
    """Change those parts of the user's profile that are not None. Raises ProfileRefused."""
    changes: dict[str, Any] = {}
    if about is not None:
        changes["about"] = _checked_about(about)
    if link is not None:
        changes["link"] = _checked_link(link.strip())
    if mail_on is not None:
        changes["mail_on"] = _checked_kinds(user, mail_on)
    with transaction.atomic():
        profile = profile_of(user)
        Profile.objects.filter(pk=profile.pk).update(**changes)
        profile.refresh_from_db()
        audit.record(actor=user, verb="change", target=profile, now=now, changed=sorted(changes))
    return profile


def set_quotas(*, user: Any, actor: Any, now: datetime, uploads_per_day: int | None, archive_bytes: int | None,
               games_per_day: int | None) -> Profile:
    """Give the user quotas of their own; None for the site's. Raises Forbidden unless the actor is staff."""
    if not actor.is_staff:
        raise Forbidden(gettext("Only the site's staff can set quotas."))
    quotas = {"uploads_per_day": uploads_per_day, "archive_bytes": archive_bytes, "games_per_day": games_per_day}
    with transaction.atomic():
        profile = profile_of(user)
        Profile.objects.filter(pk=profile.pk).update(**quotas)
        profile.refresh_from_db()
        audit.record(actor=actor, verb="set quotas of", target=profile, now=now, **quotas)
    return profile


def _checked_about(about: str) -> str:
    if len(about) > LONGEST_ABOUT:
        raise ProfileRefused(gettext(
            "The text about you has %(count)s characters, but at most %(longest_about)s are allowed: shorten it."),
            count=len(about), longest_about=LONGEST_ABOUT)
    if "\0" in about:
        raise ProfileRefused(gettext(
            "The text about you has a NUL character, which cannot be stored: leave it out."))
    return about


def _checked_link(link: str) -> str:
    if not link:
        return ""
    if len(link) > LONGEST_LINK:
        raise ProfileRefused(gettext(
            "The link has %(count)s characters, but at most %(longest_link)s are allowed: use a shorter one."),
            count=len(link), longest_link=LONGEST_LINK)
    try:
        _is_page(link)
    except ValidationError:
        raise ProfileRefused(gettext(
            "%(link)r is not a web address: write it like https://example.org/me."), link=link) from None
    return link


def _checked_kinds(user: Any, kinds: Sequence[str]) -> list[str]:
    refuse_unknown(kinds, ProfileRefused, COMMON_CHOICES)
    if kinds and not user.email:
        raise ProfileRefused(gettext("Your account has no e-mail address to send notices to: add one first."))
    return [kind for kind in COMMON_CHOICES if kind in kinds]
