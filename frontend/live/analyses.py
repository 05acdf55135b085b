"""The replay document of an analysed game: per turn the best turn on the board, the chance, and what a judge says."""

from dataclasses import dataclass
from typing import Any

from engines.rules.errors import TurnError
from engines.rules.registry import find
from engines.rules.ruleset import Position
from frontend.drawing.board import Document
from frontend.drawing.views_plot import Track, chances_plot
from frontend.live.replays import Seats, name_of
from frontend.text import analysis as words
from tournaments.models import Game
from tournaments.scoring.analysis import TurningPoint, Verdict, first_seats, turning_points
from tournaments.selectors.casual.analyses import Judged, newest

# The chance that a result amounts to, by the winning seat.
_RESULT = {0: 1.0, 1: 0.0, None: 0.5}


@dataclass(frozen=True, slots=True)
class Line:
    """A turn in the table: its number, the mover, the turn played, and each judge's verdict on the position before."""

    number: int
    seat: int
    played: str
    verdicts: list[tuple[str, str]]
    best: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """An analysis as its page shows it.

    `judge` is the name of the main judge, which would have played `agreed` of the `compared` turns in the same way.
    """

    document: Document
    points: list[TurningPoint]
    lines: list[Line]
    plot: str
    judge: str
    agreed: int
    compared: int
    names: list[str]


def card_of(game: Game) -> dict[str, Any]:
    """The context of the card on the game's own page."""
    analysis = newest(game)
    return {"analysis": analysis, "analysis_state": words.state(analysis) if analysis else ""}


def shown_analysis(judged: Judged, document: Document, seats: Seats) -> Shown:
    """Join the verdicts with the game. Verdicts that the rules do not permit count as missing."""
    opening, names = document["opening"], [name_of(seat) for seat in seats]
    turns, judges = document["turns"][opening:], judged.analysis.judges
    checked, movers = _checked(judged, document), [turn["seat"] for turn in turns]
    main, judge = [row[judged.main] for row in checked], str(judges[judged.main])
    result = document["result"]
    chances = [*first_seats(main, movers), _RESULT[result["winner"]] if result["ended_by"] == "rule" else None]
    lines = [Line(number, turn["seat"], turn["text"], [_words(verdict) for verdict in row],
                  best=row[judged.main].turn == turn["text"])
             for number, (turn, row) in enumerate(zip(turns, checked, strict=True), start=opening + 1)]
    tracks = [Track(f"j{place}", _track([row[place] for row in checked], movers, opening))
              for place in range(len(judges))]
    return Shown(_told(document, main, chances, judge, names), turning_points(chances, movers, first=opening + 1),
                 lines, chances_plot(tracks, len(document["turns"])), judge, sum(line.best for line in lines),
                 sum(bool(verdict.turn) for verdict in main), names)


def _words(verdict: Verdict) -> tuple[str, str]:
    """The turn and the chance of the mover in a table, or why there are none."""
    if not verdict.turn:
        return "", words.missing(verdict)
    return verdict.turn, "" if verdict.win is None else words.whole_percent(verdict.win)


def _track(verdicts: list[Verdict], movers: list[int], opening: int) -> list[tuple[int, float]]:
    """The chances of seat 0 by the number of turns played. The plot begins after the first turn."""
    return [(turn, chance) for turn, chance in enumerate(first_seats(verdicts, movers), start=opening)
            if chance is not None and turn > 0]


def _checked(judged: Judged, document: Document) -> list[tuple[Verdict, ...]]:
    """The verdicts per turn; without a turn unless it is legal in its position."""
    ruleset = find(document["ruleset"]["slug"])
    position: Position = ruleset.start(document["board"]["size"])
    found = []
    for number, turn in enumerate(document["turns"]):
        index = number - document["opening"]
        if index >= 0:
            row = judged.rows[index] if index < len(judged.rows) else (Verdict(),) * len(judged.analysis.judges)
            found.append(tuple(verdict if _legal(position, verdict.turn) else Verdict(reason=verdict.reason)
                               for verdict in row))
        position = position.after(position.parse(turn["text"]))
    return found


def _legal(position: Position, text: str) -> bool:
    try:
        position.check(position.parse(text))
    except TurnError:
        return False
    return True


def _told(document: Document, main: list[Verdict], chances: list[float | None], judge: str,
          names: list[str]) -> Document:
    """The document whose turns have what the page says about them."""
    ruleset, opening = find(document["ruleset"]["slug"]), document["opening"]
    position: Position = ruleset.start(document["board"]["size"])
    turns: list[dict[str, Any]] = []
    known = 0.5
    for number, turn in enumerate(document["turns"]):
        index, more = number - opening, {}
        if index >= 0:
            verdict, (before, after) = main[index], chances[index:index + 2]
            same = verdict.turn == turn["text"]
            if before is not None and after is not None and turn["seat"] == 1:
                before, after = 1 - before, 1 - after
            said = [words.verdict_on(verdict, judge, same=same),
                    words.chance_around(names[turn["seat"]], before, after)]
            more = {"verdict": " ".join(filter(None, said)),
                    "best": [] if same or not verdict.turn else _cells(position, verdict.turn)}
        after_this = chances[index + 1] if index >= -1 else None
        known = known if after_this is None else after_this
        turns.append({**turn, **more, "chance": round(known, 3)})
        position = position.after(position.parse(turn["text"]))
    start = chances[0] if opening == 0 and chances[0] is not None else 0.5
    return {**document, "turns": turns, "chance": round(start, 3)}


def _cells(position: Position, text: str) -> list[int]:
    """The cells of the stones that this legal turn places."""
    return [cell for cell, seat in position.ops(position.parse(text)) if seat == position.seat_to_move]
