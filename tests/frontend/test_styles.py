"""Style sheets that are inlined into the page."""

import re
from pathlib import Path

import pytest

from frontend.templatetags import styles

pytestmark = pytest.mark.django_db


class TestStyle:
    def test_is_in_the_page_and_allowed_by_its_policy(self, client):
        answer = client.get("/docs/")
        nonces = re.findall('<style nonce="([^"]+)">', answer.content.decode())
        assert len(nonces) == 2
        assert len(set(nonces)) == 1
        styles_allowed = re.search("style-src [^;]*", answer["Content-Security-Policy"])[0]
        assert f"'nonce-{nonces[0]}'" in styles_allowed
        assert "'unsafe-inline'" not in styles_allowed

    @pytest.mark.parametrize("name", ["site", "documents"])
    def test_is_the_minified_file(self, client, name):
        path = Path(styles._SHEETS) / f"{name}.css"
        text, written = path.read_text(), str(styles._squeezed(path, 0))
        assert len(written) < len(text)
        assert "/*" not in written
        declared = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
        assert re.sub(r"\s", "", declared).replace("../", "/static/") == re.sub(r"\s", "", written)
