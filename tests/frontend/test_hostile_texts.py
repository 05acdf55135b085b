"""Untrusted text, at every URL and for every kind of reader, is shown as text and harms nothing around it."""

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode, urljoin
from xml.etree import ElementTree as ET

import pytest
from django.contrib import admin
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from engines.manifest import parse_manifest
from tests.frontend.every_address import NAMELESS, addresses, examples, names, one_of_each
from tests.frontend.page_reader import Form, Page
from tests.frontend.untrusted import MARKER, NAMES, UNSHOWN, free
from tests.frontend.whole_site import WholeSite, fill
from tests.tournaments.api.contract import schema
from tournaments.services.notices import mailing
from tournaments.services.notices.kinds import KINDS

pytestmark = [pytest.mark.slow, pytest.mark.django_db]
# The query parameters that views read.
QUERY = ("q", "turn", "before", "after", "since", "attempt", "round", "theme", "ladder", "event", "bot", "vs",
         "ruleset", "ended_by", "result", "stones", "first", "second", "next", "page", "status", "sort", "in",
         "from", "to")
# SGF with properties whose values are in brackets; a backslash escapes a character that would end a value.
SGF = re.compile(r"\(;(?:[A-Z]{1,2}(?:\[(?:[^\]\\]|\\.)*\]\s*)+|;|\s)*\)\s*", re.DOTALL)


@pytest.fixture
def site(settings, redis_url, tmp_path) -> WholeSite:
    settings.STORAGES = {**settings.STORAGES, "default": {**settings.STORAGES["default"],
                                                          "OPTIONS": {"location": str(tmp_path)}}}
    return fill(settings)


@pytest.fixture
def people(site) -> dict[str, Client]:
    """Return clients of a visitor, of the owner of all objects, and of staff."""
    clients = {who: Client(raise_request_exception=False) for who in ("anybody", "owner", "staff")}
    clients["owner"].force_login(site.owner)
    clients["staff"].force_login(site.staff)
    return clients


def faults(answer: HttpResponse) -> list[str]:
    """Return what is wrong with a response of any kind."""
    kind = answer["Content-Type"].partition(";")[0]
    content = answer.getvalue()
    wrong = [f"status {answer.status_code}"] if answer.status_code >= 500 else []
    wrong += [f"{name}: {value!r}" for name, value in answer.items() if not f"{name}{value}".isprintable()]
    if answer.get("X-Content-Type-Options") != "nosniff":
        wrong.append("browsers may guess its type")
    match kind:
        case "text/html":
            return [*wrong, *Page(content.decode()).faults]
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
    if kind.startswith("text/") or kind == "application/x-go-sgf":
        wrong += [f"it has {sign!a}" for sign in UNSHOWN & set(content.decode())]
    return wrong


def _faults_of_xml(content: bytes) -> Iterator[str]:
    for element in ET.fromstring(content).iter():  # noqa: S314 - our own answer
        texts = [element.text or "", element.tail or "", *element.attrib.values()]
        yield from (f"{element.tag} has {sign!a}" for sign in UNSHOWN & set("".join(texts)))
        if MARKER in element.tag or any(MARKER in name or name.startswith("on") for name in element.attrib):
            yield f"a text became markup: {element.tag}"


def _markup(answer: HttpResponse) -> list[str]:
    """Return texts that became markup in a page of Django's admin, which does not isolate texts."""
    assert answer.status_code == 200
    return [fault for fault in Page(answer.content.decode()).faults if "became markup" in fault]


def forms(answer: HttpResponse) -> list[Form]:
    """Return the forms of a page; none for other responses."""
    is_page = answer.status_code == 200 and answer["Content-Type"].startswith("text/html")
    return Page(answer.content.decode()).forms if is_page else []


class TestEveryUrl:
    def test_has_an_example_here(self, site):
        assert names() == set(examples(site))

    def test_shows_hostile_texts_as_texts(self, site, people):
        wrong = []
        for name, address in [*addresses(site), *(("nameless", path) for path in NAMELESS)]:
            answers = {who: client.get(address) for who, client in people.items()}
            wrong += [f"{name} {address[:60]} for {who}: {fault}" for who, answer in answers.items()
                      for fault in faults(answer)]
        assert not wrong, f"{len(wrong)}\n" + "\n".join(dict.fromkeys(wrong))

    def test_accepts_hostile_queries(self, site, people):
        wrong = []
        for name, address in one_of_each(site):
            for text in (free(3000), "9" * 40):
                answer = people["owner"].get(address, dict.fromkeys(QUERY, text))
                wrong += [f"{name}: {fault}" for fault in faults(answer)]
        assert not wrong, "\n".join(dict.fromkeys(wrong))

    @pytest.mark.parametrize("text", [free(10_000), free(50), "\ud800\0"], ids=["long", "short", "no text"])
    def test_accepts_hostile_forms(self, site, people, text):
        owner, wrong = people["owner"], []
        for name, address in one_of_each(site):
            answer = owner.get(address)
            for form in forms(answer):
                filled = urlencode(form.fields | dict.fromkeys(form.texts, text), errors="surrogatepass")
                target = urljoin(address, form.action)
                sent = (owner.post(target, filled, content_type="application/x-www-form-urlencoded", follow=True)
                        if form.posts else owner.get(f"{target}?{filled}"))
                wrong += [f"{name} {form.action}: {fault}" for fault in faults(sent)]
                owner.force_login(site.owner)
        assert not wrong, "\n".join(dict.fromkeys(wrong))


