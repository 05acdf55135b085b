"""Rules, documents, the API's description and fairness in Chromium: usable by everybody."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.factories import START, make_event, make_version, play_event
from tournaments.services.ladder_play import join

pytestmark = [pytest.mark.browser, pytest.mark.once, pytest.mark.serial, pytest.mark.slow,
              pytest.mark.django_db(transaction=True)]

TAGS = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}}


@pytest.fixture
def addresses():
    bots = [make_version(name) for name in ("Alder", "W" * 40)]
    event = play_event(make_event(bots))
    join(actor=bots[1].bot.owner, ladder=event.ladder, version=bots[1], now=START)
    return ["/rules/", "/rules/squ/", "/docs/", "/docs/write-a-bot/", "/docs/operations/", "/api/docs/",
            "/api/docs/events/", f"/events/{event.slug}/fairness/", f"/ladders/{event.ladder.slug}/fairness/"]


class TestPagesToRead:
    @pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (390, "dark")])
    def test_can_be_used_by_everybody(self, look, addresses, width, theme):
        page = look.at("/rules/", width=width, theme=theme)
        for address in addresses:
            page.goto(address)
            found = Axe().run(page, options=TAGS).response["violations"]
            assert [(v["id"], [node["target"] for node in v["nodes"]]) for v in found] == [], address
            page.set_viewport_size({"width": 320, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") == 320, address
            page.set_viewport_size({"width": width, "height": 800})

    def test_of_rules_step_their_game_by_keys_as_the_server_draws_it(self, look):
        page = look.at("/rules/squ/?turn=0")
        page.wait_for_function("customElements.get('replay-viewer') !== undefined")
        page.locator(".pane").focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        expect(page.locator("[data-count]")).to_have_text(re.compile("^2 /"))
        shown = page.locator(".pane .stones").inner_html()
        page.goto("/rules/squ/?turn=2")
        assert page.locator(".pane .stones").inner_html() == shown
