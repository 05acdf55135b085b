"""The API's documentation describes every operation completely."""

import re
import shlex

import pytest
import yaml
from django.urls import reverse

from frontend.documents import library, reference

pytestmark = pytest.mark.django_db

SCHEMA = yaml.safe_load((library.DOCS / "openapi.yaml").read_text())
OPERATIONS = [(path, method, operation) for path, methods in SCHEMA["paths"].items()
              for method, operation in methods.items()]


@pytest.fixture
def pages(client):
    """Return each tag's page."""
    return {tag: client.get(reverse("api-docs-tag", args=[tag])).content.decode() for tag in reference.tags()}


class TestApiDocs:
    def test_show_every_operation_under_its_tag_with_its_parameters(self, pages):
        for path, method, operation in OPERATIONS:
            body = pages[operation["tags"][0]]
            part = body[body.index(f'id="{operation["operationId"]}"'):].partition('<section class="card operation"')[0]
            assert f"{method.upper()}</span> <code>{path}</code>" in part
            for parameter in operation.get("parameters", []):
                assert f"<code>{parameter['name']}</code>" in part

    def test_list_every_operation_on_the_index(self, client):
        body = client.get(reverse("api-docs")).content.decode()
        for path, _, operation in OPERATIONS:
            assert f'#{operation["operationId"]}"' in body
            assert f"<code>{path}</code>" in body

    def test_link_only_to_existing_anchors(self, client, pages):
        first = client.get(reverse("api-docs")).content.decode()
        for tag, body in pages.items():
            ids = re.findall(r' id="([^"]+)"', body)
            assert len(ids) == len(set(ids)), tag
            assert set(re.findall(r'href="#([^"]+)"', body)) <= set(ids), tag
        for status in reference.problems():
            assert f'id="status-{status}"' in first

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

    def test_take_no_query(self, client, django_assert_num_queries):
        with django_assert_num_queries(0):
            client.get(reverse("api-docs"))
            client.get(reverse("api-docs-tag", args=["events"]))

    def test_stay_small(self, pages):
        assert max(map(len, pages.values())) < 150_000

    def test_have_the_sites_policy(self, client):
        assert "'unsafe-inline'" not in client.get(reverse("api-docs"))["Content-Security-Policy"].partition("style")[0]

    def test_return_404_for_other_tags(self, client):
        assert client.get("/api/docs/nothing/").status_code == 404
