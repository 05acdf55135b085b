"""Slugs for named objects."""

from collections.abc import Container
from typing import Final

from django.db.models import Model
from django.utils.text import slugify

from tournaments.services.shared.locks import Lock, hold

# Room for a suffix such as -2.
_SUFFIX: Final = 8
# Reserved: pages below the lists have these addresses.
_PAGES: Final = frozenset({"feed", "new"})


def free_slug(model: type[Model], text: str, fallback: str) -> str:
    """Return a slug as `slug_beside` does. It stays free until the transaction ends: call it in a transaction."""
    hold(Lock.SLUGS)
    return slug_beside(model, text, fallback)


def slug_beside(model: type[Model], text: str, fallback: str, reserved: Container[str] = ()) -> str:
    """Return a slug for `text` that no row of `model` has and that is not reserved, with -2, -3 … if necessary.

    A slug has only ASCII letters, digits and hyphens. `fallback` replaces the letters if it has none of the text's.
    """
    longest = model._meta.get_field("slug").max_length - _SUFFIX  # noqa: SLF001 - documented Django API
    base = slugify(text)
    if not any(map(str.isalpha, base)) and (not base or any(map(str.isalpha, text))):
        base = f"{fallback}-{base}"
    base = base[:longest].strip("-")
    taken = set(model.objects.filter(slug__startswith=base).values_list("slug", flat=True)) | _PAGES
    number, slug = 1, base
    while slug in taken or slug in reserved:
        number += 1
        slug = f"{base}-{number}"
    return slug
