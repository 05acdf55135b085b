"""A complete game in Chromium against the reference bot `random`, run by a real worker in its sandbox."""

import re
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from engines.sandbox.archives.unpack import pack
from tests.factories import make_user, ready_version
from tournaments.models import CasualGame, Version
from tournaments.services.bots.submissions import accept_upload

pytestmark = [pytest.mark.browser, pytest.mark.serial, pytest.mark.slow, pytest.mark.workers,
              pytest.mark.django_db(transaction=True)]

SIZE = 3
BOT = Path(__file__).resolve().parents[3] / "engines" / "bots" / "random"


@pytest.fixture
def version(site) -> Version:
    """Return the bot's version, and start a worker that runs it."""
    version = ready_version(accept_upload(archive=pack(BOT), filename="random.zip", uploader=make_user("mia"),
                                          now=timezone.now()))
    site.start("coordinator")
    site.start("worker", "--concurrency", "1", "--rulesets", "square-grid-hex")
    return version


def _begin(page: Page) -> None:
    page.get_by_label("Ruleset").select_option("square-grid-hex")
    page.get_by_label("Board").fill(str(SIZE))
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_url(re.compile("/play/.+/"))


def _play_to_the_end(page: Page, *, scripts: bool) -> str:
    """Choose the first legal cell, turn after turn, and return the result shown at the end."""
    over = page.locator(".chip.wide")
    mine_or_over = page.locator(".pane[data-keys]").or_(over)
    played = page.locator(".turns :is(.turn, a)")
    for _ in range(SIZE * SIZE):
        expect(mine_or_over).to_be_visible()
        if over.is_visible():
            break
        before = played.count()
        page.locator(".target").first.click()
        if not scripts:
            page.get_by_role("button", name="End the turn").click()
        expect(played.nth(before)).to_be_visible()
    return over.inner_text()


class TestAWholeGame:
    @pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without"])
    def test_against_random_is_played_to_the_end(self, look, version, scripts):
        page = look.at(f"/play/{version.bot.slug}/", java_script_enabled=scripts)
        _begin(page)
        said = _play_to_the_end(page, scripts=scripts)
        game = CasualGame.objects.get()
        assert "won" in said
        assert game.status == "finished"
        assert 5 <= len(game.turns) <= SIZE * SIZE + 1  # a swap adds a turn but no stone
