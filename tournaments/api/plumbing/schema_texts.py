"""What the generated schema says of texts. On its own: DRF reads it before it knows any view."""

from typing import Any

from django.core.validators import RegexValidator
from drf_spectacular.openapi import AutoSchema
from rest_framework import serializers


class TextsSchema(AutoSchema):
    """Says of a text in a request that it may not be empty, unless it may; what is answered may always be."""

    def _get_serializer_field_meta(self, field: Any, direction: str) -> dict[str, Any]:
        meta = super()._get_serializer_field_meta(field, direction)
        if direction == "request" and isinstance(field, serializers.CharField) and not field.allow_blank:
            meta["minLength"] = 1
            if field.trim_whitespace and not any(isinstance(each, RegexValidator) for each in field.validators):
                meta["pattern"] = r"\S"
        return meta
