"""Casual games in Chromium: mouse and keyboard input."""

import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from engines.records.record import Fault
from engines.records.time_control import ClockKind
from engines.referee.questions import Answer
from engines.rules.notation import parse_cell
from tests.factories import make_version
from tests.frontend.browser.looking import check_page
from tournaments.models import CasualGame, Question
from tournaments.services.casual.answers import claim, finish

pytestmark = [pytest.mark.browser, pytest.mark.serial, pytest.mark.slow,
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

    def play(self, game: CasualGame, *turns: str) -> None:
        """Play these turns, the visitor's and the bot's in turn, without a browser."""
        for mine, answer in zip(turns[::2], turns[1::2], strict=True):
            game.refresh_from_db()
            self.client.post(reverse("casual-turn", args=[game.token]), {"turn": mine, "ply": len(game.turns)})
            _answered(answer)

    def look_at(self, look, game: CasualGame, **options) -> Page:
        page = self.open(look, reverse("casual-game", args=[game.token]), **options)
        page.wait_for_function("customElements.get('play-table') !== undefined")
        return page


class _Hands:
    """A way to play that counts its steps: `place` and `take_back` stones, and `end` the turn."""

    def __init__(self, page: Page, size: int) -> None:
        self.page, self.size, self.steps = page, size, 0

    def place(self, cell: str) -> None:
        self.act("place", parse_cell(cell, self.size))

    def take_back(self) -> None:
        self.act("take_back")

    def end(self) -> None:
        self.act("end")

    def act(self, name: str, *cells: int) -> None:
        """Take one step, and wait until the page has shown its result."""
        self.steps += 1
        self.page.evaluate("() => document.querySelector('.table').dataset.old = ''")
        getattr(self, f"_{name}")(*cells)
        expect(self.page.locator("[data-old]")).to_have_count(0)


class _Mouse(_Hands):
    def _place(self, cell: int) -> None:
        self.page.locator(f'.target[data-cell="{cell}"]').click()

    def _take_back(self) -> None:
        self.page.get_by_role("link", name="Take back").click()

    def _end(self) -> None:
        self.page.get_by_role("button", name="End the turn").click()


class _Keyboard(_Hands):
    """The arrow keys are not counted: they point, as the mouse does when it moves."""

    at = (0, 0)

    def point(self, cell: int) -> None:
        row, column = divmod(cell, self.size)
        for key, steps in (("Up", row - self.at[0]), ("Right", column - self.at[1])):
            for _ in range(abs(steps)):
                self.page.keyboard.press(f"Arrow{key if steps > 0 else {'Up': 'Down', 'Right': 'Left'}[key]}")
        self.at = (row, column)

    def _place(self, cell: int) -> None:
        self.point(cell)
        self.page.keyboard.press("Enter")

    def _take_back(self) -> None:
        self.page.keyboard.press("Backspace")

    def _end(self) -> None:
        self.page.keyboard.press("e")


@pytest.fixture
def visitor():
    return _Visitor()


class TestATurnOfSeveralStones:
    """Scware on 6×6: the visitor has the groups b2 and e5, and each turn grows both."""

    def test_takes_the_same_steps_by_mouse_and_by_keyboard(self, look, visitor):
        game = visitor.begin(make_version("Alder").bot.slug, ruleset="scware")
        visitor.play(game, "b2", "a6", "e5", "f1")
        page = visitor.look_at(look, game, theme="dark")
        mouse, keyboard = _Mouse(page, 6), _Keyboard(page, 6)
        said, here = page.locator(".said"), page.locator("[data-cursor]")
        for hands, first, wrong, second in ((mouse, "b3", "e4", "e6"), (keyboard, "b4", "d6", "f5")):
            if hands is keyboard:
                page.locator(".pane").focus()
                page.keyboard.press("ArrowDown")
                keyboard.at = divmod(parse_cell("e5", 6), 6)
            hands.place(first)
            expect(said).to_contain_text(f"{first} grows your")
            expect(said).to_contain_text("Your e5 group may also grow." if hands is mouse else "Your e5 group may also")
            hands.place(wrong)
            expect(page.locator(".targets .hollow")).to_have_count(4)
            hands.take_back()
            hands.place(second)
            hands.end()
            expect(said).to_contain_text("Alder is to move.")
            expect(page.locator(".hollow")).to_have_count(0)
            _answered("a5" if hands is mouse else "a4")
            expect(said).to_contain_text("Your turn")
        assert mouse.steps == keyboard.steps == 5
        game.refresh_from_db()
        assert [text for text, _ in game.turns] == ["b2", "a6", "e5", "f1", "b3,e6", "a5", "b4,f5", "a4"]
        keyboard.point(parse_cell("c1", 6))
        expect(here).to_contain_text("c1 and b2 would touch diagonally without being in one group.")
        page.locator(f'.closed[data-cell="{parse_cell("a1", 6)}"]').click()
        expect(here).to_contain_text("a1 and b2 would touch diagonally")
        check_page(page, widths=(1280,))


class TestAWholeGame:
    """Square Grid Hex on 3×3: one stone per turn, which is played at once."""

    @pytest.mark.journey
    def test_is_played_by_mouse_and_keyboard_and_ends_with_replay_and_rematch(self, look, visitor):
        game = visitor.begin(make_version("Alder").bot.slug, ruleset="square-grid-hex", size=3)
        page = visitor.look_at(look, game, width=390)
        mouse, keyboard, said = _Mouse(page, 3), _Keyboard(page, 3), page.locator(".said")
        mouse.place("b2")
        expect(said).to_contain_text("Alder is to move.")
        _answered("a1")
        expect(said).to_contain_text("Your turn")
        page.locator(".pane").focus()
        page.keyboard.press("ArrowDown")
        keyboard.at = (0, 1)
        keyboard.place("b1")
        expect(page.locator("[data-wait]")).to_have_count(1)
        assert mouse.steps == keyboard.steps == 1
        _answered("a2")
        expect(said).to_contain_text("Your turn")
        expect(page.locator(".pane")).to_be_focused()
        page.context.set_offline(True)
        page.locator('.target[data-cell="7"]').click()
        expect(page.get_by_text("No connection to the site.")).to_be_visible()
        page.context.set_offline(False)
        expect(page.get_by_text("No connection to the site.")).to_be_hidden()
        assert all("ERR_INTERNET_DISCONNECTED" in complaint for complaint in look.complaints)
        look.complaints.clear()
        page.locator('.target[data-cell="7"]').click()
        expect(said).to_have_text("You won by connecting north and south.")
        expect(page.locator("[data-count]")).to_have_text("5 / 5")
        page.get_by_role("link", name="First turn").click()
        expect(page.locator("[data-count]")).to_have_text("0 / 5")
        page.get_by_role("link", name="Next turn").click()
        expect(page).to_have_url(re.compile(r"\?turn=1$"))
        expect(page.locator("#share pre")).to_have_text(re.compile(f"{game.token}/$"))
        check_page(page, widths=(1280,))
        page.get_by_role("button", name="Rematch with sides swapped").click()
        expect(said).to_have_text("Start of the game. Alder is to move.")
        assert CasualGame.objects.exclude(pk=game.pk).get().seat == 1
