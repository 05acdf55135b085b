"""The pages in Chromium: replays, navigation, brackets, lists and themes."""

import json
import re
from itertools import pairwise

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from tests.factories import make_event, make_user, make_version, play_event, play_match
from tests.frontend.browser.looking import draws_as_the_server, focus_viewer, sizes_at
from tournaments.models import Game, Match
from tournaments.services.events.events import create_event, start_event

pytestmark = [pytest.mark.browser, pytest.mark.serial, pytest.mark.slow,
              pytest.mark.django_db(transaction=True)]

# Whether the list shows that turn's row completely.
IN_SIGHT = """turn => {
    const [row, list] = [document.querySelector(`a.now[data-turn="${turn}"]`), document.querySelector('[data-list]')]
        .map(element => element?.getBoundingClientRect());
    return row && row.top >= list.top && row.bottom <= list.bottom;
}"""


def _game(ruleset: str, size: int, *, most_plies: int = 60) -> Game:
    event = make_event([make_version("Alder"), make_version("Basalt")], ruleset=ruleset, size=size)
    return play_match(Match.objects.get(event=event), seed=11, most_plies=most_plies).games.first()


def _at_turn(page: Page, turn: int) -> None:
    expect(page.locator("[data-count]")).to_have_text(re.compile(rf"^{turn} /"))


class TestReplay:
    @pytest.mark.parametrize(("ruleset", "size"), [("ooscg-w", 6), ("squaresquared", 4), ("squ", 4)])
    def test_draws_every_turn_as_the_server_does(self, look, ruleset, size):
        game = _game(ruleset, size)
        page = look.at(f"/games/{game.pk}/?turn=0")
        focus_viewer(page)
        for turn in range(1, game.plies + 1):
            page.keyboard.press("ArrowRight")
            assert draws_as_the_server(page, turn)

    def test_steps_with_keys_slider_strip_list_and_buttons(self, look):
        game = _game("scware", 8)
        page = look.at(f"/games/{game.pk}/")
        last = game.plies
        focus_viewer(page)
        for key, turn in [("Home", 0), ("PageDown", 10), ("PageUp", 0), ("ArrowRight", 1), ("ArrowDown", 2),
                          ("ArrowUp", 1), ("ArrowLeft", 0), ("ArrowLeft", 0), ("End", last), ("ArrowRight", last)]:
            page.keyboard.press(key)
            _at_turn(page, turn)
        page.locator("[data-slider]").fill("4")
        _at_turn(page, 4)
        page.locator("[data-slider]").press("ArrowRight")
        _at_turn(page, 5)
        page.locator('a[data-turn="7"]').click()
        _at_turn(page, 7)
        page.locator('.lead a[href="?turn=9"]').click()
        _at_turn(page, 9)
        assert page.locator(".lead .now").get_attribute("x") == "8"
        page.locator('.lead a[href="?turn=7"]').click()
        _at_turn(page, 7)
        page.get_by_role("link", name="Previous turn").click()
        _at_turn(page, 6)
        page.locator("[data-strip]").click(position={"x": 2, "y": 20})
        _at_turn(page, 1)
        assert draws_as_the_server(page, 1)
        page.wait_for_url("**/?turn=1")

    def test_scrolls_the_list_to_the_turn_but_not_the_page(self, look):
        game = _game("ooscg-w", 14)
        assert game.plies == 60
        page = look.at(f"/games/{game.pk}/")
        page.wait_for_function(IN_SIGHT, arg=60)
        focus_viewer(page)
        page.keyboard.press("Home")
        keys = [("ArrowRight", turn) for turn in range(1, 61)] + [("ArrowLeft", turn) for turn in range(59, 40, -1)]
        for key, turn in keys:
            page.keyboard.press(key)
            page.wait_for_function(IN_SIGHT, arg=turn)
        for turn in (30, 1):
            page.goto(f"/games/{game.pk}/?turn={turn}")
            page.wait_for_function(IN_SIGHT, arg=turn)
        assert page.evaluate("scrollY") == 0

    def test_autoplays_on_space_and_ignores_keys_elsewhere(self, look):
        game = _game("scware", 8)
        page = look.at(f"/games/{game.pk}/?turn=0")
        focus_viewer(page)
        page.locator("[data-speed]").select_option("4")
        page.locator(".pane").focus()
        page.keyboard.press("Space")
        expect(page.locator("[data-count]")).not_to_have_text(re.compile("^[01] /"))
        page.keyboard.press("Space")
        assert page.get_by_role("button", name="Play").count() == 1
        page.keyboard.press("Home")
        page.locator(".brand").focus()
        page.keyboard.press("ArrowRight")
        _at_turn(page, 0)

    def test_steps_without_scripts(self, look):
        game = _game("scware", 8)
        page = look.at(f"/games/{game.pk}/?turn=3", java_script_enabled=False)
        expect(page.get_by_role("button", name="Copy link")).to_be_hidden()
        page.get_by_role("link", name="Next turn").click()
        _at_turn(page, 4)
        page.locator('a[data-turn="2"]').click()
        _at_turn(page, 2)
        page.locator('.lead a[href="?turn=6"]').click()
        _at_turn(page, 6)


