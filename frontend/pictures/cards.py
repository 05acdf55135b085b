"""Preview cards that other sites show for links to games, events and bots: SVG of 1200 × 630, rendered as PNG."""

import unicodedata
from collections.abc import Sequence
from html import escape
from typing import Final

from django.conf import settings

from engines.rules.registry import RULESETS
from frontend.documents.examples import short_game
from frontend.drawing import board, stones
from frontend.templatetags.squarefield import visible
from frontend.text import endings, formats, wording
from tournaments.models import Bot, Event, Game
from tournaments.selectors.bots import bots as bot_reads
from tournaments.selectors.events import events as event_reads

WIDTH: Final = 1200
HEIGHT: Final = 630
_MARGIN: Final = 60
_BOARD: Final = 510
# Boards on the site's card, and the space between them.
_BOARDS: Final = 5
_GAP: Final = 24
_STYLE: Final = """text{font-family:Inter;font-weight:600;fill:#1c1b1a}.soft{fill:#5e5a55}.accent{fill:#0f6f68}
.lines{fill:none;stroke:#cbbfa8;stroke-width:2.5}.star{fill:#cbbfa8}.wood{fill:#efe7d8}.last{fill:#dccfb4}
.trace{fill:none;stroke:#0f6f68;stroke-width:9;stroke-linejoin:round}"""
# The font has no glyphs for the others.
_BRACKETS: Final = str.maketrans("⟨⟩", "[]")
# Width of a wide letter relative to the font size, accurate enough to keep a line inside the picture.
_WIDE: Final = 1.0
_USUAL: Final = 0.6


def of_game(game: Game, document: board.Document) -> str:
    """The card of a game: both names, the result and the final position, drawn from its replay document."""
    frame = board.frame_at(document, len(document["turns"]))
    drawn = board.small(document, frame, "")
    names = [version.bot.name for version in (game.seat0, game.seat1)]
    room = WIDTH - _BOARD - 3 * _MARGIN
    winner = "Draw" if game.winner is None else f"{names[game.winner]} won"
    return _card([
        line(names[0], 190, 58, room),
        line("vs", 245, 34, room, "soft"),
        line(names[1], 310, 58, room),
        line(winner, 400, 34, room, "accent"),
        line(endings.how(endings.end_of(game, document)), 445, 28, room, "soft"),
        line(game.match.ladder.name, 500, 28, room, "soft"),
        f"<style>{stones.sheet([player['colour'] for player in document['players']])}</style>",
        drawn.replace("<svg ", f'<svg x="{WIDTH - _BOARD - _MARGIN}" y="{_MARGIN}" width="{_BOARD}" '
                               f'height="{_BOARD}" ', 1),
    ])


def of_site() -> str:
    """The card of every other page: the site, and the end of a short game of each ruleset."""
    room = WIDTH - 2 * _MARGIN
    side = (room - (_BOARDS - 1) * _GAP) // _BOARDS
    drawn = []
    for place, slug in enumerate(list(RULESETS)[:_BOARDS]):
        document = short_game(slug)
        picture = board.small(document, board.frame_at(document, len(document["turns"])), "")
        rules, mark = stones.sheet(RULESETS[slug].colours), f"ruleset{place}"
        style = "".join(f"#{mark} {rule}}}" for rule in rules.split("}") if rule)
        drawn.append(f'<style>{style}</style><g id="{mark}">' + picture.replace(
            "<svg ", f'<svg x="{_MARGIN + place * (side + _GAP)}" y="330" width="{side}" height="{side}" ', 1) + "</g>")
    return _card([line("Tournaments and ratings", 210, 62, room),
                  line("for bots that play board games", 270, 38, room, "soft"), *drawn])


def of_event(event: Event) -> str:
    """The card of an event: its name, format, ladder and status, and the leaders."""
    room = WIDTH - 2 * _MARGIN
    leaders = event_reads.standings(event)[:3] if event.started_at else []
    lines = [
        line(event.name, 190, 62, room),
        line(f"{formats.name(event)} · {event.ladder.name}", 250, 32, room, "soft"),
        line(wording.status(event.status), 305, 32, room, "accent"),
    ]
    for place, standing in enumerate(leaders):
        y = 395 + 58 * place
        lines += [line(standing.row.places, y, 36, 60, "soft"),
                  line(standing.entry.bot.name, y, 36, room - 70, left=_MARGIN + 60)]
    return _card(lines)


def of_bot(bot: Bot) -> str:
    """The card of a bot: its name, owner and ratings."""
    room = WIDTH - 2 * _MARGIN
    lines = [line(bot.name, 190, 66, room), line(f"by {bot.owner.username}", 250, 32, room, "soft")]
    for place, rating in enumerate(bot_reads.ratings(bot)[:4]):
        y = 340 + 58 * place
        name = RULESETS[rating.ladder.ruleset].name if rating.ladder.ruleset in RULESETS else rating.ladder.name
        lines += [line(f"{rating.value:.0f}", y, 40, 140, "accent"),
                  line(f"± {rating.plus_minus:.0f} · {name}", y, 32, room - 150, "soft", left=_MARGIN + 130)]
    return _card(lines)


def _card(parts: Sequence[str]) -> str:
    site = line(settings.SITE_NAME, 110, 30, 500, "soft", left=_MARGIN + 52)
    mark = (f'<rect x="{_MARGIN}" y="80" width="40" height="40" rx="10" class="wood"/>'
            f'<circle cx="{_MARGIN + 14}" cy="94" r="8" fill="#2456a6"/>'
            f'<circle cx="{_MARGIN + 27}" cy="107" r="8" fill="#f2a33a"/>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"><style>{_STYLE}</style>'
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fbfaf7"/>{mark}{site}{"".join(parts)}'
            f'<rect y="{HEIGHT - 12}" width="{WIDTH}" height="12" fill="#0f6f68"/></svg>')


def line(text: str, y: int, size: int, room: int, kind: str = "", *, left: int = _MARGIN) -> str:
    """A line of untrusted text, escaped and cut to the width `room`."""
    return (f'<text x="{left}" y="{y}" font-size="{size}"{f" class={chr(34)}{kind}{chr(34)}" if kind else ""}>'
            f"{escape(_fitting(visible(text).translate(_BRACKETS), size, room))}</text>")


def _fitting(text: str, size: int, room: int) -> str:
    left = room / size
    for number, character in enumerate(text):
        left -= _WIDE if unicodedata.east_asian_width(character) in "WF" or character in "WM@%" else _USUAL
        if left < _USUAL and number < len(text) - 1:
            return text[:number] + "…"
    return text