class TestTheApi:
    def test_answers_with_hostile_texts_as_json(self, site, people):
        wrong = []
        for path in schema()["paths"]:
            for address in _filled(path, site, people["staff"]):
                for who, client in people.items():
                    wrong += [f"{address} for {who}: {fault}" for fault in faults(client.get(address))]
        assert not wrong, "\n".join(dict.fromkeys(wrong))

    @pytest.mark.parametrize("text", [free(10_000), free(50), "\ud800", "\0"], ids=["long", "short", "half", "NUL"])
    def test_accepts_hostile_texts(self, site, people, text):
        wrong = []
        for path, verbs in schema()["paths"].items():
            addresses = list(_filled(path, site, people["staff"]))[:1]
            for verb, operation in verbs.items():
                body = _body_of(operation, text)
                if verb in ("post", "put", "patch") and body is not None:
                    wrong += [f"{verb} {address}: {fault}" for address in addresses for who in ("owner", "staff")
                              for fault in faults(people[who].generic(verb, address, body, "application/json"))]
        assert not wrong, "\n".join(dict.fromkeys(wrong))


def _filled(path: str, site: WholeSite, staff: Client) -> Iterator[str]:
    """Fill the path with the key of each row in the corresponding list."""
    if "{" not in path:
        yield path
        return
    if path.startswith("/api/openings/"):
        yield path.replace("{ruleset}", site.ladder.ruleset).replace("{size}", str(site.ladder.size))
        return
    before, _, rest = path.partition("{")
    name, _, after = rest.partition("}")
    if name == "token":
        row = site.question if "questions" in path else site.casual_games[0]
        yield f"{before}{row.token}{after}"
        return
    listed = staff.get(before, {"page_size": 100}).json()
    for row in listed["results"] if isinstance(listed, dict) else listed:
        yield f"{before}{row[name]}{after}"


def _body_of(operation: dict, text: str) -> str | None:
    """Return a body with `text` in every text field; as JSON, the way a careless client would send it."""
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    return None if content is None else json.dumps(_example(content["schema"], text))


def _example(shape: dict, text: str) -> Any:
    if "$ref" in shape:
        return _example(schema()["components"]["schemas"][shape["$ref"].rpartition("/")[2]], text)
    if "properties" in shape:
        return {name: _example(part, text) for name, part in shape["properties"].items()}
    for whole in ("allOf", "oneOf", "anyOf"):
        if whole in shape:
            return _example(shape[whole][0], text)
    if "enum" in shape:
        return shape["enum"][0]
    kind = shape.get("type", "string")
    kind = kind if isinstance(kind, str) else kind[0]
    return {"array": [text], "integer": 1, "number": 1.5, "boolean": True, "object": {text: text}}.get(kind, text)


class TestTheAdmin:
    def test_shows_hostile_texts_as_texts(self, site, people):
        wrong = []
        for model in admin.site._registry:
            name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
            rows = model.objects.all()[:3]
            paths = [reverse(f"{name}_changelist"), *(reverse(f"{name}_{page}", args=[row.pk]) for row in rows
                                                      for page in ("change", "history"))]
            wrong += [f"{path}: {fault}" for path in paths for fault in _markup(people["staff"].get(path))]
        wrong += [f"{page}: {fault}" for page in ("index", "live", "faults", "voids")
                  for fault in _markup(people["staff"].get(reverse(f"admin:{page}")))]
        assert not wrong, "\n".join(dict.fromkeys(wrong))


class TestMail:
    def test_has_a_one_line_subject_for_any_name(self, site):
        for kind in KINDS:
            payload = dict.fromkeys(("event", "name", "bot", "refusal", "step", "reason", "ladder", "url"), free(900))
            subject, body = mailing.text(kind, payload)
            assert subject.isprintable()
            assert not UNSHOWN & set(body)


class TestValidation:
    @pytest.mark.parametrize("name", NAMES)
    def test_accepts_the_hostile_names(self, name):
        assert parse_manifest(f"name = {json.dumps(name)}\ncommand = ['x']\n").name == name
