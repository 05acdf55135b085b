"""Files made by others are the ones that the list says."""

import re
from hashlib import sha256
from pathlib import Path

import frontend

VENDOR = Path(frontend.__file__).parent / "static" / "vendor"


class TestVendoredFiles:
    def test_have_the_hashes_that_their_list_states(self):
        table = (VENDOR / "VENDORED.md").read_text()
        listed = dict(re.findall(r"^\| `([^`]+)` .*`([0-9a-f]{64})` \|$", table, re.MULTILINE))
        present = {path.name: sha256(path.read_bytes()).hexdigest()
                   for path in VENDOR.iterdir() if path.suffix not in (".md", ".txt")}
        assert listed == present
