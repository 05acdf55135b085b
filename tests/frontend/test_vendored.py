"""Vendored files match the hashes in their list."""

import re
from hashlib import sha256
from pathlib import Path

import pytest

import frontend

FRONTEND = Path(frontend.__file__).parent


class TestVendoredFiles:
    @pytest.mark.parametrize("place", ["static/vendor/VENDORED.md", "pictures/fonts/FONTS.md"])
    def test_have_the_listed_hashes(self, place):
        table = (FRONTEND / place).read_text()
        listed = dict(re.findall(r"^\| `([^`]+)` .*`([0-9a-f]{64})` \|$", table, re.MULTILINE))
        present = {path.name: sha256(path.read_bytes()).hexdigest()
                   for path in (FRONTEND / place).parent.iterdir() if path.suffix not in (".md", ".txt")}
        assert listed == present
