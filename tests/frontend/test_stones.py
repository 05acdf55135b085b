"""Stones have the colours named by their rulesets, wherever they are shown."""

import colorsys
import io
import re
from pathlib import Path

import pytest
from django.urls import reverse
from PIL import Image

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
    @pytest.mark.parametrize("colour", sorted({colour for ruleset in RULESETS.values() for colour in ruleset.colours}))
    def test_match_the_style_sheet_and_have_contrast(self, colour: str) -> None:
        for theme, paints in enumerate((stones.LIGHT, stones.DARK)):
            fill, edge, on = paints[colour]
            assert (fill, edge, on) == tuple(both_themes(f"{colour}{part}")[theme] for part in ("", "-edge", "-on"))
            assert name_of(*(Image.new("RGB", (1, 1), fill).getpixel((0, 0)))) == colour
            assert contrast(fill, on) >= 4.5
            for ground in (both_themes("board")[theme], both_themes("surface")[theme]):
                assert max(contrast(fill, ground), contrast(edge, ground)) >= 3


@pytest.fixture
def game(ruleset: str, transactional_db: None) -> Game:
    event = make_event([make_version("Alder"), make_version("Basalt")], ruleset=ruleset, size=6)
    return play_match(Match.objects.get(event=event), seed=3, most_plies=12).games.first()


@pytest.mark.browser
@pytest.mark.serial
@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("ruleset", RULESETS)
class TestStones:
    def test_are_shown_in_the_named_colour(self, look, ruleset, game) -> None:
        for theme in ("light", "dark"):
            for address in (reverse("game", args=[game.pk]), reverse("rule", args=[ruleset])):
                seen = look.at(address, theme=theme).evaluate(SEEN)
                for seat, colour in enumerate(RULESETS[ruleset].colours):
                    paints = [name_of(*map(int, re.findall(r"\d+", paint)[:3])) for paint in seen[seat] if paint]
                    assert len(paints) >= 2
                    assert set(paints) == {colour}, (address, theme, seat)

    def test_are_named_and_drawn_in_that_colour_in_pictures(self, client, ruleset, game) -> None:
        colours = RULESETS[ruleset].colours
        for address in ("game-svg", "game-card"):
            answer = client.get(reverse(address, args=[game.pk]))
            if address == "game-svg":
                style = answer.content.decode()
                fills = [re.search(rf"\.s{seat}{{fill:(#\w+)", style)[1] for seat in (0, 1)]
                assert fills == [stones.LIGHT[colour].fill for colour in colours]
            else:
                picture = Image.open(io.BytesIO(answer.content)).convert("RGB")
                drawn = {picture.getpixel((x, y)) for x in range(640, 1140, 2) for y in range(60, 570, 2)}
                wanted = {Image.new("RGB", (1, 1), stones.LIGHT[colour].fill).getpixel((0, 0)) for colour in colours}
                assert wanted <= drawn
