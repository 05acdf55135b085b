"""Untrusted text, at every URL and for every kind of reader, is shown as text and harms nothing around it.

One site is filled and each URL is requested once for each reader; the tests look at these answers.
"""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode, urljoin, urlsplit

import pytest
from django.contrib import admin
from django.db import connection
from django.urls import resolve, reverse

from engines.manifest import parse_manifest
from tests.effort import ALL
from tests.frontend.answers import Answer, Reader, faults, readers
from tests.frontend.every_address import NAMELESS, addresses, examples, names
from tests.frontend.page_reader import HEADS, Form, head_of
from tests.frontend.untrusted import NAMES, UNSHOWN, free
from tests.frontend.whole_site import WholeSite, whole_site
from tests.tournaments.api.contract import schema
from tournaments.services.notices import mailing
from tournaments.services.notices.kinds import KINDS

pytestmark = [pytest.mark.slow, pytest.mark.django_db, pytest.mark.xdist_group("the whole site")]
# The query parameters that views read.
QUERY = ("q", "turn", "before", "after", "since", "attempt", "round", "theme", "ladder", "event", "bot", "vs",
         "ruleset", "ended_by", "result", "stones", "first", "second", "next", "page", "status", "sort", "in",
         "from", "to")
# No other site links to what browsers show without a network, and to lists for pip.
NOT_LINKED = {"offline", "download-index"}


@pytest.fixture(scope="module")
def site(module_db: None, redis_server: str) -> Iterator[WholeSite]:
    with whole_site() as site:
        yield site


@pytest.fixture(scope="module")
def people(site: WholeSite) -> dict[str, Reader]:
    return readers(site)


class Answers:
    """The answers at every address, by name and address, to each reader for whom a test needs them."""

    def __init__(self, site: WholeSite, people: dict[str, Reader]) -> None:
        self._every = [*addresses(site), *(("nameless", path) for path in NAMELESS)]
        self._people = people
        self._kept: dict[str, dict[tuple[str, str], Answer]] = {}

    def to(self, who: str) -> dict[tuple[str, str], Answer]:
        if who not in self._kept:
            self._kept[who] = {(name, address): self._people[who].get(address) for name, address in self._every}
        return self._kept[who]


@pytest.fixture(scope="module")
def answers(site: WholeSite, people: dict[str, Reader]) -> Answers:
    return Answers(site, people)


@pytest.fixture(scope="module")
def paths(site: WholeSite, people: dict[str, Reader]) -> dict[str, list[str]]:
    """Return the addresses of each of the schema's paths, for the first and the last row."""
    lists: dict[str, list[dict]] = {}

    def rows(address: str) -> list[dict]:
        if address not in lists:
            found = json.loads(people["staff"].get(address, {"page_size": "100"}).content)
            found = found["results"] if isinstance(found, dict) else found
            lists[address] = [found[place] for place in sorted({0, len(found) - 1})] if found else []
        return lists[address]

    return {path: list(filled(path, site, rows)) for path in schema()["paths"]}


class TestEveryUrl:
    def test_has_an_example_here(self, site: WholeSite) -> None:
        assert names() == set(examples(site))

    def test_shows_hostile_texts_as_texts(self, answers: Answers, people: dict[str, Reader]) -> None:
        wrong = [f"{name} {address[:60]} for {who}: {fault}" for who in people
                 for (name, address), answer in answers.to(who).items() for fault in faults(answer)]
        assert not wrong, f"{len(wrong)}\n" + "\n".join(dict.fromkeys(wrong))

    def test_accepts_hostile_queries(self, answers: Answers, people: dict[str, Reader]) -> None:
        read = {name: address for (name, address), answer in answers.to("owner").items() if answer.status == 200}
        wrong = [f"{name}: {fault}" for name, address in read.items() for text in (free(3000), "9" * 40)
                 for fault in faults(people["owner"].get(address, dict.fromkeys(QUERY, text)))]
        assert not wrong, "\n".join(dict.fromkeys(wrong))

    @pytest.mark.database
    def test_accepts_hostile_forms(self, answers: Answers, people: dict[str, Reader]) -> None:
        owner, wrong = people["owner"], []
        for target, form in different_forms(answers):
            for text in form_texts():
                filled = urlencode(form.fields | dict.fromkeys(form.texts, text), errors="surrogatepass")
                sent = (owner.send("post", target, filled, content_type="application/x-www-form-urlencoded",
                                   follow=True) if form.posts else owner.get(f"{target}?{filled}"))
                wrong += [f"{target} with {text[:9]!a}: {fault}" for fault in faults(sent)]
        assert not wrong, "\n".join(dict.fromkeys(wrong))


