"""The API's documentation describes every operation completely."""

import re
import shlex
from functools import cache
from typing import Any

import pytest
import yaml
from django.test import Client
from django.urls import reverse

from frontend.documents import library, reference

pytestmark = pytest.mark.django_db


@cache
def operations() -> list[tuple[str, str, dict[str, Any]]]:
    """Return path, method and description of every operation."""
    schema = yaml.load((library.DOCS / "openapi.yaml").read_text(), Loader=yaml.CSafeLoader)
    return [(path, method, operation) for path, methods in schema["paths"].items()
            for method, operation in methods.items()]


@pytest.fixture(scope="module")
def pages(module_db) -> dict[str, str]:
    """Return each tag's page, and the index as ""."""
    client = Client()
    addresses = {"": reverse("api-docs"), **{tag: reverse("api-docs-tag", args=[tag]) for tag in reference.tags()}}
    return {tag: client.get(address).content.decode() for tag, address in addresses.items()}


class TestApiDocs:
    def test_show_every_operation_on_the_index_and_under_its_tag_with_its_parameters(self, pages):
        for path, method, operation in operations():
            page = pages[operation["tags"][0]]
            part = page[page.index(f'id="{operation["operationId"]}"'):].partition('<section class="card operation"')[0]
            assert f"{method.upper()}</span> <code>{path}</code>" in part
            for parameter in operation.get("parameters", []):
                assert f"<code>{parameter['name']}</code>" in part
            assert f'#{operation["operationId"]}"' in pages[""]
            assert f"<code>{path}</code>" in pages[""]

    def test_link_only_to_existing_anchors(self, pages):
        for tag, page in pages.items():
            ids = re.findall(r' id="([^"]+)"', page)
            assert len(ids) == len(set(ids)), tag
            assert set(re.findall(r'href="#([^"]+)"', page)) <= set(ids), tag
            assert len(page) < 150_000
        for status in reference.problems():
            assert f'id="status-{status}"' in pages[""]

    def test_have_an_example_in_valid_shell_syntax(self):
        for tag in reference.tags().values():
            for operation in tag.operations:
                words = shlex.split(operation.curl)
                assert words[0] == "curl"
                assert words[-1].startswith("$SITE/api/")
                assert "{" not in words[-1]
                assert ("Authorization: Token $TOKEN" in words) == operation.signed_in

    def test_show_an_upload_as_a_form(self):
        upload = next(each for each in reference.tags()["submissions"].operations if each.method == "POST")
        assert "-F archive=@bot.zip" in upload.curl

    def test_take_no_query_and_have_the_sites_policy(self, client, django_assert_num_queries):
        with django_assert_num_queries(0):
            client.get(reverse("api-docs-tag", args=["events"]))
            answer = client.get(reverse("api-docs"))
        assert "'unsafe-inline'" not in answer["Content-Security-Policy"].partition("style")[0]
        assert client.get("/api/docs/nothing/").status_code == 404
