from random import Random

import pytest

from engines.records.record import EndedBy, Fault, GameRecord, Result, SeatRecord, TurnRecord, name_cells
from engines.records.replay import drawn_turns, replay_document, result_sentence, rows_after
from engines.records.time_control import ClockKind, TimeControl
from engines.rules.drawing import board_text
from engines.rules.outcome import Adjudication, Ending, Forfeit
from engines.rules.registry import RULESETS, find


def played(slug, size, plies, *, opening=(), fault=None):
    """Return the record of these turns, ended by the rules, the fault or the ply cap."""
    position = find(slug).start(size)
    for ply in (*opening, *plies):
        position = position.play(position.parse(ply))
    if fault:
        result = Result(1 - fault.seat, EndedBy.CONDUCT, fault.kind)
    elif outcome := position.outcome:
        result = Result(outcome.winner, EndedBy.RULE, outcome.reason, name_cells(outcome.cells, size), outcome.counts)
    else:
        result = Result(None, EndedBy.POLICY, Adjudication.PLY_CAP)
    return GameRecord(ruleset=slug, size=size, time_control=TimeControl(5), clock=ClockKind.CPU, tier="standard",
                      seats=(SeatRecord("Ann"), SeatRecord("Bob")), opening=tuple(opening),
                      turns=tuple(TurnRecord(ply, 0.12345, 0.2) for ply in plies), result=result, fault=fault)


def document(*args, **options):
    return replay_document(played(*args, **options).to_dict())


HEX = ("square-grid-hex", 3, ["a1", "swap", "b1", "a2", "b2", "a3", "b3"])


class TestTheDocument:
    def test_describes_the_drawing(self):
        drawn = document(*HEX)
        assert drawn["ruleset"] == {"slug": "square-grid-hex", "name": "Square Grid Hex", "version": 1}
        assert drawn["older"] is False
        assert drawn["board"] == {"size": 3, "width": 3, "height": 3, "drawn": "points", "goal_sides": True,
                                  "rings": False, "columns": "abc"}
        assert drawn["players"] == [{"name": "Ann", "colour": "black"}, {"name": "Bob", "colour": "white"}]
        assert (drawn["initial"], drawn["opening"], drawn["fault"]) == ([], 0, None)

    def test_names_cells_by_index_in_the_result(self):
        assert document(*HEX)["result"] == {
            "winner": 0, "ended_by": "rule", "reason": "connection", "cells": [7, 4, 1], "counts": [],
            "text": "Ann (black) won by connecting north and south after 7 plies"}

    def test_recolours_the_swapped_stone(self):
        assert document(*HEX)["turns"][:2] == [
            {"text": "a1", "seat": 0, "ops": [[0, 0]], "seconds": 0.123,
             "measure": {"counts": [[2, 3]], "leader": 0}},
            {"text": "swap", "seat": 1, "ops": [[0, 1]], "seconds": 0.123, "note": "swap",
             "measure": {"counts": [[3, 2]], "leader": 1}}]

    def test_gives_the_opening_no_time(self):
        drawn = document("square-grid-hex", 3, ["b1"], opening=["a1", "swap"])
        assert drawn["opening"] == 2
        assert ["seconds" in turn for turn in drawn["turns"]] == [False, False, True]

    def test_removes_captured_stones_and_counts_them(self):
        # Black takes the last liberty of white's b1 and a1 together.
        turns = document("squaresquared", 3, ["a2", "a1", "b2", "b1", "c1", "pass"])["turns"]
        assert turns[4]["ops"] == [[2, 0], [0, None], [1, None]]
        assert turns[4]["note"] == "captured 2"
        assert (turns[5]["ops"], turns[5]["note"]) == ([], "pass")

    def test_notes_a_marked_squ(self):
        turns = document("squ", 4, ["a1", "b2,c3", "a2,b1", "c2,b3", "d4,d3"])["turns"]
        assert turns[3] == {"text": "c2,b3", "seat": 1, "ops": [[6, 1], [9, 1]], "seconds": 0.123,
                            "note": "square: side 2", "marked": [5, 6, 9, 10],
                            "measure": {"counts": [[0, 2]], "leader": 1}}
        assert "note" not in turns[4]

    def test_notes_a_resignation(self):
        assert document("squ", 4, ["a1", "resign"])["turns"][1]["note"] == "resigns"

    def test_contains_the_fault(self):
        fault = Fault(1, Forfeit.ILLEGAL, "a1", "a1 is not empty", 1)
        drawn = document("squ", 4, ["a1"], fault=fault)
        assert drawn["fault"] == {"seat": 1, "kind": "illegal", "line": "a1", "message": "a1 is not empty", "ply": 1}


class TestTheDrawnTurns:
    @pytest.mark.parametrize("slug", RULESETS)
    def test_lead_to_the_board_of_every_position(self, slug):
        ruleset = RULESETS[slug]
        moves, size = Random(slug), ruleset.sizes[2]
        position, plies, boards = ruleset.start(size), [], []
        while position.outcome is None:
            turn = position.random_turn(moves)
            plies.append((position.format(turn), None))
            position = position.play(turn)
            boards.append(position.rows())
        drawn = {"board": {"size": size}, "initial": [], "turns": drawn_turns(ruleset, size, plies)}
        assert [rows_after(drawn, ply + 1) for ply in range(len(plies))] == boards
        assert rows_after(drawn, 0) == ["." * size] * size


class TestTheSentence:
    @pytest.mark.parametrize(("record", "text"), [
        (played(*HEX), "Ann (black) won by connecting north and south after 7 plies"),
        (played("squ", 4, ["a1", "resign"]), "Ann (red) won by resignation at turn 2"),
        (played("squaresquared", 3, ["pass", "pass"]),
         "Ann (black) and Bob (white) drew with all rings tied after 2 plies"),
        (played("squ", 4, ["a1"]), "Ann (red) and Bob (black) drew by ply cap after 1 ply"),
        (played("squ", 4, ["a1"], fault=Fault(1, Forfeit.TIME, "", "", 1)),
         "Ann (red) won by forfeit: Bob (black) ran out of time at turn 2"),
    ])
    def test_says_who_won_and_how(self, record, text):
        assert result_sentence(record) == text

    @pytest.mark.parametrize("reason", [*Ending, *Adjudication])
    def test_has_words_for_every_ending(self, reason):
        record = played("squ", 4, [])
        by = EndedBy.RULE if isinstance(reason, Ending) else EndedBy.POLICY
        assert result_sentence(GameRecord(**{**fields(record), "result": Result(None, by, reason)}))

    @pytest.mark.parametrize("kind", Forfeit)
    def test_has_words_for_every_forfeit(self, kind):
        assert "won by forfeit: Ann (red) " in result_sentence(played("squ", 4, [], fault=Fault(0, kind, "", "", 0)))


def fields(record):
    return {name: getattr(record, name) for name in record.__slots__}


class TestABoardInText:
    def test_has_letters_and_numbers_on_all_sides(self):
        assert board_text(["1..", ".2.", "..1"]).splitlines() == [
            "   a b c", " 3 X . . 3", " 2 . O . 2", " 1 . . X 1", "   a b c"]

    def test_skips_the_letter_i_and_stays_aligned_when_numbers_have_two_digits(self):
        lines = board_text(["." * 10] * 10).splitlines()
        assert lines[0] == "   a b c d e f g h j k"
        assert [line.index(".") for line in lines[1:-1]] == [3] * 10
