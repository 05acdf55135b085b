"""Documents, rules, starter kits and the API's documentation: complete, as in the repository, without broken links."""

import io
import re
import shlex
import zipfile
from functools import cache
from html import unescape
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

import pytest
import yaml
from django.test import Client
from django.urls import Resolver404, resolve, reverse

from engines.rules.errors import IllegalTurn
from engines.rules.registry import RULESETS
from frontend.documents import examples, library, reference
from frontend.documents.markdown import Text, read
from tests.frontend.visits import body
from tournaments.kit.new import LANGUAGES, begin

pytestmark = pytest.mark.django_db


def anchors(text: Text) -> list[str]:
    """Return the anchors in the document that links may use."""
    return [heading.anchor for section in text.sections for heading in (section.heading, *section.below)]


class Page(NamedTuple):
    """The targets of a page's links, and its anchors."""

    links: list[str]
    ids: list[str]

    @classmethod
    def at(cls, address: str) -> "Page":
        text = body(Client(), address)
        return cls([urljoin(address, unescape(link)) for link in re.findall(r'<a\s[^>]*?href="([^"]*)"', text)],
                   re.findall(r'<[^>]*? id="([^"]*)"', text))


@pytest.fixture(scope="module")
def pages(module_db):
    """Return every page of rules and documents by address."""
    return {address: Page.at(address) for address in (
        reverse("documents"), reverse("rules"), *(reverse("rule", args=[slug]) for slug in RULESETS),
        *(document.address for document in map(library.find, library.files())))}


class TestEveryDocument:
    @pytest.mark.slow
    def test_is_a_page_with_its_title_and_is_listed(self, pages):
        listed = pages[reverse("documents")]
        for document in map(library.find, library.files()):
            assert document.text.title, document.name
            assert document.address in listed.links

    def test_links_to_existing_pages_and_headings(self, pages):
        for link, address in {link: address for address, page in pages.items() for link in page.links}.items():
            parts = urlsplit(link)
            if not parts.scheme:
                try:
                    resolve(parts.path)
                except Resolver404:
                    pytest.fail(f"{address}: {link}")
                assert not parts.fragment or parts.path not in pages or parts.fragment in pages[parts.path].ids, (
                    address, link)

    def test_links_to_every_named_file_with_a_page(self):
        links = [(path, link) for path in library.DOCS.rglob("*.md")
                 for link in re.findall(r"\]\(([^)\s]+)\)", path.read_text())]
        assert links
        lost = [(path.name, link) for path, link in links
                if library.resolve(path.relative_to(library.DOCS).as_posix(), link) is None]
        assert lost == []

    def test_has_unique_anchors_and_takes_no_query(self, client, pages, django_assert_num_queries):
        for address, page in pages.items():
            assert len(page.ids) == len(set(page.ids)), address
        with django_assert_num_queries(0):
            for address in (reverse("documents"), reverse("rule", args=["squ"]), "/docs/write-a-bot/"):
                body(client, address)

    def test_is_not_found_under_an_unknown_name(self, client):
        for address in ("/docs/nothing/", "/docs/decisions/nothing/", "/rules/chess/", "/docs/openapi/",
                        "/docs/starters/cobol.zip", "/docs/decisions/", "/docs/..%2fREADME/"):
            assert client.get(address).status_code == 404, address


class TestMarkdown:
    def test_escapes_html(self):
        source = "# T\n\n<script>alert(1)</script>\n\n## H\n\n[x](javascript:alert(1)) <b>b</b>\n"
        text = read(source, lambda link: link)
        assert not re.findall('<script|<b>|href="javascript', text.lead + text.sections[0].html)

    def test_keeps_the_text_of_links_and_pictures_without_target(self):
        text = read("# T\n\nsee [the *file*](x.py) and [that](y), ![a board](x.png)\n",
                    lambda link: "/y/" if link == "y" else None)
        assert text.lead == '<p>see the <em>file</em> and <a href="/y/">that</a>, a board</p>\n'

    def test_gives_equal_headings_different_anchors(self):
        text = read("# T\n\n## Rules\n\n### Rules\n\n## Rules\n", lambda link: link)
        assert [*anchors(text)] == ["rules", "rules-2", "rules-3"]

    def test_leaves_out_an_empty_table_head(self):
        text = read("# T\n\n| | |\n|---|---|\n| a | b |\n\n| h | |\n|---|---|\n| c | d |\n", lambda link: link)
        assert text.lead.count("<thead>") == 1
        assert text.lead.count("<tbody>") == 2

    def test_reads_a_document_without_sections(self):
        text = read("# Only a title\n\nOne sentence. And another.\n", lambda link: link)
        assert (text.title, text.summary, text.sections) == ("Only a title", "One sentence.", ())


