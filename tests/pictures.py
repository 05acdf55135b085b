"""Take the pictures in docs/pictures in Chromium, from a site with real games and along the tutorials.

    .venv/bin/python tests/pictures.py [NAME …]
"""

import os
import sys
import tempfile
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
# Playwright runs an event loop in this thread, where Django would refuse to use the database.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "1")

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from tests.site_on_show import CHROMIUM, FLAGS, ROOT, Shown, begin_game, sign_in, site_on_show

PICTURES = Path(__file__).resolve().parents[1] / "docs" / "pictures"
MOST_BYTES = 150_000
# By name: the page, the theme, and the size of the viewport.
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
    "director": ("director", "dark", 1280, 800),
    "analysis": ("analysis", "light", 1280, 1150),
    "openings": ("openings", "light", 1280, 900),
    "admin-live": ("admin live", "light", 1280, 620),
}
# Seen by staff.
STAFF = {"admin live"}
# Pictures of the tutorials, in the order of their steps, with their heights in px.
STEPS = {"submission": 760, "join": 420, "event-form": 1000, "event-preview": 640}
WIDTH = 1280


def main(names: list[str]) -> None:
    PICTURES.mkdir(exist_ok=True)
    with site_on_show() as shown, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        shown.pages["playing"] = begin_game(browser, shown)
        sign_in(browser, shown)
        wanted = names or [*VIEWS, *STEPS]
        large = [name for name in wanted if name in VIEWS and take(browser, shown, name) > MOST_BYTES]
        if set(wanted) & set(STEPS):
            large += walk(browser, shown)
        browser.close()
    if large:
        raise SystemExit(f"{', '.join(large)}: more than {MOST_BYTES:,} bytes")


def take(browser: Browser, shown: Shown, name: str) -> int:
    """Write the picture and return its size."""
    kind, scheme, width, height = VIEWS[name]
    seen_by = shown.staff if kind in STAFF else shown.visitor
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme,
                                  storage_state=seen_by, reduced_motion="reduce")
    page = context.new_page()
    # The font is used from the second page on, or from the third if a service worker has just taken over.
    for _ in range(3):
        page.goto(shown.address + shown.pages[kind], wait_until="load")
        page.evaluate("document.fonts.load('16px Inter')")
        page.wait_for_timeout(500)
    size = write(name, page)
    context.close()
    return size


def write(name: str, page: Page) -> int:
    """Write what the page shows; return the picture's size in bytes."""
    (PICTURES / f"{name}.png").write_bytes(small := with_palette(page.screenshot()))
    return len(small)


def walk(browser: Browser, shown: Shown) -> list[str]:
    """Upload a bot, choose it for a ladder and preview an event; return the names of pictures that are too large."""
    from tournaments.kit.bots import archive_of
    from tournaments.kit.new import begin
    from tournaments.setup.bootstrap.children import Child, tied_to_parent

    large = []

    def shoot(name: str) -> None:
        page.set_viewport_size({"width": WIDTH, "height": STEPS[name]})
        page.evaluate("document.fonts.load('16px Inter')")
        page.wait_for_timeout(500)
        if write(name, page) > MOST_BYTES:
            large.append(name)

    with ExitStack() as stack, tempfile.TemporaryDirectory() as scratch:
        for command in ("coordinator", "worker"):
            child = tied_to_parent([sys.executable, str(ROOT / "manage.py"), command])
            stack.enter_context(Child(child, Path(scratch) / f"{command}.log", env=dict(os.environ), cwd=ROOT))
        page = browser.new_page(viewport={"width": WIDTH, "height": 900}, reduced_motion="reduce")
        page.goto(f"{shown.address}/account/login/")
        page.fill("[name=login]", "mia")
        page.fill("[name=password]", "mia")
        page.locator("main form button.primary").first.click()
        begin(Path(scratch) / "First", "python")
        page.goto(f"{shown.address}/upload/")
        page.set_input_files("[name=archive]", {"name": "first.zip", "mimeType": "application/zip",
                                                "buffer": archive_of(str(Path(scratch) / "First"))})
        page.locator("main form button.primary").first.click()
        page.wait_for_url("**/submissions/*/")
        page.wait_for_selector("text=First v1", timeout=120_000)
        shoot("submission")
        page.goto(shown.address + shown.pages["ladder"])
        page.select_option("form[action$='/join/'] select", label="First v1")
        page.set_viewport_size({"width": WIDTH, "height": STEPS["join"]})
        page.locator("form[action$='/join/']").evaluate("form => form.scrollIntoView({block: 'center'})")
        shoot("join")
        page.goto(f"{shown.address}/events/new/")
        shoot("event-form")
        page.fill("[name=name]", "Kitchen Table Cup")
        page.select_option("[name=ladder]", index=1)
        for box in page.locator("[name=versions]").all()[:4]:
            box.check()
        page.locator("main form button.primary").last.click()
        shoot("event-preview")
    return large


def with_palette(png: bytes) -> bytes:
    """Return the picture with its 256 most common colours, which makes it a third as large."""
    small = BytesIO()
    Image.open(BytesIO(png)).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(small, "PNG", optimize=True)
    return small.getvalue()


if __name__ == "__main__":
    main(sys.argv[1:])
