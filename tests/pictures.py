"""The pictures in docs/pictures, taken from a running demo.

    python3 manage.py demo --fresh                            in one terminal, until its events are over
    .venv/bin/python tests/pictures.py [http://127.0.0.1:8000]   in another
"""

import json
import sys
import urllib.request
from pathlib import Path

from playwright.sync_api import sync_playwright

PICTURES = Path(__file__).resolve().parents[1] / "docs" / "pictures"
CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]


def main(site: str) -> None:
    game = first(f"{site}/api/games/?ruleset=scware")
    pages = {
        "game": (f"/games/{game['id']}/?turn={game['plies']}", "light", 1280),
        "game-phone": (f"/games/{game['id']}/?turn={game['plies']}", "dark", 390),
        "event": (f"/events/{game['event']}/", "dark", 1280),
    }
    PICTURES.mkdir(exist_ok=True)
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for name, (path, scheme, width) in pages.items():
            page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
            page.goto(site + path, wait_until="networkidle")
            page.screenshot(path=PICTURES / f"{name}.png", full_page=True)
            page.close()
        browser.close()


def first(address: str) -> dict[str, object]:
    """The longest game of those on the first page."""
    with urllib.request.urlopen(address) as answer:  # noqa: S310 - whoever calls the command names the site
        return max(json.load(answer)["results"], key=lambda game: game["plies"])


if __name__ == "__main__":
    main((sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8000").rstrip("/"))
