"""Fields for filters and forms: IDs that fit the database, and fields that resolve to rows."""

import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any, ClassVar, Final

from django import forms
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db.models import BigAutoField, QuerySet
from django_filters.fields import IsoDateTimeField
from django_filters.rest_framework import IsoDateTimeFilter, NumberFilter
from drf_spectacular.drainage import set_override
from rest_framework import fields, serializers

from tournaments.models import Bot, Ladder, Team, Version

LARGEST_ID: Final = BigAutoField.MAX_BIGINT


class RowIdField(forms.IntegerField):
    """ID of a row within the range of a database integer; the row need not exist."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{**options, "min_value": 0, "max_value": LARGEST_ID})


class RowIdFilter(NumberFilter):
    """Filter by the ID of a related row."""

    field_class = RowIdField


class MomentField(IsoDateTimeField):
    """Time that also exists in UTC, as which databases compare it: 0001-01-01 in a zone east of it does not."""

    def to_python(self, value: Any) -> datetime | None:
        """Return the time. Raises ValidationError if it is none, or is out of range."""
        moment: datetime | None = super().to_python(value)
        try:
            return moment and moment.astimezone(UTC)
        except OverflowError:
            raise ValidationError("This time is out of range: use one of the years 2 to 9998.") from None


class MomentFilter(IsoDateTimeFilter):
    """Filter by a time."""

    field_class = MomentField


class _Named:
    """Form field that names a row; its validated value is the row itself."""

    rows: ClassVar[QuerySet[Any]]
    noun: ClassVar[str]
    key = "slug"

    def run_validation(self, data: Any = fields.empty) -> Any:
        """Return the row, or None for null. Raises ValidationError if there is no such row."""
        name = super().run_validation(data)  # type: ignore[misc]
        row = None if name is None else self.rows.filter(**{self.key: name}).first()
        if row is None and name is not None:
            raise serializers.ValidationError(f"There is no {self.noun} {name!r}.")
        return row


class PersonField(_Named, serializers.CharField):
    """Account, by username."""

    rows, noun, key = User.objects.all(), "account", "username"


class BotField(_Named, serializers.SlugField):
    """Bot, by slug."""

    rows, noun = Bot.objects.select_related("team"), "bot"


class TeamField(_Named, serializers.SlugField):
    """Team, by slug."""

    rows, noun = Team.objects.all(), "team"


class LadderField(_Named, serializers.SlugField):
    """Ladder, by slug."""

    rows, noun = Ladder.objects.all(), "ladder"


class VersionField(_Named, serializers.IntegerField):
    """Version, by ID."""

    rows, noun, key = Version.objects.select_related("bot__owner", "bot__team"), "version", "pk"

    def __init__(self, **options: Any) -> None:
        super().__init__(min_value=1, max_value=LARGEST_ID, **options)


class Computed(serializers.Field):
    """Read-only field: the value that `read` returns for the row, serialised by the field or serializer `form`."""

    def __init__(self, read: Callable[[Any], Any], form: serializers.Field, **options: Any) -> None:
        super().__init__(source="*", read_only=True, **options)
        self.read, self.form = read, form
        set_override(self, "field", form)

    def to_representation(self, row: Any) -> Any:
        """Return the value as serialised by `form`, or None."""
        value = self.read(row)
        return None if value is None else self.form.to_representation(value)


class SeedField(serializers.IntegerField):
    """Random seed; drawn if omitted."""

    def __init__(self, **options: Any) -> None:
        super().__init__(min_value=0, max_value=LARGEST_ID, default=partial(secrets.randbits, 63), **options)
