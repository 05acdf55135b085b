"""An event in Chromium, from start to end, played by real workers; the page is never reloaded."""

import re

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from tests.factories import make_user, ready_version
from tests.tournaments.conftest import make_archive
from tournaments.models import Event, Version
from tournaments.services.bots.submissions import accept_upload
from tournaments.services.events.events import create_event
from tournaments.services.ladders.ladders import create_ladder

pytestmark = [pytest.mark.browser, pytest.mark.serial, pytest.mark.slow, pytest.mark.workers,
              pytest.mark.django_db(transaction=True)]

# Slow enough that its moves can be seen on the board.
SLOW_BOT = """
import sys, time
from random import Random
from engines.sdk import Bot, run

class SlowBot(Bot):
    name = "slow"
    rng = Random({seed})

    def choose(self, position, clock):
        time.sleep(0.3)
        return position.random_turn(self.rng)

run(SlowBot())
"""


@pytest.fixture
def event(site) -> Event:
    """Return an event with three bots on a small board, due now."""
    now = timezone.now()
    ladder = create_ladder(ruleset="square-grid-hex", size=4, base_seconds=60.0)
    versions = [_version(name) for name in ("Alder", "Basalt", "Cinder")]
    return create_event(name="Evening Cup", ladder=ladder, versions=versions, starts_at=now, now=now, seed=7,
                        created_by=make_user("organiser", staff=True), openings=False)


def _version(name: str) -> Version:
    code = SLOW_BOT.format(seed=sum(name.encode()))
    return ready_version(accept_upload(archive=make_archive(name, code), filename=f"{name}.zip",
                                       uploader=make_user("mia"), now=timezone.now()))


class TestAnEvent:
    def test_can_be_watched_from_start_to_end(self, look, site, event):
        page = look.at(f"/events/{event.slug}/")
        page.evaluate("window.loaded = 'once'")
        status = page.locator(".head .chip")
        expect(status).to_have_text("Scheduled")
        site.start("coordinator")
        site.start("worker", "--concurrency", "2", "--rulesets", "square-grid-hex")
        expect(status).to_have_text("Live")
        board = page.locator(".boards a").first
        expect(board).to_be_visible()

        game = page.context.new_page()
        game.goto(board.get_attribute("href"))
        game.wait_for_url(re.compile(r"/games/\d+/$"))
        count = game.locator("[data-count]")
        expect(count).to_have_text(re.compile(r"^(\d+) / \1$"))
        expect(game.locator(".chip.wide")).to_contain_text("won")

        done = page.locator(".facts dd").first
        expect(done).to_have_text(re.compile(r"^\s*[2-6] of 6"))
        expect(page.locator("a.cell").first).to_be_visible()
        expect(status).to_have_text("Finished")
        expect(done).to_have_text("6 of 6")
        first = page.get_by_role("region", name="Standings").get_by_role("row").nth(1)
        expect(first).to_contain_text(re.compile("Alder|Basalt|Cinder"))
        assert page.evaluate("window.loaded") == "once"
