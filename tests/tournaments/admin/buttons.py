"""The admin's addresses, and the buttons and actions on its pages."""

from typing import Any

from django.contrib.messages import get_messages
from django.db.models import Model
from django.test import Client
from django.urls import reverse


def at(model: type[Model], page: str, *args: object) -> str:
    """Return the address of a model's page."""
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


def buttons(client: Client, row: Model) -> list[str]:
    """Return the verbs that the row's page offers."""
    return list(client.get(at(type(row), "change", row.pk)).context["buttons"])


def press(client: Client, row: Model, verb: str) -> list[str]:
    """Press a button on the row's page and return the messages shown."""
    answer = client.post(at(type(row), "change", row.pk), {"verb": verb})
    assert answer.status_code == 302
    return said(answer)


def choose(client: Client, row: Model, verb: str) -> Any:
    """Choose the action in the list for the row."""
    return client.post(at(type(row), "changelist"), {"action": verb, "_selected_action": [row.pk]})


def said(answer: Any) -> list[str]:
    """Return the messages of an answer."""
    return [str(message) for message in get_messages(answer.wsgi_request)]
