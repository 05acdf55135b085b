"""What several browser tests do: sign in, check a page with axe, and compare the viewer with the server."""

import re

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

TAGS = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]},
        "resultTypes": ["violations"]}
THEMES = ("light", "dark")
# The turn that the viewer shows, and the same turn as the server draws it. Styles are left out, because they carry
# another page's nonce.
SHOWN = """root => ({
    stones: root.querySelector('.stones').innerHTML,
    text: root.querySelector('[data-text]').textContent,
    label: root.querySelector('svg.board').getAttribute('aria-label'),
    count: root.querySelector('[data-count]').textContent,
    now: [...root.querySelectorAll('a.now')].map(a => a.getAttribute('href')),
    bars: [...root.querySelectorAll('i.now')].map(i => i.dataset.bar),
    picture: root.querySelector('[data-picture]').getAttribute('href').replace(/.*[?]/, '?'),
})"""
FROM_VIEWER = f"() => ({SHOWN})(document)"
FROM_SERVER = f"""async turn => ({SHOWN})(new DOMParser().parseFromString(
    (await (await fetch('?turn=' + turn)).text()).replace(/<style[^]*?<\\/style>/g, ''), 'text/html'))"""


# The compressed sizes of a page, with its scripts, styles and font.
SIZES = """async address => {
    const gzip = async body => (await new Response(
        body.pipeThrough(new CompressionStream('gzip'))).arrayBuffer()).byteLength;
    const squeezed = async url => gzip((await fetch(url)).body);
    const text = await (await fetch(address)).text();
    const style = /<style[^>]*>([^]*?)<\\/style>/.exec(text);
    const html = new DOMParser().parseFromString(text.replace(style[0], ''), 'text/html');
    const scripts = await Promise.all([...html.querySelectorAll('script[src]')].map(
        script => squeezed(script.getAttribute('src'))));
    return {page: await squeezed(address), scripts: scripts.reduce((a, b) => a + b, 0),
            linked: html.querySelectorAll('link[rel=stylesheet]').length,
            styles: await gzip(new Blob([style[1]]).stream()), font: await squeezed('/static/vendor/inter.woff2')};
}"""


def sizes_at(page: Page, address: str) -> dict[str, int]:
    """Return the compressed sizes in bytes of what the page at this address loads."""
    return dict(page.evaluate(SIZES, address))


def sign_in(page: Page, name: str = "mia") -> None:
    """Sign in on a page with the form; the user's password is the name."""
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(name)
    page.locator("main").get_by_role("button", name="Sign in").click()


def check_page(page: Page, *, widths: tuple[int, ...] = (1280, 390)) -> None:
    """Check the page against the rules for every page, narrow and wide, in both themes."""
    for width in widths:
        page.set_viewport_size({"width": width, "height": 900})
        for theme in THEMES:
            page.emulate_media(color_scheme=theme)
            assert Axe().run(page, options=TAGS).response["violations"] == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def focus_viewer(page: Page) -> None:
    page.wait_for_function("customElements.get('replay-viewer') !== undefined")
    page.locator(".pane").focus()


def draws_as_the_server(page: Page, turn: int) -> bool:
    """Whether the viewer, which shows this turn, draws it as the server does."""
    expect(page.locator("[data-count]")).to_have_text(re.compile(rf"^{turn} /"))
    return bool(page.evaluate(FROM_VIEWER) == page.evaluate(FROM_SERVER, turn))
