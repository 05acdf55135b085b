"""Declarations for view-set operations that only wrap a function of the domain.

`Verb` validates the form, calls a service function and answers with its result; `Read` answers with a read of one row.
The schema takes the form and the answer from the same declaration.
"""

from collections.abc import Callable
from typing import Any, Final

from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.serializers import BaseSerializer

from tournaments.web.errors import refusable

# Operations that a router finds by name; all others are extra actions.
_OF_THE_ROUTER: Final = ("create", "partial_update", "destroy")
_ANSWERS: Final = {200: "ok", 201: "created", 202: "taken", 204: "gone"}


class _Operation:
    """Attribute of a view set that turns into a method once its name and its view set are known."""

    def __set_name__(self, owner: type, name: str) -> None:
        setattr(owner, name, self.method(owner, name))

    def method(self, owner: Any, name: str) -> Callable[..., Response]:
        """Return the method for the view set `owner`."""
        raise NotImplementedError


class Verb(_Operation):
    """Writing operation with the description `text`.

    `call` is the service function. It is passed the validated data of the `form`, the requesting user under the name
    `actor`, `now`, and, unless it creates a row, the row of the URL under the name of its model. Its result is
    serialised by `answer`, or by default by the view set's own serializer; a view set that is `fresh` reads the row
    again first. `located` adds the header Location. Other options are passed to DRF's `action`.
    """

    def __init__(self, call: Callable[..., Any], text: str, *, form: type[BaseSerializer] | None = None,
                 answer: type[BaseSerializer] | None = None, code: int = status.HTTP_200_OK, actor: str = "actor",
                 located: bool = False, media_type: str = "", **options: Any) -> None:
        self.call, self.text, self.form, self.answer, self.code, self.actor = call, text, form, answer, code, actor
        self.located, self.media_type, self.options = located, media_type, options

    def method(self, owner: Any, name: str) -> Callable[..., Response]:
        """Return the method, with its schema."""
        noun = owner.queryset.model._meta.model_name  # noqa: SLF001 - Django's documented way to a model's facts

        def run(view: Any, request: Request, **address: str) -> Response:
            row = view.get_object() if address else None
            facts = facts_of(self.form, request.data, request=request) if self.form else {}
            if row is not None:
                facts[noun] = row
            done = self.call(**facts, **{self.actor: request.user}, now=timezone.now())
            return self._respond(view, row or done if getattr(view, "fresh", False) else done)

        answer = None if self.code == status.HTTP_204_NO_CONTENT else self.answer or owner.serializer_class
        run.__name__, run.__doc__ = name, self.text
        if name not in _OF_THE_ROUTER:
            run = action(detail=True, methods=["post"], url_path=name.replace("_", "-"), **self.options)(run)
        return extend_schema(
            request={self.media_type: self.form} if self.media_type else self.form,
            responses=refusable(malformed=self.form is not None, **{_ANSWERS[self.code]: answer}))(run)

    def _respond(self, view: Any, row: Any) -> Response:
        if self.code == status.HTTP_204_NO_CONTENT:
            return Response(status=self.code)
        if getattr(view, "fresh", False):
            row = view.get_queryset().get(pk=row.pk)
        shown = self.answer(row, context=view.get_serializer_context()) if self.answer else view.get_serializer(row)
        headers = {}
        if self.located:
            headers["Location"] = reverse(f"{view.basename}-detail", args=[getattr(row, view.lookup_field)],
                                          request=view.request)
        return Response(shown.data, status=self.code, headers=headers)


class Read(_Operation):
    """Reading operation on one row, with the description `text`; `answer` serialises the result of `read`.

    `many` means that `read` returns several rows. With a `pagination` it returns a query set, and the answer is a page.
    """

    def __init__(self, read: Callable[[Any], Any], text: str, answer: type[BaseSerializer], *, many: bool = True,
                 pagination: type | None = None) -> None:
        self.read, self.text, self.answer, self.many, self.pagination = read, text, answer, many, pagination

    def method(self, owner: Any, name: str) -> Callable[..., Response]:
        """Return the method, with its schema."""
        def run(view: Any, *_: Request, **__: str) -> Response:
            found = self.read(view.get_object())
            page = view.paginate_queryset(found) if self.pagination else None
            shown = self.answer(found if page is None else page, many=self.many, context=view.get_serializer_context())
            return Response(shown.data) if page is None else view.get_paginated_response(shown.data)

        run.__name__, run.__doc__ = name, self.text
        extra = action(detail=True, pagination_class=self.pagination, filterset_class=None)(run)
        return extend_schema(responses=self.answer(many=self.many))(extra)


def described(**texts: str) -> Callable[[type], type]:
    """Return a decorator that describes the inherited operations of a view set."""
    return extend_schema_view(**{name: extend_schema(description=text) for name, text in texts.items()})


def facts_of(form: type[BaseSerializer], data: Any, **context: Any) -> dict[str, Any]:
    """Return the submitted data as validated by the form. Raises ValidationError."""
    filled = form(data=data, context=context)
    filled.is_valid(raise_exception=True)
    return dict(filled.validated_data)
