import copy
import json

import pytest

from engines.records.record import EndedBy, Fault, GameRecord, RecordError, Result, SeatRecord, TurnRecord, verify
from engines.records.time_control import ClockKind, TimeControl
from engines.rules.outcome import Adjudication, Ending, Forfeit
from engines.view import View

WON = Result(0, EndedBy.RULE, Ending.CONNECTION, ("a3", "a2", "a1"))


def record(plies=("a1", "b1", "a2", "b2", "a3"), result=WON, fault=None, **changes):
    """Return a game of Square Grid Hex on 3×3."""
    fields = {
        "ruleset": "square-grid-hex", "size": 3, "time_control": TimeControl(5, 0.1), "clock": ClockKind.CPU,
        "tier": "standard", "seats": (SeatRecord("Ann", "Child 7", 0.25), SeatRecord("Bob")), "opening": (),
        "turns": tuple(TurnRecord(ply, 0.5, 0.625, 0.0001) for ply in plies), "result": result, "fault": fault,
        "overhead": 0.001, "seed": 2**63 - 1, "stderr": (b"hello", b""),
    }
    return GameRecord(**{**fields, **changes})


def forfeited(kind=Forfeit.ILLEGAL, line="a1", seat=1, ply=1, plies=("a1",), **changes):
    fault = Fault(seat, kind, line, "because", ply, 0.25, 0.375, 0.0002)
    return record(plies, Result(1 - seat, EndedBy.CONDUCT, kind), fault, **changes)


def changed(game, path, value):
    """Return the record's JSON with one value replaced."""
    data = place = copy.deepcopy(game.to_dict())
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return data


def is_refused(data):
    try:
        GameRecord.from_dict(data)
    except RecordError:
        return True
    return False


# Every value of a record that has a type of its own.
PATHS = [
    ("format",), ("ruleset",), ("size",), ("time_control",), ("clock",), ("tier",), ("seats",), ("opening",),
    ("turns",), ("result",), ("overhead",), ("seats", 0), ("seats", 1, "name"), ("seats", 0, "handshake"),
    ("turns", 0), ("turns", 0, "turn"), ("turns", 0, "seconds"), ("turns", 0, "wall"), ("result", "winner"),
    ("result", "ended_by"), ("result", "reason"), ("result", "cells"), ("result", "counts"), ("fault",),
    ("fault", "seat"), ("fault", "kind"), ("fault", "line"), ("fault", "message"), ("fault", "ply"),
    ("rules",), ("seed",), ("turns", 0, "overhead"), ("fault", "seconds"), ("fault", "wall"), ("fault", "overhead"),
]
IMPOSSIBLE = [
    (("format",), 4), (("format",), 0), (("rules",), 0), (("seed",), -1), (("seed",), 2**63),
    (("time_control",), "5+-1"), (("clock",), "sun"), (("seats",), []), (("overhead",), -1),
    (("overhead",), float("nan")), (("turns", 0, "seconds"), float("inf")), (("result", "winner"), 2),
    (("result", "ended_by"), "luck"), (("result", "reason"), "connection"), (("result", "counts"), [[1, 2, 3]]),
    (("result", "counts"), [[1, "2"]]), (("result", "cells"), [5]), (("fault", "seat"), -1),
    (("fault", "kind"), "connection"), (("opening",), [1]),
]


