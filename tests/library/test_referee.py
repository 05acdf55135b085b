"""`squarefield.referee` and `squarefield.records`, which the wheel takes from `tournaments.library`."""

import time
from dataclasses import replace
from pathlib import Path

import pytest

from engines.records.record import RecordError, TurnRecord
from engines.records.time_control import ClockKind
from engines.rules.errors import NotationError
from engines.rules.notation import RESIGN
from engines.rules.ruleset import Position
from engines.view import View
from tournaments.library import ratings, records, referee


def first(position: Position) -> str:
    return position.format(next(position.legal_turns()))


def nothing(position: Position) -> None:
    """Return no turn, as a function does that forgets to."""


class TestAGameOfFunctions:
    def test_is_forfeited_by_an_illegal_turn(self) -> None:
        record = referee.play("square-grid-hex", first, lambda position: "z9", size=4, opening=["b2"])
        assert (record.result.winner, record.result.reason, record.fault.line) == (0, "illegal", "z9")
        records.verify(record)

    def test_is_forfeited_by_time(self) -> None:
        def slow(position: Position) -> str:
            time.sleep(0.3)
            return first(position)

        record = referee.play("squ", slow, first, size=4, time="0.001/turn")
        assert (record.result.winner, record.result.reason) == (1, "time")

    def test_refuses_what_is_no_turn(self) -> None:
        with pytest.raises(NotationError, match=r"player 'nothing' has not returned a turn: .* \(0, 1\), not 'None'"):
            referee.play("squ", nothing, first, size=4)

    def test_is_the_same_after_writing_and_reading(self, tmp_path: Path) -> None:
        record = referee.play("squ", first, first, size=4, names=("line\u2028line", "\x85"))
        odd = TurnRecord("a1", 1 / 3, 2 / 3, 0.1 + 0.2, View(2 / 3, 5, 7, ("a1",)))
        other = replace(record, seed=5, overhead=1 / 7, turns=(odd, *record.turns))
        for given in ([record], [record, other, record], []):
            records.write(tmp_path / "games", given)
            assert records.read(tmp_path / "games") == given

    def test_is_drawn_at_the_ply_cap(self) -> None:
        record = referee.play("squ", first, first, size=4, ply_cap=3)
        assert (len(record.turns), record.result.reason) == (3, "ply cap")


@pytest.mark.serial
class TestAGameOfAFunctionAndAProgram:
    @pytest.mark.parametrize("function_first", [True, False])
    def test_is_recorded_with_both(self, *, function_first: bool) -> None:
        players = (first, "random") if function_first else ("random", first)
        record = referee.play("squ", *players, size=4, opening=["a1", "b2,c3"])
        assert [seat.name for seat in record.seats] == (["first", "random"] if function_first else ["random", "first"])
        assert record.seats[not function_first].program == "python function"
        assert (record.clock, record.fault) == (ClockKind.WALL, None)
        assert len(list(records.replay(record))) == len(record.turns) + 3

    def test_does_not_let_a_program_use_a_clock_that_is_not_there(self) -> None:
        record = referee.play("squ", "montecarlo", lambda position: (RESIGN,), size=4)
        assert record.turns[0].wall < 30  # a second without a clock, more than an hour with a day

    def test_is_forfeited_by_either(self) -> None:
        record = referee.play("squ", "random", lambda position: "a9", size=4)
        assert (record.result.winner, record.fault.line) == (0, "a9")
        late = referee.play("squ", lambda position: time.sleep(0.3) or first(position), "random", time="0.001/turn")
        assert (late.result.winner, late.result.reason) == (1, "time")


@pytest.mark.serial
def test_programs_play_under_given_names() -> None:
    record = referee.play("squ", "random", "greedy", size=4, names=("a", "b"), time="5+0.1", unsafe_local=True)
    assert [seat.name for seat in record.seats] == ["a", "b"]
    assert next(ratings.results([record]))[:2] == ("a", "b")
    assert len(list(records.replay(record))) == len(record.turns) + 1


class TestRecords:
    def test_are_read_as_they_were_written(self, tmp_path: Path) -> None:
        game = referee.play("square-grid-hex", first, first, size=4)
        records.write(tmp_path / "games.jsonl", [game, game])
        again = records.read(tmp_path / "games.jsonl")
        assert [each.turns[0].turn for each in again] == ["a1", "a1"]
        assert records.sgf(again[0]).startswith("(;FF[4]")

    def test_name_the_line_that_cannot_be_read(self, tmp_path: Path) -> None:
        (tmp_path / "games.jsonl").write_text('{"format": 3}\n{}\n')
        with pytest.raises(RecordError, match=r"games\.jsonl, line 1: "):
            records.read(tmp_path / "games.jsonl")


def test_a_position_is_drawn_without_a_style_sheet() -> None:
    won = next(iter(reversed(list(records.replay(referee.play("square-grid-hex", first, first, size=4))))))
    svg = won._repr_svg_()
    assert svg.count('r="41"') == sum(stone > 0 for stone in won.stones)
    assert svg.count('stroke-width="7"') == len(won.outcome.cells)
    assert "class=" not in svg
    assert "<style" not in svg
