"""Director mode and hidden results in Chromium."""

import re
from itertools import pairwise

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from tests.factories import make_event, make_user, make_version, play_event, ready_version
from tests.tournaments.conftest import make_archive
from tests.waiting import wait_for
from tournaments.models import Game, Version
from tournaments.services.bots.submissions import accept_upload
from tournaments.services.events.events import create_event, start_event
from tournaments.services.ladders.ladders import create_ladder

pytestmark = [pytest.mark.browser, pytest.mark.serial, pytest.mark.slow,
              pytest.mark.django_db(transaction=True)]

# Faster than turns can be followed, but slow enough that the match runs for some seconds.
BOT = """
import time
from random import Random
from engines.sdk import Bot, run

class BriskBot(Bot):
    name = "brisk"
    rng = Random(5)

    def choose(self, position, clock):
        time.sleep(0.3)
        return position.random_turn(self.rng)

run(BriskBot())
"""
# Each turn that the director shows: when, whether it is the last one of a finished game, and the status.
WATCH = """() => {
    window.seen = [];
    addEventListener('turn', ({target, timeStamp}) => setTimeout(() => window.seen.push({
        at: timeStamp, key: target.dataset.key, turn: target.turn, finished: target.finished,
        status: document.querySelector('[data-status]').textContent})), true);
}"""


def _version(name: str) -> Version:
    return ready_version(accept_upload(archive=make_archive(name, BOT), filename=f"{name}.zip",
                                       uploader=make_user("mia"), now=timezone.now()))


@pytest.fixture
def games() -> list[Game]:
    event = make_event([make_version("Alder"), make_version("Basalt")], ruleset="square-grid-hex", size=3)
    play_event(event)
    return list(event.games.order_by("-number"))


def _until(page: Page, condition: str) -> None:
    """Wait for a condition in the page: its policy does not let Playwright wait for it there."""
    wait_for(lambda: page.evaluate(condition), condition)


class TestDirector:
    # The intervals between turns are those of the real clock.
    @pytest.mark.realtime
    @pytest.mark.workers
    def test_shows_a_running_game_to_its_end_and_goes_on_to_the_next(self, look, site):
        page = look.at("/watch/director/")
        expect(page.locator("[data-status]")).to_have_text("No games yet.")
        page.emulate_media(reduced_motion="no-preference")
        page.reload()
        page.evaluate(WATCH)
        now = timezone.now()
        ladder = create_ladder(ruleset="square-grid-hex", size=3, base_seconds=60.0)
        event = create_event(name="Brisk", ladder=ladder, versions=[_version("Alder"), _version("Basalt")],
                             starts_at=now, created_by=make_user("organiser", staff=True), now=now, seed=7,
                             openings=False)
        start_event(event=event, now=now)
        site.start("coordinator")
        site.start("worker", "--concurrency", "1", "--rulesets", "square-grid-hex")
        _until(page, "window.seen.some(({finished}) => finished)")
        seen = page.evaluate("window.seen")
        first = [each for each in seen if each["key"] == seen[0]["key"]]
        ended = [each for each in first if each["finished"]]
        before = [each for each in first if not each["finished"]]
        assert all("won" in each["status"] or "over" in each["status"] for each in ended)
        assert not any("won" in each["status"] for each in before)
        assert re.search(r"shown \d+ s after it was played", before[-1]["status"])
        turns = {each["turn"]: each["at"] for each in reversed(first)}
        times = [turns[turn] for turn in sorted(turns)]
        assert min(later - earlier for earlier, later in pairwise(times)) >= 700
        _until(page, "document.querySelector('directed-game').dataset.key !== window.seen[0].key")

    def test_is_controlled_by_keys_and_starts_paused_with_reduced_motion(self, look, games):
        page = look.at("/watch/director/")
        status = page.locator("[data-status]")
        expect(status).to_contain_text("Paused, because your system asks for less motion.")
        expect(page.locator("[data-reason]")).to_have_text("no game is running: a replay")
        key = page.locator("directed-game").get_attribute("data-key")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowLeft")
        _until(page, "document.querySelector('directed-game').turn === 1")
        page.keyboard.press("?")
        expect(page.get_by_role("dialog")).to_be_visible()
        # Space follows before the next frame.
        page.evaluate("""() => ['?', ' '].forEach(key => document.activeElement.dispatchEvent(
            new KeyboardEvent('keydown', {key, bubbles: true})))""")
        expect(page.get_by_role("dialog")).to_be_hidden()
        _until(page, "document.querySelector('directed-game').turn > 1")
        page.keyboard.press("Space")
        expect(status).to_contain_text("Paused.")
        expect(page.locator("[data-table]")).to_be_hidden()
        for _ in range(10):
            page.keyboard.press("ArrowRight")
        expect(status).to_contain_text(re.compile("won"))
        expect(page.locator("[data-table]")).to_be_visible()
        page.keyboard.press("n")
        expect(page.locator("directed-game")).not_to_have_attribute("data-key", key)
        page.keyboard.press("f")
        _until(page, "document.fullscreenElement?.localName === 'director-view'")

    def test_loads_at_most_40_kb_of_scripts(self, look, games):
        page = look.at("/favicon.ico")
        sizes = {}
        page.on("response", lambda answer: sizes.update({answer.url: len(answer.body())})
                if answer.url.endswith(".js") else None)
        page.goto("/watch/director/", wait_until="networkidle")
        assert any("director" in url for url in sizes)
        assert sum(sizes.values()) <= 40_000


class TestHiddenResults:
    def test_appear_at_the_end_of_the_game(self, look, games):
        page = look.at("/games/")
        expect(page.locator(".game-line").first).to_contain_text(" won ")
        page.get_by_role("button", name="Hide results").click()
        expect(page.get_by_text("Result hidden")).to_have_count(2)
        page.locator(".game-line").first.click()
        count = page.locator("[data-count]")
        expect(count).to_have_text("0")
        assert page.locator(".turns a:visible").count() == 0
        page.get_by_role("link", name="Next turn").click()
        expect(count).to_have_text("1")
        assert page.locator(".turns a:visible").count() == 1
        assert " won " not in page.locator("replay-viewer").inner_text()
        for _ in range(games[0].plies - 1):
            page.get_by_role("link", name="Next turn").click()
        page.wait_for_url(re.compile(rf"turn={games[0].plies}$"))
        expect(page.locator(".chip.wide")).to_contain_text(" won ")

    def test_appear_on_request_without_scripts(self, look, games, live_server):
        page = look.at("/games/", java_script_enabled=False)
        page.get_by_role("button", name="Hide results").click()
        page.locator(".game-line").first.click()
        page.get_by_role("link", name="Show the result").click()
        expect(page.locator(".chip.wide")).to_contain_text(" won ")
        page.goto(f"{live_server.url}/games/")
        page.get_by_role("button", name="Show results").click()
        expect(page.get_by_text("Result hidden")).to_have_count(0)
