"""Fields of filters and forms that the database can compare with its own, and fields that stand for rows."""

import secrets
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Final

from django import forms
from django.contrib.auth.models import User
from django.db.models import BigAutoField, QuerySet
from django_filters.rest_framework import NumberFilter
from drf_spectacular.drainage import set_override
from rest_framework import fields, serializers

from tournaments.models import Bot, Ladder, Team, Version

LARGEST_ID: Final = BigAutoField.MAX_BIGINT


class RowIdField(forms.IntegerField):
    """The id of a row, which a database integer can hold; of rows that there are not, too."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{**options, "min_value": 0, "max_value": LARGEST_ID})


class RowIdFilter(NumberFilter):
    """Rows by the id of another."""

    field_class = RowIdField


class _Named:
    """A field of a form that names a row: the fact of the form is the row itself."""

    rows: ClassVar[QuerySet[Any]]
    noun: ClassVar[str]
    key = "slug"

    def run_validation(self, data: Any = fields.empty) -> Any:
        """The row; None for null. Raises ValidationError when there is none of that name."""
        name = super().run_validation(data)  # type: ignore[misc]
        row = None if name is None else self.rows.filter(**{self.key: name}).first()
        if row is None and name is not None:
            raise serializers.ValidationError(f"There is no {self.noun} {name!r}.")
        return row


class PersonField(_Named, serializers.CharField):
    """Somebody, by the name of the account."""

    rows, noun, key = User.objects.all(), "account", "username"


class BotField(_Named, serializers.SlugField):
    """A bot, by its slug."""

    rows, noun = Bot.objects.select_related("team"), "bot"


class TeamField(_Named, serializers.SlugField):
    """A team, by its slug."""

    rows, noun = Team.objects.all(), "team"


class LadderField(_Named, serializers.SlugField):
    """A ladder, by its slug."""

    rows, noun = Ladder.objects.all(), "ladder"


class VersionField(_Named, serializers.IntegerField):
    """A version, by its id."""

    rows, noun, key = Version.objects.select_related("bot__owner", "bot__team"), "version", "pk"

    def __init__(self, **options: Any) -> None:
        super().__init__(min_value=1, max_value=LARGEST_ID, **options)


class Computed(serializers.Field):
    """A field of an answer: what `read` makes of the row, shown as the field or serializer `form` shows it."""

    def __init__(self, read: Callable[[Any], Any], form: serializers.Field, **options: Any) -> None:
        super().__init__(source="*", read_only=True, **options)
        self.read, self.form = read, form
        set_override(self, "field", form)

    def to_representation(self, row: Any) -> Any:
        """As the form shows it; null as null."""
        value = self.read(row)
        return None if value is None else self.form.to_representation(value)


class SeedField(serializers.IntegerField):
    """What decides what is left to chance; drawn when left out."""

    def __init__(self, **options: Any) -> None:
        super().__init__(min_value=0, max_value=LARGEST_ID, default=partial(secrets.randbits, 63), **options)
