"""Every page in Chromium, full of hostile texts: accessible, on any screen, in any theme."""

from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Page

from tests.frontend.every_address import addresses
from tests.frontend.untrusted import MARKER
from tests.frontend.whole_site import WholeSite, whole_site

pytestmark = [pytest.mark.browser, pytest.mark.serial, pytest.mark.slow,
              # About 80 pages, each checked four times.
              pytest.mark.timeout(1800), pytest.mark.django_db(transaction=True)]

TAGS = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
COLOURS = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
# The themes differ only in colours: at each width, one theme is checked for everything else.
LOOKS = ((1280, "light", TAGS), (1280, "dark", COLOURS), (390, "dark", TAGS), (390, "light", COLOURS))
# Elements whose content overflows without a scroll bar or an ellipsis.
CUT_OFF = """[...document.querySelectorAll('main *, header *')].filter(box => {
    const {overflowX, display, clipPath, textOverflow} = getComputedStyle(box);
    return box.scrollWidth > box.clientWidth + 1 && ['visible', 'hidden'].includes(overflowX) && display !== 'inline'
        && clipPath === 'none' && textOverflow !== 'ellipsis' && box.clientWidth
        && !box.closest('svg, select, .scroll');
}).map(box => `${box.tagName}.${box.className} in ${box.parentElement.className}: ${box.textContent.slice(0, 40)}`)"""


@pytest.fixture
def site(transactional_db, redis_url) -> Iterator[WholeSite]:
    with whole_site() as site:
        yield site


@pytest.fixture
def people(site, look, live_server) -> dict[str, tuple[Client, Page]]:
    """Return clients and pages of the owner of all objects, of staff, and of a visitor."""
    def person(user: Any) -> tuple[Client, Page]:
        client, page = Client(), look.at("/favicon.ico")
        if user is not None:
            client.force_login(user)
            page.context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value,
                                       "url": live_server.url}])
        return client, page
    return {"owner": person(site.owner), "anybody": person(None), "staff": person(site.staff)}


class TestEveryPage:
    def test_is_accessible_on_any_screen(self, site, people):
        wrong = []
        half_built = f"{reverse('casual-game', args=[site.casual_games[0].token])}?stones=a1"
        for address in [*(address for _, address in addresses(site)), half_built]:
            page = next((page for client, page in people.values() if _is_page(client.get(address))), None)
            if page is not None:
                assert page.goto(address).status == 200, address
                wrong += [f"{address}: {fault}" for fault in _faults(page)]
        assert not wrong, "\n".join(wrong)


def _is_page(answer: Any) -> bool:
    """Return whether this is the requested page, not a part, picture, feed or redirect."""
    return answer.status_code == 200 and answer.getvalue().lstrip().lower().startswith(b"<!doctype")


def _faults(page: Page) -> list[str]:
    page.evaluate(Axe().axe_script)
    wrong = []
    for width, theme, rules in LOOKS:
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        found = page.evaluate("options => axe.run(options)", {
            "runOnly": rules, "rules": {"landmark-unique": {"enabled": True}}, "resultTypes": ["violations"]})
        wrong += [f"{width} {theme}: {each['id']} {[node['target'] for node in each['nodes']]}"
                  for each in found["violations"]]
    wrong += [f"390: cut off: {box}" for box in page.evaluate(CUT_OFF)]
    if not page.locator("h1").first.is_visible():
        wrong.append("390: the heading is hidden")
    page.set_viewport_size({"width": 320, "height": 800})
    if (wide := page.evaluate("document.documentElement.scrollWidth")) > 320:
        wrong.append(f"320: it scrolls sideways to {wide}")
    if page.locator(f"{MARKER}, [{MARKER}]").count():
        wrong.append("a text became markup")
    return wrong
