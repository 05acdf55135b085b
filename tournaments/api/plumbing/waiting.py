"""The field `waiting`: reasons why something waits, read once for all rows of a list."""

from collections.abc import Callable, Sequence
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from tournaments.selectors.ladders.waiting import Reason, Wait, Waits


class WaitSerializer(serializers.Serializer):
    reason = serializers.ChoiceField([str(reason) for reason in Reason], help_text="Reason for waiting.")
    text = serializers.CharField(help_text="The reason as a sentence, with a time or a number where known.")


class _Rows(serializers.ListSerializer):
    def to_representation(self, data: Any) -> list[Any]:
        rows = list(data)
        self.child.waits = self.child.waits_of(rows)
        return super().to_representation(rows)


# Serializer with the field `waiting`; `why` is the method of `Waits` that returns the reasons for its rows. A comment,
# because subclasses would show a docstring in the schema.
class WaitingSerializer(serializers.ModelSerializer):
    waiting = serializers.SerializerMethodField(
        help_text="Reasons why no game is being played at the moment; empty while one is, and when it is over.")
    why: Callable[[Waits, Sequence[Any]], dict[int, list[Wait]]]
    waits: dict[int, list[Wait]] | None = None

    class Meta:
        list_serializer_class = _Rows

    def waits_of(self, rows: Sequence[Any]) -> dict[int, list[Wait]]:
        """Return the reasons for these rows, by row ID."""
        return type(self).why(Waits(timezone.now()), rows)

    @extend_schema_field(WaitSerializer(many=True))
    def get_waiting(self, row: Any) -> list[dict[str, str]]:
        waits = self.waits_of([row]) if self.waits is None else self.waits
        return [{"reason": str(wait.reason), "text": wait.text} for wait in waits[row.pk]]
