"""Casual games and questions in Chromium: what everybody must be able to use, and what they weigh."""

import json

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from engines.asking import Answer
from engines.clock import ClockKind
from engines.outcome import Forfeit
from engines.record import Fault
from tests.factories import make_event, make_user, make_version, play_match
from tournaments.models import CasualGame, Match, Question
from tournaments.services.answers import claim, finish
from tournaments.services.casual import play
from tournaments.services.questions import ask_in_game
from tournaments.services.visitors import Asker, network_of

pytestmark = [pytest.mark.browser, pytest.mark.once, pytest.mark.serial, pytest.mark.slow,
              pytest.mark.django_db(transaction=True)]

TAGS = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}}
LONG = "W" * 40


def _answered(turn: str = "", fault: Fault | None = None) -> None:
    question = Question.objects.get(status="received")
    lease = claim(question_id=question.pk, worker="w", tier="standard", now=timezone.now())
    finish(lease, Answer(turn, fault, 0.25, 0.5, 0.1, ClockKind.CPU), timezone.now())


class _Visitor:
    """Somebody with a cookie, who begins games by the form and then looks at them in the browser."""

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


@pytest.fixture
def addresses(visitor, settings):
    settings.OPEN_CASUAL_GAMES = settings.OPEN_QUESTIONS = 9
    wide, other = make_version(LONG), make_version("Alder", owner="tom")
    bot = wide.bot.slug
    mine, waits, over, hex_game = (visitor.begin(bot), visitor.begin(bot, ruleset="squaresquared", size=7),
                                   visitor.begin(bot), visitor.begin(bot, ruleset="square-grid-hex", size=11, seat="1"))
    _answered("f6")
    asker = Asker(None, mine.visitor, network_of("127.0.0.1"))
    play(asker=asker, game=mine, text="c3", ply=0, now=timezone.now())
    _answered("d3,d4")
    play(asker=asker, game=waits, text="d4", ply=0, now=timezone.now())
    visitor.client.post(reverse("casual-resign", args=[over.token]))
    event = make_event([wide, other], ruleset="scware", size=8)
    game = play_match(Match.objects.get(event=event)).games.first()
    asked = ask_in_game(asker=Asker(make_user("pia")), game=game, ply=5, version=wide, now=timezone.now())
    lease = claim(question_id=asked.pk, worker="w", tier="standard", now=timezone.now())
    fault = Fault(1, Forfeit.PROTOCOL, "long" * 100, "the answer is no line of the protocol", 5)
    finish(lease, Answer("", fault, 0.2, 0.3, 0.1, ClockKind.CPU), timezone.now())
    table = reverse("casual-game", args=[mine.token])
    return [reverse("play", args=[bot]), table, f"{table}?stones=a1", f"{table}?stones=a1,b2",
            *(reverse("casual-game", args=[game.token]) for game in (waits, over, hex_game)),
            reverse("question", args=[asked.token])]


class TestEveryPage:
    @pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (390, "dark")])
    def test_can_be_used_by_everybody(self, look, visitor, addresses, width, theme):
        page = visitor.open(look, "/bots/", width=width, theme=theme, patience_ms=60_000)
        for address in addresses:
            assert page.goto(address).status == 200, address
            found = Axe().run(page, options=TAGS).response["violations"]
            assert [(v["id"], [node["target"] for node in v["nodes"]]) for v in found] == [], address

    def test_does_not_scroll_sideways_on_a_narrow_screen(self, look, visitor, addresses):
        page = visitor.open(look, "/bots/", width=320, patience_ms=60_000)
        for address in addresses:
            page.goto(address)
            assert page.evaluate("document.documentElement.scrollWidth") == 320, address

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
        expect(page.locator(".said")).to_have_text("You played c3. It is for Alder to move.", timeout=60_000)
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
