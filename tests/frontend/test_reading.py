"""The example games on the rules pages in Chromium."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.serial, pytest.mark.slow,
              pytest.mark.django_db(transaction=True)]


class TestPagesOfRules:
    def test_step_their_game_with_keys_as_the_server_draws_it(self, look):
        page = look.at("/rules/squ/?turn=0")
        page.wait_for_function("customElements.get('replay-viewer') !== undefined")
        page.locator(".pane").focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        expect(page.locator("[data-count]")).to_have_text(re.compile("^2 /"))
        shown = page.locator(".pane .stones").inner_html()
        page.goto("/rules/squ/?turn=2")
        assert page.locator(".pane .stones").inner_html() == shown
