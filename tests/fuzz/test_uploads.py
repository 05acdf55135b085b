"""The short form of `tests/fuzz/uploads.py`: seeded mutants of real uploads and replies."""

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from tests.effort import ALL
from tests.fuzz.mutations import mutant, seeds
from tests.fuzz.targets import TARGETS, Finding, archive

EXECUTIONS = {"archive": 600, "manifest": 1500, "protocol": 1500} if ALL else {
    "archive": 60, "manifest": 300, "protocol": 300}


class TestATarget:
    @pytest.mark.slow
    @pytest.mark.parametrize("target", list(TARGETS))
    def test_accepts_or_refuses_every_mutant(self, target: str, tmp_path: Path) -> None:
        dice, corpus = Random(20261122), seeds(target)
        assert "taken" in {TARGETS[target](seed, tmp_path) for seed in corpus}
        became = Counter(TARGETS[target](mutant(target, dice, corpus), tmp_path) for _ in range(EXECUTIONS[target]))
        assert min(became["taken"], became["refused"]) > EXECUTIONS[target] // 200

    def test_reports_a_file_outside_the_directory(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def careless(entries: list, into: Path) -> None:
            into.mkdir()
            (into / "../evil").write_bytes(b"")

        monkeypatch.setattr("tests.fuzz.targets.write_entries", careless)
        with pytest.raises(Finding, match="outside"):
            archive(seeds("archive")[0], tmp_path)