class TestNavigation:
    @pytest.mark.parametrize(("width", "language"), [(390, "en"), (320, "de")])
    def test_fits_a_phone_without_scripts(self, look, width, language):
        page = look.at("/bots/", width=width, java_script_enabled=False, locale=language)
        tabs, others, menu = (page.locator(f"header nav {part}") for part in ("> a", "> div a", "button"))
        boxes = [part.bounding_box() for part in (*tabs.all(), menu)]
        assert all(box["x"] >= 0 and box["x"] + box["width"] <= width for box in boxes)
        # Five tabs and a menu in one row, in which no text is cut off.
        assert (tabs.count(), len({box["y"] + box["height"] / 2 for box in boxes})) == (5, 1)
        assert tabs.evaluate_all("all => all.filter(link => link.scrollWidth > link.clientWidth)") == []
        assert (others.count(), others.first.is_visible()) == (3, False)
        menu.click()
        expect(others.last).to_be_visible()
        page.keyboard.press("Escape")
        expect(others.last).not_to_be_visible()

    def test_has_no_menu_on_a_wide_screen(self, look):
        page = look.at("/bots/")
        assert [link.is_visible() for link in page.locator("header nav a").all()] == [True] * 8
        assert not page.locator("nav button").is_visible()


class TestAGameOnAPhone:
    def test_begins_with_the_board(self, look):
        page = look.at(f"/games/{_game('squ', 4).pk}/", width=390)
        board, heading, players = (page.locator(part).bounding_box()["y"] for part in (
            ".pane svg.board", "h1", "[aria-label=Players]"))
        assert board < heading < players


class TestBracket:
    def test_has_lines_from_the_middle_of_two_ties_to_the_next_and_highlights_a_path(self, look):
        bots = [make_version(f"Elm {number}") for number in range(8)]
        cup = create_event(name="Cup", ladder=make_event(bots[:2]).ladder, versions=bots, format="knockout", seed=7,
                           starts_at=None, created_by=make_user("organiser"), now=timezone.now())
        start_event(event=cup, now=timezone.now())
        page = look.at(f"/events/{cup.slug}/")
        columns = [[tie.bounding_box() for tie in column.locator(".tie").all()]
                   for column in page.locator(".bracket > section").all()]
        assert [len(column) for column in columns] == [4, 2, 1]
        middle = [[box["y"] + box["height"] / 2 for box in column] for column in columns]
        for before, after in pairwise(middle):
            for place, height in enumerate(after):
                assert height == pytest.approx((before[2 * place] + before[2 * place + 1]) / 2, abs=1)
        colour = "all => all.map(side => getComputedStyle(side).backgroundColor)"
        before = page.locator(".side.e1, .side.e2").evaluate_all(colour)
        page.locator(".e1 a").hover()
        after = page.locator(".side.e1, .side.e2").evaluate_all(colour)
        assert (len(set(before)), len(set(after))) == (1, 2)
        page.locator(".e2 a").click()
        expect(page.locator(".side.e2")).to_have_class(re.compile(r"\bpath\b"))
        assert page.url.endswith("?path=2#bracket")


class TestTheme:
    def test_is_remembered_and_applied_before_the_first_paint(self, look):
        page = look.at("/")
        button = page.locator("[data-theme-button]")
        for theme in ("light", "dark"):
            button.click()
            expect(page.locator("html")).to_have_attribute("data-theme", theme)
        page.goto("/bots/", wait_until="commit")
        page.wait_for_selector("body", state="attached")
        assert page.evaluate("document.documentElement.dataset.theme") == "dark"
        assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(19, 20, 23)"


class TestBudget:
    def test_of_a_first_visit_is_met(self, look):
        sizes = sizes_at(look.at("/bots/"), f"/games/{_game('scware', 8).pk}/")
        # A second style sheet would delay rendering by a round trip.
        assert sizes.pop("linked") == 0
        # The style sheet is part of the page.
        assert 4_000 < sizes.pop("styles") <= 10_240
        assert sizes["scripts"] <= 25_600
        assert sum(sizes.values()) <= 102_400, json.dumps(sizes)

    def test_of_a_casual_game_on_the_largest_board_is_met(self, look):
        page = look.at(f"/play/{make_version('Alder').bot.slug}/")
        page.get_by_label("Ruleset").select_option("ooscg-w")
        page.get_by_label("Board").fill("19")
        page.get_by_role("button", name="Play", exact=True).click()
        page.wait_for_url("**/play/games/*/")
        sizes = sizes_at(page, page.url)
        assert sizes["scripts"] <= 25_600
        assert sizes["page"] <= 20_480, json.dumps(sizes)


class TestAListOfGames:
    def test_with_fewer_items_than_columns_has_no_trailing_line(self, look):
        play_event(make_event([make_version("Alder"), make_version("Basalt")]))
        page = look.at("/games/")
        items = page.locator(".rows.grid > li")
        assert items.count() == 2
        boxes = [item.bounding_box() for item in items.all()]
        assert boxes[0]["y"] == boxes[1]["y"], "they are next to each other"
        assert items.evaluate_all("all => all.map(item => getComputedStyle(item).borderRightWidth)") == ["0px", "0px"]
        assert boxes[1]["x"] + boxes[1]["width"] < page.locator(".rows.grid").bounding_box()["width"]


class TestTheSearchBox:
    def test_is_reached_with_a_key_and_leaves_other_fields_alone(self, look, db):
        make_version("Alder")
        page = look.at(reverse("bots"))
        page.keyboard.press("/")
        expect(page.locator("#site-search")).to_be_focused()
        page.keyboard.type("ald/")
        expect(page.locator("#site-search")).to_have_value("ald/")
        page.keyboard.press("Backspace")
        page.keyboard.press("Enter")
        page.wait_for_url("**/search/?q=ald")
        expect(page.get_by_role("link", name="Alder", exact=True)).to_be_visible()

    def test_is_a_page_of_its_own_on_a_phone(self, look, db):
        page = look.at(reverse("bots"), width=390)
        page.keyboard.press("/")
        page.wait_for_url("**/search/")
        expect(page.locator("#q")).to_be_focused()
