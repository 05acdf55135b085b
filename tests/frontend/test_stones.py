"""Stones have the colours named by their rulesets, wherever they are shown; games on rules pages, in Chromium."""

import colorsys
import io
import re
from itertools import product
from pathlib import Path

import pytest
from django.urls import reverse
from PIL import Image
from playwright.sync_api import expect

from engines.rules.registry import RULESETS
from frontend.drawing import stones
from tests.factories import make_event, make_version, play_match
from tournaments.models import Game, Match

SHEET = Path(stones.__file__).parents[1].joinpath("static").joinpath("frontend", "site.css").read_text(encoding="utf-8")
# Each seat's colour in the list of players, on the board, in the list of turns, and on its goal sides.
SEEN = """() => {
    const paint = (selector, property, part) => {
        const found = document.querySelector(selector);
        return found && getComputedStyle(found, part)[property];
    };
    return [0, 1].map(seat => [paint(`.player .stone .s${seat}`, 'fill'), paint(`.pane .board .s${seat}`, 'fill'),
                               paint(`.turns a[data-seat="${seat}"]`, 'backgroundColor', '::before'),
                               paint(`.pane .board .goal${seat}`, 'stroke')]);
}"""


def name_of(red: int, green: int, blue: int) -> str:
    """Return the everyday name of the colour."""
    hue, light, saturation = colorsys.rgb_to_hls(red / 255, green / 255, blue / 255)
    if saturation > 0.4 and 0.15 < light < 0.85:
        return "red" if hue < 0.03 or hue > 0.95 else "blue" if 0.55 < hue < 0.7 else f"hue {hue:.2f}"
    return "white" if light > 0.9 else "black" if light < 0.15 else "grey"


def contrast(one: str, other: str) -> float:
    def light(colour: str) -> float:
        digits = colour.removeprefix("#")
        digits = "".join(2 * digit for digit in digits) if len(digits) == 3 else digits
        parts = [int(digits[at:at + 2], 16) / 255 for at in (0, 2, 4)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


def both_themes(name: str) -> tuple[str, str]:
    """Return a colour of site.css in its light and dark variants."""
    found = re.search(rf"--{name}: (?:light-dark\((#\w+), (#\w+)\)|(#\w+));", SHEET)
    assert found is not None, name
    return found[1] or found[3], found[2] or found[3]


class TestPaints:
    def test_match_the_style_sheet_and_have_contrast(self) -> None:
        used = {colour for ruleset in RULESETS.values() for colour in ruleset.colours}
        for (theme, paints), colour in product(enumerate((stones.LIGHT, stones.DARK)), sorted(used)):
            fill, edge, on = paints[colour]
            assert (fill, edge, on) == tuple(both_themes(f"{colour}{part}")[theme] for part in ("", "-edge", "-on"))
            assert name_of(*(Image.new("RGB", (1, 1), fill).getpixel((0, 0)))) == colour
            assert contrast(fill, on) >= 4.5
            for ground in (both_themes("board")[theme], both_themes("surface")[theme]):
                assert max(contrast(fill, ground), contrast(edge, ground)) >= 3


@pytest.fixture
def game(ruleset: str, db: None) -> Game:
    event = make_event([make_version("Alder"), make_version("Basalt")], ruleset=ruleset, size=6)
    return play_match(Match.objects.get(event=event), seed=3, most_plies=12).games.first()


@pytest.mark.parametrize("ruleset", RULESETS)
class TestPictures:
    @pytest.mark.slow
    def test_name_and_draw_stones_in_that_colour(self, client, ruleset, game) -> None:
        colours = RULESETS[ruleset].colours
        style = client.get(reverse("game-svg", args=[game.pk])).content.decode()
        fills = [re.search(rf"\.s{seat}{{fill:(#\w+)", style)[1] for seat in (0, 1)]
        assert fills == [stones.LIGHT[colour].fill for colour in colours]
        card = client.get(reverse("game-card", args=[game.pk])).content
        picture = Image.open(io.BytesIO(card)).convert("RGB").crop((640, 60, 1140, 570))
        drawn = {colour for _, colour in picture.getcolors(1_000_000)}
        assert {Image.new("RGB", (1, 1), fill).getpixel((0, 0)) for fill in fills} <= drawn


@pytest.mark.browser
@pytest.mark.serial
@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
class TestInChromium:
    @pytest.mark.parametrize("ruleset", RULESETS)
    def test_are_shown_in_the_named_colour(self, look, ruleset, game) -> None:
        for theme in ("light", "dark"):
            for address in (reverse("game", args=[game.pk]), reverse("rule", args=[ruleset])):
                seen = look.at(address, theme=theme).evaluate(SEEN)
                for seat, colour in enumerate(RULESETS[ruleset].colours):
                    paints = [name_of(*map(int, re.findall(r"\d+", paint)[:3])) for paint in seen[seat] if paint]
                    assert len(paints) >= 2
                    assert set(paints) == {colour}, (address, theme, seat)

    def test_step_through_games_of_rules_with_keys_as_the_server_draws_them(self, look):
        page = look.at("/rules/squ/?turn=0")
        page.wait_for_function("customElements.get('replay-viewer') !== undefined")
        page.locator(".pane").focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        expect(page.locator("[data-count]")).to_have_text(re.compile("^2 /"))
        shown = page.locator(".pane .stones").inner_html()
        page.goto("/rules/squ/?turn=2")
        assert page.locator(".pane .stones").inner_html() == shown
