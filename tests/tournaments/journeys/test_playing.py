"""Complete games against a bot in the sandbox, by keyboard and without scripts, and a question to a bot."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.factories import make_event, play_match
from tests.frontend.conftest import browser_type_launch_args, look  # noqa: F401 - the browser's fixtures
from tests.tournaments.conftest import RANDOM_BOT
from tests.tournaments.site import PATIENCE_SECONDS, Site
from tournaments.models import CasualGame, Game, Match, Question

pytestmark = [pytest.mark.workers, pytest.mark.browser, pytest.mark.once, pytest.mark.serial, pytest.mark.slow]
HOSTILE = "<img src=x onerror=alert(1)>\x1b[2J\u202eevil"
NOISY = f"import sys; sys.stderr.buffer.write({HOSTILE.encode()!r})" + RANDOM_BOT.format(seed=1)
PATIENCE = PATIENCE_SECONDS * 1000


@pytest.fixture
def playing(site_environment, archives, tmp_path):
    """A coordinator and a worker that use the database and the Redis of the live site."""
    site = Site({**site_environment, "SQUAREFIELD_ARCHIVES": str(archives)}, tmp_path)
    site.start("coordinator")
    site.start("worker", "--concurrency", "1")
    yield site
    site.stop()


def _begin(page: Page, ruleset: str, size: int) -> None:
    page.get_by_role("link", name="Play against it").click()
    page.get_by_label("Ruleset").select_option(ruleset)
    page.get_by_label("Board").fill(str(size))
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_url("**/play/games/**")


def _is_over(page: Page) -> bool:
    """Wait until the bot has moved; return whether the game is over."""
    expect(page.locator(".said")).to_have_text(re.compile(r"Your turn|won|Draw"), timeout=PATIENCE)
    return "Your turn" not in page.locator(".said").inner_text()


def _put(page: Page, size: int = 4) -> None:
    """Move the cursor to the first possible next cell with the arrow keys, and place a stone there."""
    cell = int(page.locator(".target").first.get_attribute("data-cell"))
    while (at := page.evaluate("document.querySelector('play-table').at")) != cell:
        if at is None or at // size == cell // size:
            page.keyboard.press("ArrowRight" if at is None or at < cell else "ArrowLeft")
        else:
            page.keyboard.press("ArrowUp" if at < cell else "ArrowDown")
    before = page.locator(".said").inner_text()
    page.keyboard.press("Enter")
    expect(page.locator(".said")).not_to_have_text(before, timeout=PATIENCE)


class TestAPersonAgainstABot:
    def test_plays_a_complete_game_by_keyboard(self, look, playing, enter, staff):  # noqa: F811
        version = enter("random", staff)
        page = look.at(f"/bots/{version.bot.slug}/", patience_ms=PATIENCE)
        _begin(page, "squ", 4)
        page.wait_for_function("customElements.get('play-table') !== undefined")
        page.locator(".pane").focus()
        thought_again = False
        while not _is_over(page):
            _put(page)
            if "add a stone" in page.locator(".said").inner_text():
                if not thought_again:
                    page.keyboard.press("Backspace")
                    expect(page.locator(".said")).to_have_text(re.compile("Your turn"), timeout=PATIENCE)
                    _put(page)
                    thought_again = True
                _put(page)
                page.keyboard.press("Space")
            expect(page.locator(".said")).not_to_have_text(re.compile("complete"), timeout=PATIENCE)
        assert thought_again
        game = CasualGame.objects.get()
        assert (game.status, game.ended_by) == ("finished", "rule")
        assert sum(text.count(",") + 1 for text, _ in game.turns) == 16
        assert set(game.questions.values_list("status", flat=True)) == {"answered"}
        assert not Game.objects.exists()

    def test_plays_a_complete_game_without_scripts(self, look, playing, enter, staff):  # noqa: F811
        version = enter("random", staff)
        page = look.at(f"/bots/{version.bot.slug}/", patience_ms=PATIENCE, java_script_enabled=False)
        _begin(page, "square-grid-hex", 3)
        while not _is_over(page):
            page.locator("a.target").last.click()
            page.get_by_role("link", name="Take back").click()
            page.locator("a.target").first.click()
            page.get_by_role("button", name=re.compile("^Play ")).click()
        assert CasualGame.objects.get().status == "finished"
        expect(page.get_by_role("link", name="Play again")).to_be_visible(timeout=PATIENCE)


class TestAQuestionToABot:
    def test_is_answered_on_its_page_with_stderr_only_for_the_owner(
        self, look, playing, enter, staff, client,  # noqa: F811
    ):
        quiet, noisy = enter("Quiet", staff), enter("Noisy", staff, NOISY)
        event = make_event([quiet, noisy], ruleset="square-grid-hex", size=3)
        game = play_match(Match.objects.get(event=event)).games.first()
        page = look.at(f"/games/{game.pk}/?turn=0", patience_ms=PATIENCE)
        page.wait_for_function("customElements.get('replay-viewer') !== undefined")
        page.locator(".pane").focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        page.get_by_text("Ask a bot about this position").click()
        page.get_by_label("Bot", exact=True).select_option(label=str(noisy))
        page.get_by_role("button", name="Show its move").click()
        expect(page.locator(".said")).to_have_text(re.compile(f"{noisy} plays [a-c][1-3]"), timeout=PATIENCE)
        question = Question.objects.get()
        assert len(question.turns) == 2
        assert b"<img" in bytes(question.stderr)
        assert page.get_by_text("Standard error").count() == 0
        client.force_login(staff)
        shown = client.get(f"/questions/{question.token}/").content.decode()
        assert "&lt;img src=x onerror=alert(1)&gt;⟨U+001B⟩[2J⟨U+202E⟩evil" in shown
