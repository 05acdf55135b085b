"""Slugs for named objects."""

from typing import Final

from django.db.models import Model
from django.utils.text import slugify

from tournaments.services.shared.locks import Lock, hold

# Leaves room for a suffix such as -2 in the 80 characters of a slug field.
_LONGEST: Final = 72
# Reserved: pages below the lists have these addresses.
_PAGES: Final = frozenset({"feed", "new"})


def free_slug(model: type[Model], text: str, fallback: str) -> str:
    """Return a slug for `text` that no row of `model` has, with -2, -3 … appended if necessary.

    It stays free until the transaction ends. Call it in a transaction.
    """
    hold(Lock.SLUGS)
    base = slugify(text)[:_LONGEST].strip("-") or fallback
    taken = set(model.objects.filter(slug__startswith=base).values_list("slug", flat=True)) | _PAGES
    number, slug = 1, base
    while slug in taken:
        number += 1
        slug = f"{base}-{number}"
    return slug
