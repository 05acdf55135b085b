"""Addresses for named things."""

from django.db.models import Model
from django.utils.text import slugify


def free_slug(model: type[Model], text: str, fallback: str) -> str:
    """A slug for `text` that no row of `model` has: the plain one, or with -2, -3 … behind it."""
    room = model._meta.get_field("slug").max_length - len("-99999")
    base = slugify(text)[:room].strip("-") or fallback
    taken = set(model.objects.filter(slug__startswith=base).values_list("slug", flat=True))
    number, slug = 1, base
    while slug in taken:
        number += 1
        slug = f"{base}-{number}"
    return slug
