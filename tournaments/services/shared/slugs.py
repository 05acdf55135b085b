"""Addresses for named things."""

from typing import Final

from django.db.models import Model
from django.utils.text import slugify

from tournaments.services.shared.locks import Lock, hold

# Leaves room for a number in the 80 characters of a slug field.
_LONGEST: Final = 72
# Pages have these addresses, below those of the lists.
_PAGES: Final = frozenset({"feed", "new"})


def free_slug(model: type[Model], text: str, fallback: str) -> str:
    """A slug for `text` that no row of `model` has: the plain one, or with -2, -3 … behind it.

    It stays free until the transaction ends, which must have begun.
    """
    hold(Lock.SLUGS)
    base = slugify(text)[:_LONGEST].strip("-") or fallback
    taken = set(model.objects.filter(slug__startswith=base).values_list("slug", flat=True)) | _PAGES
    number, slug = 1, base
    while slug in taken:
        number += 1
        slug = f"{base}-{number}"
    return slug
