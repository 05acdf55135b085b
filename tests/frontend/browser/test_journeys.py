"""One walk of a spectator and of an organiser through the pages in Chromium.

The walks of a player, an author and the staff are in `test_play_in_browser.py`, `test_upload_in_browser.py` and
`tests/tournaments/admin/test_browser.py`.
"""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.factories import make_event, make_user, make_version, play_event, play_match
from tests.frontend.browser.looking import draws_as_the_server, focus_viewer, sign_in
from tournaments.models import Event, Match
from tournaments.services.ladders.ladders import create_ladder

pytestmark = [pytest.mark.browser, pytest.mark.journey, pytest.mark.serial, pytest.mark.slow,
              pytest.mark.django_db(transaction=True)]


class TestASpectator:
    def test_follows_an_event_to_its_end_and_replays_a_game(self, look: Any) -> None:
        event = make_event([make_version(name) for name in ("Alder", "Basalt", "Cinder")], size=4)
        page = look.at(f"/events/{event.slug}/")
        answers: list[int] = []
        page.on("response", lambda response: answers.append(response.status) if "/live/" in response.url else None)
        done = page.locator(".facts dd").first
        expect(done).to_have_text("0 of 6")
        page.wait_for_event("response", lambda response: "/live/" in response.url)
        play_match(Match.objects.filter(status="queued").first())
        expect(done).to_have_text("2 of 6")
        expect(page.locator("a.cell")).to_have_count(2)
        play_event(event)
        expect(page.locator(".chip").first).to_have_text("Finished")
        expect(page.locator("#live")).not_to_have_attribute("data-live", re.compile("."))
        asked = len(answers)
        page.wait_for_timeout(2500)
        assert len(answers) == asked
        assert answers[0] == 304
        assert set(answers) == {200, 304}

        game = event.games.order_by("pk").first()
        page.goto(f"/games/{game.pk}/?turn=0")
        focus_viewer(page)
        for turn in range(1, game.plies + 1):
            page.keyboard.press("ArrowRight")
            assert draws_as_the_server(page, turn)


class TestAnOrganiser:
    def test_creates_runs_and_cancels_an_event(self, look: Any) -> None:
        make_user("mia")
        for name in ("Alder", "Basalt"):
            make_version(name)
        create_ladder(ruleset="squ", size=6, base_seconds=1)
        page = look.at("/events/new/")
        sign_in(page)
        page.wait_for_url("**/events/new/")
        page.locator("[name=name]").fill("Kitchen Table Cup")
        page.locator("[name=ladder]").select_option(index=1)
        for box in page.locator("[name=versions]").all():
            box.check()
        page.get_by_role("button", name="Preview").click()
        expect(page.locator("main")).to_contain_text("1 match (2 games)")
        page.get_by_role("button", name="Schedule the event").click()
        expect(page.locator(".messages")).to_contain_text("Kitchen Table Cup is scheduled.")
        status = page.locator(".head .chip")
        for verb, shown in (("Start", "Live"), ("Pause", "Paused"), ("Resume", "Live")):
            page.locator("#organising").get_by_role("button", name=verb, exact=True).click()
            expect(status).to_have_text(shown)
        page.get_by_text("Cancel …").click()
        page.get_by_role("button", name="Cancel the event").click()
        expect(status).to_have_text("Cancelled")
        event = Event.objects.get()
        assert (event.status, event.entries.count(), event.created_by.username) == ("cancelled", 2, "mia")
