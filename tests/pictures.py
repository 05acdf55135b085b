"""The pictures in docs/pictures: a site with real games, looked at in Chromium.

    .venv/bin/python tests/pictures.py [NAME …]
"""

import os
import struct
import sys
import zlib
from base64 import b64decode, b64encode
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
# Playwright runs an event loop in this thread, and Django would refuse the database beside one.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "1")

from playwright.sync_api import Browser, sync_playwright

from tests.site_on_show import CHROMIUM, FLAGS, Shown, begin_game, site_on_show

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
}
# Colours that differ by less than eye or screen can tell are one; the rarest become the next of the others.
QUANTISE = """async address => {
    const image = await createImageBitmap(await (await fetch(address)).blob());
    const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
    canvas.drawImage(image, 0, 0);
    const {data} = canvas.getImageData(0, 0, image.width, image.height);
    const keys = new Uint32Array(data.length / 4);
    const counts = new Map();
    for (let i = 0; i < keys.length; i++) {
        const key = keys[i] = (data[4 * i] >> 2) << 12 | (data[4 * i + 1] >> 2) << 6 | data[4 * i + 2] >> 2;
        const count = counts.get(key);
        if (count) count[3]++;
        else counts.set(key, [data[4 * i], data[4 * i + 1], data[4 * i + 2], 1]);
    }
    const colours = [...counts.values()].sort((a, b) => b[3] - a[3]).slice(0, 256);
    const nearest = new Map([...counts].map(([key, [red, green, blue]]) => {
        const away = colours.map(([r, g, b]) => (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2);
        return [key, away.indexOf(Math.min(...away))];
    }));
    let pixels = '';
    for (const key of keys) pixels += String.fromCharCode(nearest.get(key));
    return [image.width, image.height, colours.flatMap(colour => colour.slice(0, 3)), btoa(pixels)];
}"""


def main(names: list[str]) -> None:
    PICTURES.mkdir(exist_ok=True)
    with site_on_show() as shown, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        shown.pages["playing"] = begin_game(browser, shown)
        large = [name for name in names or VIEWS if take(browser, shown, name) > MOST_BYTES]
        browser.close()
    if large:
        raise SystemExit(f"{', '.join(large)}: more than {MOST_BYTES:,} bytes")


def take(browser: Browser, shown: Shown, name: str) -> int:
    """Write the picture; returns its size."""
    kind, scheme, width, height = VIEWS[name]
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme,
                                  storage_state=shown.visitor, reduced_motion="reduce")
    page = context.new_page()
    # Twice: the font is used from the second page on.
    for _ in range(2):
        page.goto(shown.address + shown.pages[kind], wait_until="load")
        page.evaluate("document.fonts.load('16px Inter')")
        page.wait_for_timeout(500)
    taken = page.screenshot()
    context.close()
    (PICTURES / f"{name}.png").write_bytes(small := with_palette(browser, taken))
    return len(small)


def with_palette(browser: Browser, png: bytes) -> bytes:
    """The picture in its 256 commonest colours, a third as large."""
    page = browser.new_page()
    width, height, colours, pixels = page.evaluate(QUANTISE, f"data:image/png;base64,{b64encode(png).decode()}")
    page.close()
    size = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    rows = b64decode(pixels)
    lines = b"".join(b"\0" + rows[start:start + width] for start in range(0, len(rows), width))
    parts = ((b"IHDR", size), (b"PLTE", bytes(colours)), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts)


if __name__ == "__main__":
    main(sys.argv[1:])
