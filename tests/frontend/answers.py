"""Requests to a `WholeSite` by its readers, and what may be wrong with an answer of any kind."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from http.cookies import SimpleCookie
from typing import Any
from xml.etree import ElementTree as ET

from django.db import transaction
from django.test import Client

from tests.frontend.page_reader import Form, Page
from tests.frontend.untrusted import MARKER, UNSHOWN
from tests.frontend.whole_site import WholeSite

# SGF with properties whose values are in brackets; a backslash escapes a character that would end a value.
SGF = re.compile(r"\(;(?:[A-Z]{1,2}(?:\[(?:[^\]\\]|\\.)*\]\s*)+|;|\s)*\)\s*", re.DOTALL)


@dataclass
class Answer:
    """What a test needs of a response; a response itself would keep all templates and rows in memory."""

    status: int
    headers: dict[str, str]
    content: bytes

    @property
    def kind(self) -> str:
        return self.headers["Content-Type"].partition(";")[0]

    @cached_property
    def page(self) -> Page | None:
        return Page(self.content.decode()) if self.kind == "text/html" else None

    @property
    def forms(self) -> list[Form]:
        return self.page.forms if self.page and self.status == 200 else []

    @property
    def is_whole_page(self) -> bool:
        """Whether this is the requested page, not a part, picture, feed or redirect."""
        return self.status == 200 and self.content.lstrip().lower().startswith(b"<!doctype")


class Reader:
    """A visitor or user, whose requests change nothing: each is undone."""

    def __init__(self, user: Any = None) -> None:
        self._client = Client(raise_request_exception=False)
        if user is not None:
            self._client.force_login(user)
        self._cookies = {name: morsel.value for name, morsel in self._client.cookies.items()}

    def get(self, address: str, query: dict[str, str] | None = None) -> Answer:
        return self.send("get", address, query or {})

    def send(self, verb: str, address: str, *arguments: Any, **options: Any) -> Answer:
        with undone():
            self._client.cookies = SimpleCookie(self._cookies)
            response = getattr(self._client, verb)(address, *arguments, **options)
            return Answer(response.status_code, dict(response.items()), response.getvalue())


@contextmanager
def undone() -> Iterator[None]:
    """Roll back what the block writes."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def readers(site: WholeSite) -> dict[str, Reader]:
    """Return a visitor, the owner of all objects, and staff."""
    return {"anybody": Reader(), "owner": Reader(site.owner), "staff": Reader(site.staff)}


def faults(answer: Answer) -> list[str]:
    """Return what is wrong with an answer."""
    wrong = [f"status {answer.status}"] if answer.status >= 500 else []
    wrong += [f"{name}: {value!r}" for name, value in answer.headers.items() if not f"{name}{value}".isprintable()]
    if answer.headers.get("X-Content-Type-Options") != "nosniff":
        wrong.append("browsers may guess its type")
    content = answer.content
    match answer.kind:
        case "text/html":
            return [*wrong, *answer.page.faults]
        case "application/atom+xml" | "image/svg+xml":
            return [*wrong, *_faults_of_xml(content)]
        case "application/json" | "application/problem+json" | "application/vnd.oai.openapi":
            json.loads(content)
        case "application/x-go-sgf" if not SGF.fullmatch(content.decode()):
            wrong.append("it is not valid SGF")
        case "image/png" if not content.startswith(b"\x89PNG"):
            wrong.append("it is not a PNG")
        case "image/gif" if not content.startswith(b"GIF89a"):
            wrong.append("it is not a GIF")
    if answer.kind.startswith("text/") or answer.kind == "application/x-go-sgf":
        wrong += [f"it has {sign!a}" for sign in UNSHOWN & set(content.decode())]
    return wrong


def _faults_of_xml(content: bytes) -> Iterator[str]:
    for element in ET.fromstring(content).iter():  # noqa: S314 - our own answer
        texts = [element.text or "", element.tail or "", *element.attrib.values()]
        yield from (f"{element.tag} has {sign!a}" for sign in UNSHOWN & set("".join(texts)))
        if MARKER in element.tag or any(MARKER in name or name.startswith("on") for name in element.attrib):
            yield f"a text became markup: {element.tag}"