class TestRules:
    @pytest.mark.parametrize("slug", RULESETS)
    def test_show_boards_under_existing_headings_and_a_complete_legal_game(self, slug):
        shown = examples.boards(slug)
        assert {each.under for each in shown} <= set(anchors(library.rules(slug)))
        assert {bool(each.refusal) for each in shown} == {True, False}
        document = examples.short_game(slug)
        assert document["result"]["reason"]
        assert document["turns"]

    def test_cannot_show_a_legal_turn_as_refused_or_vice_versa(self, monkeypatch):
        entry = {"under": "rules", "rows": ["...."] * 4, "seat": 0, "says": ""}
        for wrong in ({"refuse": "a1"}, {"play": "a1,d4"}):
            with pytest.raises(examples.ExampleError):
                examples._example(RULESETS["scware"], {**entry, **wrong})

    def test_show_every_turn_of_the_game_without_scripts_and_refusals_in_the_referees_words(self, client):
        address, last = reverse("rule", args=["squ"]), len(examples.short_game("squ")["turns"])
        page = body(client, address)
        assert {int(turn) for turn in re.findall(r'href="\?turn=(\d+)', page)} >= set(range(last + 1))
        for turn, shown in (("0", 0), ("3", 3), ("999", last), ("x", last), ("", last)):
            assert f"{shown} / {last}</output>" in body(client, address, turn=turn)
        with pytest.raises(IllegalTurn) as refusal:
            RULESETS["squ"].setup(["....", "....", ".1..", "...."], 1).check((10,))
        assert str(refusal.value) in page


class TestStarterKits:
    def test_contain_the_files_that_the_command_creates(self, client, tmp_path):
        for language, word in LANGUAGES.items():
            begin(tmp_path / f"{word}-starter", language)
            with zipfile.ZipFile(io.BytesIO(client.get(reverse("starter", args=[word])).content)) as archive:
                held = {name: archive.read(name) for name in archive.namelist()}
            assert held == {f"{word}-starter/{path.name}": path.read_bytes()
                            for path in sorted((tmp_path / f"{word}-starter").iterdir())}, language

    def test_are_not_resent_if_unchanged_and_linked_from_a_document(self, client):
        first = client.get(reverse("starter", args=["python"]))
        again = client.get(reverse("starter", args=["python"]), headers={"If-None-Match": first["ETag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert first["Content-Disposition"] == 'attachment; filename="python-starter.zip"'
        page = body(client, reverse("document", args=["write-a-bot"]))
        assert all(reverse("starter", args=[word]) in page for word in LANGUAGES.values())
        # Its size is stated so that the text below does not move.
        assert re.search(r'<img src="[^"]+\.png"[^>]* width="1280" height="900"', page)


@cache
def operations() -> list[tuple[str, str, dict[str, Any]]]:
    """Return path, method and description of every operation."""
    schema = yaml.load((library.DOCS / "openapi.yaml").read_text(), Loader=yaml.CSafeLoader)
    return [(path, method, operation) for path, methods in schema["paths"].items()
            for method, operation in methods.items()]


@pytest.fixture(scope="module")
def api_pages(module_db) -> dict[str, str]:
    """Return each tag's page, and the index as ""."""
    addresses = {"": reverse("api-docs"), **{tag: reverse("api-docs-tag", args=[tag]) for tag in reference.tags()}}
    return {tag: body(Client(), address) for tag, address in addresses.items()}


class TestApiDocs:
    def test_show_every_operation_on_the_index_and_under_its_tag_with_its_parameters(self, api_pages):
        for path, method, operation in operations():
            page = api_pages[operation["tags"][0]]
            part = page[page.index(f'id="{operation["operationId"]}"'):].partition('<section class="card operation"')[0]
            assert f"{method.upper()}</span> <code>{path}</code>" in part
            for parameter in operation.get("parameters", []):
                assert f"<code>{parameter['name']}</code>" in part
            assert f'#{operation["operationId"]}"' in api_pages[""]
            assert f"<code>{path}</code>" in api_pages[""]

    def test_link_only_to_existing_anchors(self, api_pages):
        for tag in reference.tags():
            page = api_pages[tag]
            ids = re.findall(r' id="([^"]+)"', page)
            assert len(ids) == len(set(ids)), tag
            assert set(re.findall(r'href="#([^"]+)"', page)) <= set(ids), tag
            assert len(page) < 150_000
        for status in reference.problems():
            assert f'id="status-{status}"' in api_pages[""]

    def test_have_an_example_in_valid_shell_syntax(self):
        for tag in reference.tags().values():
            for operation in tag.operations:
                words = shlex.split(operation.curl)
                assert words[0] == "curl"
                assert words[-1].startswith("$SITE/api/")
                assert "{" not in words[-1]
                assert ("Authorization: Token $TOKEN" in words) == operation.signed_in
        upload = next(each for each in reference.tags()["submissions"].operations if each.method == "POST")
        assert "-F archive=@bot.zip" in upload.curl

    @pytest.mark.slow
    def test_take_no_query_and_have_the_sites_policy(self, client, django_assert_num_queries):
        with django_assert_num_queries(0):
            client.get(reverse("api-docs-tag", args=["events"]))
            answer = client.get(reverse("api-docs"))
        assert "'unsafe-inline'" not in answer["Content-Security-Policy"].partition("style")[0]
        assert client.get("/api/docs/nothing/").status_code == 404
