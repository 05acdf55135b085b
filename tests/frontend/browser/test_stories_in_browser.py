"""The board on the front page plays the game of the day."""

import re
from datetime import timedelta

import pytest
from playwright.sync_api import expect

from tests.factories import START, make_event, make_version, play_event
from tournaments.models import Stories
from tournaments.services.ladders.stories import find_stories

pytestmark = [pytest.mark.browser, pytest.mark.serial, pytest.mark.slow,
              pytest.mark.django_db(transaction=True)]
SHIFTS = """() => new Promise(done => new PerformanceObserver(list => done(
    list.getEntries().reduce((sum, entry) => sum + entry.value, 0))).observe({type: 'layout-shift', buffered: true})
    || setTimeout(() => done(0), 200))"""


class TestTheBoardOnTheFrontPage:
    def test_plays_from_the_opening_until_it_is_paused_and_keeps_the_address(self, look):
        play_event(make_event([make_version(name) for name in ("Alder", "Basalt", "Cinder")], size=5))
        find_stories(START + timedelta(days=1))
        chosen = Stories.objects.get().of_the_day
        # `look` asks for reduced motion by default.
        page = look.at("/")
        page.wait_for_function("customElements.get('replay-viewer') !== undefined")
        count = page.locator("[data-count]")
        expect(count).to_have_text(re.compile(rf"^{chosen['turn']} /"))
        assert page.locator(".playing").count() == 0
        page.emulate_media(reduced_motion="no-preference")
        page.reload()
        assert chosen["turn"] > 2
        expect(count).to_have_text(re.compile("^[12] /"))
        expect(count).not_to_have_text(count.text_content())
        page.get_by_role("button", name="Pause").click()
        paused = count.text_content()
        page.wait_for_timeout(1000)
        assert count.text_content() == paused
        assert page.url.endswith("/")
        assert page.evaluate(SHIFTS) == 0
        page.get_by_role("link", name="Open the game").click()
        page.wait_for_url(f"**/games/{chosen['game']}/?turn={chosen['turn']}")

    def test_is_a_picture_of_the_decisive_turn_without_scripts(self, look):
        play_event(make_event([make_version(name) for name in ("Alder", "Basalt", "Cinder")], size=5))
        find_stories(START + timedelta(days=1))
        page = look.at("/", java_script_enabled=False)
        expect(page.locator(".stories svg.board")).to_be_visible()
        expect(page.locator(".stories [data-play]")).to_be_hidden()
