"""Style sheets that are inlined into the page, and vendored files, which match the hashes in their list."""

import re
from hashlib import sha256
from pathlib import Path

import pytest

import frontend
from frontend.templatetags import styles

pytestmark = pytest.mark.django_db
FRONTEND = Path(frontend.__file__).parent


class TestStyle:
    def test_is_in_the_page_and_allowed_by_its_policy(self, client):
        answer = client.get("/docs/")
        nonces = re.findall('<style nonce="([^"]+)">', answer.content.decode())
        assert len(nonces) == 2
        assert len(set(nonces)) == 1
        styles_allowed = re.search("style-src [^;]*", answer["Content-Security-Policy"])[0]
        assert f"'nonce-{nonces[0]}'" in styles_allowed
        assert "'unsafe-inline'" not in styles_allowed

    def test_is_the_minified_file(self):
        for name in ("site", "documents"):
            path = Path(styles._SHEETS) / f"{name}.css"
            text, written = path.read_text(), str(styles._squeezed(path, 0))
            assert len(written) < len(text)
            assert "/*" not in written
            declared = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
            assert re.sub(r"\s", "", declared).replace("../", "/static/") == re.sub(r"\s", "", written)


class TestVendoredFiles:
    def test_have_the_listed_hashes(self):
        for place in ("static/vendor/VENDORED.md", "pictures/fonts/FONTS.md"):
            table = (FRONTEND / place).read_text()
            listed = dict(re.findall(r"^\| `([^`]+)` .*`([0-9a-f]{64})` \|$", table, re.MULTILINE))
            present = {path.name: sha256(path.read_bytes()).hexdigest()
                       for path in (FRONTEND / place).parent.iterdir() if path.suffix not in (".md", ".txt")}
            assert listed == present