class TestTheJson:
    @pytest.mark.parametrize("game", [
        record(), forfeited(line="\x1b[31m<b>\u2028"),
        record(("a1",), Result(None, EndedBy.POLICY, Adjudication.PLY_CAP)),
        record(opening=("a1", "swap"), plies=()),
        record(("a1",), Result(None, EndedBy.POLICY, Adjudication.PLY_CAP), turns=(
            TurnRecord("a1", 0.5, 0.5, 0.0, View(0.25, 3, 12, ("a1", "swap"))),)),
        record(("pass", "pass"), Result(None, EndedBy.RULE, Ending.TWO_PASSES, (), ((0, 0), (1, 2)))),
    ])
    def test_reads_back_as_the_same_record(self, game):
        assert GameRecord.from_dict(json.loads(json.dumps(game.to_dict()))) == game

    def test_of_format_1_is_read_without_later_fields(self):
        data = forfeited().to_dict() | {"format": 1}
        del data["seed"], data["rules"]
        for part in (*data["turns"], data["fault"]):
            del part["overhead"]
        del data["fault"]["seconds"], data["fault"]["wall"]
        read = GameRecord.from_dict(data)
        assert (read.seed, read.turns[0].overhead, read.fault.seconds, read.fault.wall) == (None, 0, 0, 0)
        assert verify(read)

    def test_of_format_2_implies_version_1_of_the_rules(self):
        data = forfeited().to_dict() | {"format": 2}
        del data["rules"]
        assert GameRecord.from_dict(data) == forfeited()

    def test_leaves_out_the_bots_stderr(self):
        assert "hello" not in json.dumps(record().to_dict())

    def test_contains_all_facts_of_a_game(self):
        assert forfeited().to_dict() == {
            "format": 3, "ruleset": "square-grid-hex", "rules": 1, "size": 3, "time_control": "5+0.1", "clock": "cpu",
            "tier": "standard",
            "seats": [{"name": "Ann", "program": "Child 7", "handshake": 0.25},
                      {"name": "Bob", "program": "", "handshake": 0.0}],
            "seed": 2**63 - 1, "opening": [],
            "turns": [{"turn": "a1", "seconds": 0.5, "wall": 0.625, "overhead": 0.0001}],
            "result": {"winner": 0, "ended_by": "conduct", "reason": "illegal", "cells": [], "counts": []},
            "fault": {"seat": 1, "kind": "illegal", "line": "a1", "message": "because", "ply": 1,
                      "seconds": 0.25, "wall": 0.375, "overhead": 0.0002},
            "overhead": 0.001,
        }

    def test_with_an_impossible_value_is_refused(self):
        views = [{}, [], None, {"win": 1.5}, {"win": "0.5"}, {"depth": -1}, {"depth": 0.5}, {"nodes": True},
                 {"pv": "a1"}, {"pv": ["<b>"]}, {"pv": ["a1 a2"]}, {"pv": [1]}, {"win": 0.123456}]
        cases = [*((("turns", 0, "view"), view) for view in views), *IMPOSSIBLE,
                 *((path, wrong) for path in PATHS for wrong in (True, {"y": 1}))]
        assert [case for case in cases if not is_refused(changed(forfeited(), *case))] == []

    def test_that_is_not_a_record_is_refused(self):
        data = [None, 3, [], "", {}, {"format": 4}, {"format": 3}, {"format": 2}, {"format": 1}]
        assert all(map(is_refused, data))


class TestVerify:
    @pytest.mark.parametrize("game", [
        record(),
        record(("a1", "swap", "a2"), Result(None, EndedBy.POLICY, Adjudication.PLY_CAP)),
        record(("b2", "a2", "b3"), Result(None, EndedBy.POLICY, Adjudication.PLY_CAP), opening=("a1", "swap")),
        record(("a1", "resign"), Result(0, EndedBy.RULE, Ending.RESIGNATION)),
        record(("pass", "pass"), Result(None, EndedBy.RULE, Ending.TWO_PASSES, (), ((0, 0), (0, 0))),
               ruleset="squaresquared"),
        forfeited(),
        forfeited(Forfeit.CRASH, "", seat=0),
        forfeited(Forfeit.TIME, "b1"),
        forfeited(line="x" * 500 + "…"),
    ])
    def test_accepts_a_valid_record(self, game):
        assert verify(game).size == 3

    @pytest.mark.parametrize(("game", "why"), [
        (record(ruleset="chess"), "unknown ruleset 'chess'"),
        (record(size=99), "not on 99"),
        (record(("a1", "a1")), "ply 2 cannot be played: a1 is not empty"),
        (record(("a1", "i5")), "ply 2 cannot be played"),
        (record(("A1",)), "ply 1 is written as 'A1'"),
        (record(("a1", "b1", "a2", "b2", "a3", "b3")), "ply 6 cannot be played: the game is over"),
        (record(("a1", "b1", "a2", "b2")), "by the rules"),
        (record(result=Result(1, EndedBy.RULE, Ending.CONNECTION, ("a3", "a2", "a1"))), "by the rules"),
        (record(result=Result(0, EndedBy.RULE, Ending.BOARD_FULL, ("a3", "a2", "a1"))), "by the rules"),
        (record(result=Result(0, EndedBy.RULE, Ending.CONNECTION, ("a3", "a1"))), "by the rules"),
        (record(result=Result(None, EndedBy.POLICY, Adjudication.PLY_CAP)), "ended by rule"),
        (record(("a1",), Result(1, EndedBy.POLICY, Adjudication.PLY_CAP)), "must be a draw"),
        (record(("a1",), Result(1, EndedBy.CONDUCT, Forfeit.TIME)), "exactly when"),
        (record(fault=Fault(1, Forfeit.TIME, "", "", 5)), "exactly when"),
        (forfeited(ply=3), "does not match the fault"),
        (record((), Result(1, EndedBy.CONDUCT, Forfeit.TIME), Fault(1, Forfeit.TIME, "", "", 0)), "match the fault"),
        (record((), Result(0, EndedBy.CONDUCT, Forfeit.TIME), Fault(1, Forfeit.CRASH, "", "", 0)), "match the fault"),
        (forfeited(seat=0), "was not to move"),
        (forfeited(line="b1"), "is legal"),
    ])
    def test_refuses_an_invalid_record_with_the_reason(self, game, why):
        with pytest.raises(RecordError, match=why):
            verify(game)

    def test_refuses_a_game_under_other_rules_and_names_them(self):
        with pytest.raises(RecordError, match=r"version 2 of the rules of Square Grid Hex, but this .* version 1"):
            verify(record(rules=2))
