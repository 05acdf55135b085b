"""Complete games against a bot in the sandbox, by keyboard and without scripts, and a question to a bot."""

import re

import pytest
from playwright.sync_api import expect

from tests.factories import make_event, play_match
from tests.frontend.conftest import browser_type_launch_args, look  # noqa: F401 - the browser's fixtures
from tests.tournaments.conftest import RANDOM_BOT
from tests.tournaments.site import Site
from tournaments.models import Match, Question

pytestmark = [pytest.mark.workers, pytest.mark.browser, pytest.mark.serial, pytest.mark.slow]
HOSTILE = "<img src=x onerror=alert(1)>\x1b[2J\u202eevil"
NOISY = f"import sys; sys.stderr.buffer.write({HOSTILE.encode()!r})" + RANDOM_BOT.format(seed=1)


@pytest.fixture
def playing(site_environment, archives, tmp_path):
    """A coordinator and a worker that use the database and the Redis of the live site."""
    site = Site({**site_environment, "SQUAREFIELD_ARCHIVES": str(archives)}, tmp_path)
    site.start("coordinator")
    site.start("worker", "--concurrency", "1")
    yield site
    site.stop()


class TestAQuestionToABot:
    def test_is_answered_on_its_page_with_stderr_only_for_the_owner(
        self, look, playing, enter, staff, client,  # noqa: F811
    ):
        quiet, noisy = enter("Quiet", staff), enter("Noisy", staff, NOISY)
        event = make_event([quiet, noisy], ruleset="square-grid-hex", size=3)
        game = play_match(Match.objects.get(event=event)).games.first()
        page = look.at(f"/games/{game.pk}/?turn=0")
        page.wait_for_function("customElements.get('replay-viewer') !== undefined")
        page.locator(".pane").focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        page.get_by_text("Ask a bot about this position").click()
        page.get_by_label("Bot", exact=True).select_option(label=str(noisy))
        page.get_by_role("button", name="Show its move").click()
        expect(page.locator(".said")).to_have_text(re.compile(f"{noisy} plays [a-c][1-3]"))
        question = Question.objects.get()
        assert len(question.turns) == 2
        assert b"<img" in bytes(question.stderr)
        assert page.get_by_text("Standard error").count() == 0
        client.force_login(staff)
        shown = client.get(f"/questions/{question.token}/").content.decode()
        assert "&lt;img src=x onerror=alert(1)&gt;⟨U+001B⟩[2J⟨U+202E⟩evil" in shown
