"""Fields of filters and forms that the database can compare with its own."""

from typing import Any, Final

from django import forms
from django.db.models import BigAutoField
from django_filters.rest_framework import NumberFilter

_LARGEST_ID: Final = BigAutoField.MAX_BIGINT


class RowIdField(forms.IntegerField):
    """The id of a row, which a database integer can hold; of rows that there are not, too."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{**options, "min_value": 0, "max_value": _LARGEST_ID})


class RowIdFilter(NumberFilter):
    """Rows by the id of another."""

    field_class = RowIdField
