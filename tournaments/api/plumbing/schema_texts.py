"""Schema of text fields. In a module of its own, because DRF imports it before it knows any view."""

from typing import Any

from django.core.validators import RegexValidator
from drf_spectacular.openapi import AutoSchema
from rest_framework import serializers


class TextsSchema(AutoSchema):
    """Schema that marks texts in requests as non-empty unless blanks are allowed; texts in answers can be empty."""

    def _get_serializer_field_meta(self, field: Any, direction: str) -> dict[str, Any]:
        meta = super()._get_serializer_field_meta(field, direction)
        if direction == "request" and isinstance(field, serializers.CharField) and not field.allow_blank:
            meta["minLength"] = 1
            if field.trim_whitespace and not any(isinstance(each, RegexValidator) for each in field.validators):
                meta["pattern"] = r"\S"
        return meta
