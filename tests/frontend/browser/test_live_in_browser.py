"""Pages that poll for updates: failed requests, and what a changed part keeps."""

import pytest
from playwright.sync_api import expect

from tests.factories import make_event, make_version, play_match
from tournaments.models import Match

pytestmark = [pytest.mark.browser, pytest.mark.serial, pytest.mark.slow]


class TestALivePage:
    @pytest.mark.parametrize("status", [429, 503])
    def test_stays_unchanged_on_errors_and_keeps_polling(self, look, transactional_db, status):
        event = make_event([make_version(name) for name in ("ant", "bee", "cat")], ruleset="square-grid-hex", size=3)
        page = look.at(f"/events/{event.slug}/")
        live = page.locator("#live")
        before = live.get_attribute("data-etag")
        page.route("**/live/", lambda route: route.fulfill(status=status, body="<h1>Refused</h1>"))
        for _ in range(2):
            with page.expect_response("**/live/"):
                pass
        expect(page.locator("h1")).to_have_text(event.name)
        page.unroute("**/live/")
        play_match(Match.objects.filter(event=event).first())
        expect(live).not_to_have_attribute("data-etag", before)
        # The console reports each refusal.
        look.complaints[:] = [complaint for complaint in look.complaints if str(status) not in complaint]

    def test_keeps_focus_and_unchanged_elements_on_updates(self, look, transactional_db):
        event = make_event([make_version(name) for name in ("ant", "bee", "cat")], ruleset="square-grid-hex", size=3)
        page = look.at(f"/events/{event.slug}/")
        live = page.locator("#live")
        before = live.get_attribute("data-etag")
        page.locator("#live").get_by_role("link", name="cat", exact=True).focus()
        page.evaluate("window.table = document.querySelector('#live table').parentElement")
        for match in Match.objects.filter(event=event):
            play_match(match)
        expect(live).not_to_have_attribute("data-etag", before)
        expect(page.locator("#live").get_by_role("link", name="cat", exact=True)).to_be_focused()
        assert page.evaluate("document.querySelector('#live table').parentElement === window.table")
        drawn = """async () => {
            const text = await (await fetch(document.querySelector('#live').dataset.live)).text();
            const there = new DOMParser().parseFromString(text, 'text/html').querySelector('#live');
            return there.isEqualNode(document.querySelector('#live'));
        }"""
        page.wait_for_function(drawn)
