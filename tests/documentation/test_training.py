"""The tutorial on training, at a smaller scale: its bot is of one file, passes the check, and beats random play."""

import pytest

from tests.training import MANIFEST, PAGE, trained_bot
from tournaments.kit.main import main

pytestmark = [pytest.mark.slow, pytest.mark.serial]


class TestTheTrainedBot:
    def test_has_the_manifest_of_the_page(self):
        page = PAGE.read_text(encoding="utf-8")
        for line in MANIFEST.splitlines():
            assert f"echo '{line}'" in page

    def test_passes_the_check_and_beats_random_play(self, tmp_path, capsys):
        bot = trained_bot(tmp_path, size=4, rounds=100)
        assert sorted(file.name for file in bot.iterdir()) == ["bot.py", "bot.toml"]
        assert main(["check", str(bot)]) == 0
        assert main(["play", "square-grid-hex", str(bot), "random", "--size", "4", "--games", "20", "--seed", "1",
                     "--quiet"]) == 0
        won = int(capsys.readouterr().out.split(" won,")[0].split()[-1])
        assert won >= 16
