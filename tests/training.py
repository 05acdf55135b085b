"""The bot that docs/tutorials/train-a-bot.md trains, made by the programs on that page."""

import shutil
import subprocess
import sys
from pathlib import Path

from engines import native
from tests.documentation.pages import ROOT, blocks
from tests.package import write_package

PAGE = ROOT / "docs/tutorials/train-a-bot.md"
MANIFEST = 'name = "Trained"\nrun = ["python3", "bot.py"]\nrulesets = ["square-grid-hex"]\n'


def trained_bot(place: Path, *, size: int, rounds: int) -> Path:
    """Train a network as the page says, with the package `squarefield` as its wheel installs it, and export it.

    Return the bot's directory. Raises CalledProcessError if one of the page's programs fails.
    """
    write_package(place)
    if native.available():
        shutil.copy(native.module().__file__, place / "squarefield")
    for block in blocks(PAGE):
        if block.language == "py":
            (place / block.text.split()[1].rstrip(":")).write_text(block.text, encoding="utf-8")
    bot = place / "Trained"
    bot.mkdir()
    (bot / "bot.toml").write_text(MANIFEST, encoding="utf-8")
    for command in (["train.py", "hex.npz", "--size", str(size), "--rounds", str(rounds)],
                    ["export.py", "hex.npz", "bot.py", "Trained/bot.py"]):
        subprocess.run([sys.executable, *command], cwd=place, env={"PYTHONPATH": str(place)}, check=True, timeout=600)
    return bot
