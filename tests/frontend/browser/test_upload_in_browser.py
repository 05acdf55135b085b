"""An author's upload in Chromium, from the form to the bot's page: queue, build log, games, and the line to fix."""

import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from django.utils import timezone
from playwright.sync_api import Locator, Page, expect

from engines.check import Failure, Stage, Step
from tests.factories import make_user, random_record
from tests.tournaments.conftest import make_archive
from tournaments.models import Bot, Check, Submission
from tournaments.services.bots.check_notes import note_game, note_log, note_steps
from tournaments.services.bots.qualification import claim, refuse
from tournaments.services.bots.submissions import accept_upload
from tournaments.setup.bootstrap.children import Child

pytestmark = [pytest.mark.browser, pytest.mark.serial, pytest.mark.slow,
              pytest.mark.django_db(transaction=True)]

TAGS = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}}
# The test holds the worker between the two lines. The name differs each time, because the result of a build is
# cached.
BUILD = rf"""["sh", "-c", "echo compiling {uuid4()}; sleep 8; printf '\\033[31mlinked <b>all</b>\\342\\200\\256\\n'"]"""
BROKEN = r"""["sh", "-c", "echo compiling rules; echo 'bot.c:3: error: no such thing'; exit 4"]"""


@pytest.fixture
def mia(db) -> User:
    return make_user("mia")


def _upload(page: Page, archive: bytes) -> Submission:
    """Sign in if the form requires it, and upload the archive."""
    page.get_by_label("Username").fill("mia")
    page.get_by_label("Password").fill("mia")
    page.locator("main").get_by_role("button", name="Sign in").click()
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
class TestAnUpload:
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

    def test_that_qualified_shows_its_games_without_scripts(self, look, site, mia):
        page = look.at("/upload/", java_script_enabled=False)
        _upload(page, make_archive("Otter", rulesets='["square-grid-hex"]'))
        site.start("coordinator")
        site.start("worker", "--concurrency", "1")
        page.get_by_role("link", name="Replay of game 1").click()
        page.get_by_role("link", name="First turn").click()
        page.get_by_role("link", name="Next turn").click()
        expect(page.locator("[data-count]")).to_have_text(re.compile("^1 / "))


class TestEveryPage:
    @pytest.fixture
    def addresses(self, mia, settings, tmp_path) -> list[str]:
        """Return the addresses of a waiting, a building and a failed upload, and of the game that the last one lost."""
        settings.STORAGES = {**settings.STORAGES, "default": {**settings.STORAGES["default"],
                                                              "OPTIONS": {"location": str(tmp_path)}}}
        now = timezone.now()
        uploads = [accept_upload(archive=make_archive(name), filename=f"{'W' * 60}.zip", uploader=mia, now=now)
                   for name in ("W" * 40, "Otter", "Beaver")]
        leases = [claim(submission_id=upload.pk, worker="w:1", tier="standard", now=now) for upload in uploads[1:]]
        for lease in leases:
            note_steps(lease.check, [Step(Stage.UNPACK, "unpack", passed=True, note="long" * 80),
                                     Step(Stage.BUILD, "build")])
            note_log(lease.check, "\x1b[31m" + "long" * 80 + "\n" * 60)
        note_game(leases[1].check, 1, random_record("squ", 6, ("Beaver", "random"), 3, fault_after=4))
        note_steps(leases[1].check, [Step(Stage.GAME, "qualification game 1 of 10, SQU 6×6", passed=False, note="no")])
        refuse(leases[1], Failure(Stage.GAME, "game", "no", "long" * 80, "long" * 80), log="long" * 80, now=now)
        return ["/upload/", *(f"/submissions/{upload.pk}/" for upload in uploads),
                f"/submissions/{uploads[2].pk}/games/1/"]

    @pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (390, "dark")])
    def test_is_accessible_and_does_not_scroll_sideways(self, look, client, mia, addresses, width, theme):
        client.force_login(mia)
        page = look.at("/bots/", width=width, theme=theme)
        page.context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value,
                                   "url": page.url.removesuffix("bots/")}])
        for address in addresses:
            assert page.goto(address).status == 200, address
            found = Axe().run(page, options=TAGS).response["violations"]
            assert [(v["id"], [node["target"] for node in v["nodes"]]) for v in found] == [], address
            page.set_viewport_size({"width": 320, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") == 320, address
            page.set_viewport_size({"width": width, "height": 800})
