"""Casual games in Chromium: mouse and keyboard input, and page size."""

import json

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from engines.records.record import Fault
from engines.records.time_control import ClockKind
from engines.referee.questions import Answer
from tests.factories import make_version
from tournaments.models import CasualGame, Question
from tournaments.services.casual.answers import claim, finish

pytestmark = [pytest.mark.browser, pytest.mark.once, pytest.mark.serial, pytest.mark.slow,
              pytest.mark.django_db(transaction=True)]


def _answered(turn: str = "", fault: Fault | None = None) -> None:
    question = Question.objects.get(status="received")
    lease = claim(question_id=question.pk, worker="w", tier="standard", now=timezone.now())
    finish(lease, Answer(turn, fault, 0.25, 0.5, 0.1, ClockKind.CPU), timezone.now())


class _Visitor:
    """A visitor with a cookie who starts games with the form and then opens them in the browser."""

    def __init__(self) -> None:
        self.client = Client()

    def begin(self, bot: str, **terms) -> CasualGame:
        answer = self.client.post(reverse("play", args=[bot]), {"ruleset": "squ", "size": 6, "pace": "normal",
                                                                "seat": "0", **terms})
        return CasualGame.objects.get(token=answer["Location"].split("/")[-2])

    def open(self, look, path: str, **options) -> Page:
        page = look.at("/bots/", **options)
        cookie = self.client.cookies["visitor"].value
        page.context.add_cookies([{"name": "visitor", "value": cookie, "url": page.url.removesuffix("bots/")}])
        page.goto(path)
        return page


@pytest.fixture
def visitor():
    return _Visitor()


class TestThePage:
    def test_is_small_on_the_largest_board(self, look, visitor):
        game = visitor.begin(make_version("Alder").bot.slug, ruleset="ooscg-w", size=19)
        page = visitor.open(look, reverse("casual-game", args=[game.token]), patience_ms=60_000)
        sizes = page.evaluate("""async () => {
            const squeezed = async url => {
                const stream = (await fetch(url)).body.pipeThrough(new CompressionStream('gzip'));
                return (await new Response(stream).arrayBuffer()).byteLength;
            };
            const scripts = [...document.querySelectorAll('script[src]')].map(script => squeezed(script.src));
            const all = (await Promise.all(scripts)).reduce((a, b) => a + b, 0);
            return {page: await squeezed(location.href), scripts: all};
        }""")
        assert sizes["scripts"] <= 25_600
        assert sizes["page"] <= 20_480, json.dumps(sizes)


class TestTheTable:
    def test_is_played_by_mouse_and_keeps_the_focus_for_keys(self, look, visitor):
        game = visitor.begin(make_version("Alder").bot.slug)
        page = visitor.open(look, reverse("casual-game", args=[game.token]), patience_ms=60_000)
        page.wait_for_function("customElements.get('play-table') !== undefined")
        page.locator('.target[data-cell="14"]').click()
        expect(page.locator(".said")).to_have_text("You played c3. Alder is to move.", timeout=60_000)
        page.locator(".pane").focus()
        _answered("d3,d4")
        expect(page.locator(".said")).to_have_text("Alder played d3 d4. Your turn: a stone.", timeout=60_000)
        expect(page.locator(".pane")).to_be_focused(timeout=60_000)
        page.keyboard.press("ArrowUp")
        expect(page.locator("[data-cursor]")).to_have_text("c4: empty")
        page.keyboard.press("ArrowRight")
        expect(page.locator("[data-cursor]")).to_have_text("d4: black")
        page.keyboard.press("Enter")
        expect(page.locator("[data-undo]")).to_have_count(0)