def form_texts() -> list[str]:
    """Return texts for forms. Of the databases, only PostgreSQL limits the length of texts and refuses some signs."""
    every = {"long": free(10_000), "short": free(50), "no text": "\ud800\0"}
    left_out = "" if ALL else "short" if connection.vendor == "postgresql" else "long"
    return [text for name, text in every.items() if name != left_out]


def different_forms(answers: Answers) -> list[tuple[str, Form]]:
    """Return the owner's forms with their targets, once for each view and set of fields."""
    found = {}
    for (_, address), answer in answers.to("owner").items():
        for form in answer.forms:
            target = urljoin(address, form.action)
            view = resolve(urlsplit(target).path).view_name
            found.setdefault((view, form.posts, frozenset(form.fields)), (target, form))
    return list(found.values())


class TestEveryPublicPage:
    def test_has_a_title_a_description_and_a_picture(self, answers: Answers, people: dict[str, Reader]) -> None:
        public = answers.to("anybody")
        pages = {address: head_of(answer.content.decode()) for (name, address), answer in public.items()
                 if answer.is_whole_page and name not in NOT_LINKED}
        assert len(pages) > 50
        known = {address: answer for (_, address), answer in public.items()}
        pictures, wrong = {}, []
        for address, head in pages.items():
            wrong += [f"{address} has no {wanted}" for wanted in (*HEADS, "og:image") if not head.get(wanted)]
            if not head["title"].startswith(head["og:title"]):
                wrong.append(f"{address}: {head['title']}")
            pictures[head["og:image"]] = address
        for picture, address in pictures.items():
            path = picture.removeprefix("http://testserver")
            answer = known.get(path) or people["anybody"].get(path)
            if answer.kind != "image/png" or path == picture:
                wrong.append(f"{address}: {picture} is no picture of this site")
        assert not wrong, "\n".join(wrong)


class TestTheApi:
    def test_answers_with_hostile_texts_as_json(self, paths: dict[str, list[str]], people: dict[str, Reader]) -> None:
        wrong = [f"{address} for {who}: {fault}" for path, verbs in schema()["paths"].items() if "get" in verbs
                 for address in paths[path] for who, reader in people.items()
                 for fault in faults(reader.get(address))]
        assert not wrong, "\n".join(dict.fromkeys(wrong))

    @pytest.mark.database
    def test_accepts_hostile_texts(self, paths: dict[str, list[str]], people: dict[str, Reader]) -> None:
        wrong = []
        for path, verbs in schema()["paths"].items():
            for verb, operation in verbs.items():
                for text in (free(10_000), free(50), "\ud800", "\0"):
                    body = body_of(operation, text)
                    if verb not in ("post", "put", "patch") or body is None or not paths[path]:
                        continue
                    for who in ("owner", "staff"):
                        answer = people[who].send(verb, paths[path][0], body, content_type="application/json")
                        if answer.status != 403:
                            break
                    wrong += [f"{verb} {path} with {text[:9]!a}: {fault}" for fault in faults(answer)]
        assert not wrong, "\n".join(dict.fromkeys(wrong))


def filled(path: str, site: WholeSite, rows: Any) -> Iterator[str]:
    """Fill the path with the keys of `rows`, which returns rows of the list at an address."""
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
    yield from (f"{before}{row[name]}{after}" for row in rows(before))


def body_of(operation: dict, text: str) -> str | None:
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
    def test_shows_hostile_texts_as_texts(self, site: WholeSite, people: dict[str, Reader]) -> None:
        """Django's admin does not isolate texts, so only markup is looked for."""
        paths = [reverse(f"admin:{page}") for page in ("index", "live", "faults", "voids")]
        for model in admin.site._registry:
            name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
            paths.append(reverse(f"{name}_changelist"))
            # The last rows have names that only a bug could let in.
            if (row := model.objects.order_by("pk").last()) is not None:
                paths += [reverse(f"{name}_{page}", args=[row.pk]) for page in ("change", "history")]
        wrong = []
        for path in paths:
            answer = people["staff"].get(path)
            wrong += [f"{path}: status {answer.status}"] * (answer.status != 200)
            wrong += [f"{path}: {fault}" for fault in answer.page.faults if "became markup" in fault]
        assert not wrong, "\n".join(dict.fromkeys(wrong))


class TestMail:
    def test_has_a_one_line_subject_for_any_name(self, site: WholeSite) -> None:
        for kind in KINDS:
            payload = dict.fromkeys(("event", "name", "bot", "refusal", "step", "reason", "ladder", "url"), free(900))
            subject, body = mailing.text(kind, payload)
            assert subject.isprintable()
            assert not UNSHOWN & set(body)


class TestValidation:
    def test_accepts_the_hostile_names(self) -> None:
        for name in NAMES:
            assert parse_manifest(f"name = {json.dumps(name)}\ncommand = ['x']\n").name == name
