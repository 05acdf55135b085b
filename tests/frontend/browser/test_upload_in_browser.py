"""An author's upload in Chromium, from the form to the bot's page: queue, build log, games, and the line to fix."""

import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Locator, Page, expect

from tests.factories import make_user
from tests.frontend.browser.looking import sign_in
from tests.tournaments.conftest import make_archive
from tournaments.models import Bot, Check, Submission
from tournaments.setup.bootstrap.children import Child

pytestmark = [pytest.mark.browser, pytest.mark.serial, pytest.mark.slow,
              pytest.mark.django_db(transaction=True)]

# The test holds the worker between the two lines. The name differs each time, because the result of a build is
# cached.
LINKED = r"printf '\\033[31mlinked <b>all</b>\\342\\200\\256\\n'"
BUILD = f"""["sh", "-c", "echo compiling {uuid4()}; sleep 20; {LINKED}"]"""
BROKEN = r"""["sh", "-c", "echo compiling rules; echo 'bot.c:3: error: no such thing'; exit 4"]"""


@pytest.fixture
def mia(db) -> User:
    return make_user("mia")


def _upload(page: Page, archive: bytes) -> Submission:
    """Sign in if the form requires it, and upload the archive."""
    sign_in(page)
    page.get_by_label("Archive").set_input_files({"name": "otter.zip", "mimeType": "application/zip",
                                                      "buffer": archive})
    page.get_by_role("button", name="Upload").click()
    page.wait_for_url(re.compile(r"/submissions/\d+/$"))
    return Submission.objects.get()


@contextmanager
def _paused(worker: Child) -> Iterator[None]:
    """Stop the worker's processes, including a running build."""
    os.killpg(worker.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.killpg(worker.pid, signal.SIGCONT)


def _step(page: Page, name: str) -> Locator:
    return page.get_by_role("list", name="Check").get_by_role("listitem").filter(
        has=page.get_by_text(name, exact=True))


@pytest.mark.workers
@pytest.mark.needs_servers
class TestAnUpload:
    @pytest.mark.journey
    def test_is_shown_waiting_building_and_playing_until_it_is_ready(self, look, site, mia):
        page = look.at("/upload/")
        _upload(page, make_archive("Otter", build=BUILD, rulesets='["squ"]'))
        page.evaluate("window.loaded = 'once'")
        said = page.get_by_role("status")
        expect(said).to_have_text("Waiting: no worker that can check it is running.")
        expect(_step(page, "build")).to_contain_text("pending")
        site.start("coordinator")
        worker = site.start("worker", "--concurrency", "1")
        site.wait_for(Check.objects.filter(log__contains="compiling").exists)
        log = page.get_by_role("region", name="Build log")
        with _paused(worker):
            expect(log).to_have_text(re.compile(r"^\s*compiling [-0-9a-f]+\s*$"))
            expect(_step(page, "build")).to_contain_text(re.compile(r"in progress.*\d+.s"))
        expect(log).to_contain_text("⟨U+001B⟩[31mlinked <b>all</b>⟨U+202E⟩")
        expect(page.get_by_role("heading", name="Ready")).to_be_visible()
        expect(_step(page, "qualification game 2 of 2, SQU 6×6")).to_contain_text("passed")
        expect(page.locator("#live")).not_to_have_attribute("data-live", re.compile("."))
        assert page.evaluate("window.loaded") == "once"

        page.get_by_role("link", name="Replay of game 2").click()
        page.wait_for_url(re.compile(r"/submissions/\d+/games/2/$"))
        count = page.locator("[data-count]")
        plies = re.fullmatch(r"(\d+) / \1", count.text_content())[1]
        page.wait_for_function("customElements.get('replay-viewer') !== undefined")
        page.locator(".pane").focus()
        page.keyboard.press("Home")
        page.keyboard.press("ArrowRight")
        expect(count).to_have_text(f"1 / {plies}")
        page.get_by_role("link", name="1", exact=True).click()
        page.wait_for_url(re.compile("/games/1/$"))
        page.get_by_role("link", name="Submission").click()
        page.get_by_role("link", name="Otter v1").click()
        expect(page.get_by_role("heading", name="Otter", exact=True)).to_be_visible()

    def test_whose_build_fails_shows_the_log_and_the_line_to_fix(self, look, site, mia):
        page = look.at("/upload/", java_script_enabled=False)
        _upload(page, make_archive("Otter", build=BROKEN))
        expect(page.get_by_role("status")).to_contain_text("Waiting")
        site.start("coordinator")
        site.start("worker", "--concurrency", "1")
        # The page reloads itself.
        expect(page.get_by_role("heading", name="Refused")).to_be_visible()
        expect(page.get_by_role("region", name="Line to fix")).to_have_text("bot.c:3: error: no such thing")
        expect(page.get_by_role("region", name="Build log")).to_contain_text("compiling rules")
        expect(_step(page, "build")).to_contain_text("failed")
        assert not Bot.objects.exists()
