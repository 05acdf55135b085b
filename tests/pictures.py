"""The pictures in docs/pictures: a site with real games, looked at in Chromium.

    .venv/bin/python tests/pictures.py [NAME …]
"""

import os
import sys
from io import BytesIO
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
# Playwright runs an event loop in this thread, and Django would refuse the database beside one.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "1")

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from tests.site_on_show import CHROMIUM, FLAGS, Shown, begin_game, sign_in, site_on_show

PICTURES = Path(__file__).resolve().parents[1] / "docs" / "pictures"
MOST_BYTES = 150_000
# By name: the page, the theme, and how much of it is seen.
VIEWS = {
    "home": ("home", "light", 1280, 1000),
    "home-phone": ("home", "dark", 390, 844),
    "ladder": ("ladder", "light", 1280, 800),
    "event": ("event over", "light", 1280, 1180),
    "bracket": ("double knockout", "light", 1280, 1000),
    "bot": ("bot", "light", 1280, 1000),
    "game": ("game", "light", 1280, 900),
    "game-phone": ("game", "dark", 390, 844),
    "play": ("playing", "dark", 1280, 900),
    "official-table": ("table", "light", 1280, 700),
    "watch": ("watch", "dark", 1280, 700),
    "admin-live": ("admin live", "light", 1280, 620),
}
# Seen by staff.
STAFF = {"admin live"}


def main(names: list[str]) -> None:
    PICTURES.mkdir(exist_ok=True)
    with site_on_show() as shown, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        shown.pages["playing"] = begin_game(browser, shown)
        sign_in(browser, shown)
        large = [name for name in names or VIEWS if take(browser, shown, name) > MOST_BYTES]
        browser.close()
    if large:
        raise SystemExit(f"{', '.join(large)}: more than {MOST_BYTES:,} bytes")


def take(browser: Browser, shown: Shown, name: str) -> int:
    """Write the picture; returns its size."""
    kind, scheme, width, height = VIEWS[name]
    seen_by = shown.staff if kind in STAFF else shown.visitor
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme,
                                  storage_state=seen_by, reduced_motion="reduce")
    page = context.new_page()
    # Twice: the font is used from the second page on.
    for _ in range(2):
        page.goto(shown.address + shown.pages[kind], wait_until="load")
        page.evaluate("document.fonts.load('16px Inter')")
        page.wait_for_timeout(500)
    taken = page.screenshot()
    context.close()
    (PICTURES / f"{name}.png").write_bytes(small := with_palette(taken))
    return len(small)


def with_palette(png: bytes) -> bytes:
    """The picture in its 256 commonest colours, a third as large."""
    small = BytesIO()
    Image.open(BytesIO(png)).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(small, "PNG", optimize=True)
    return small.getvalue()


if __name__ == "__main__":
    main(sys.argv[1:])
