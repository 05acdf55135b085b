import json
import os
import signal
import subprocess
import sys

import pytest

from engines.cli.replay import LONGEST_LINE, main, replay_line
from engines.rules.registry import RULESETS

COMMAND = [sys.executable, "-m", "engines", "replay"]


def replay(**game):
    return replay_line(json.dumps({"ruleset": "scware"} | game))


class TestReplayOfAGame:
    def test_answers_with_the_last_position(self):
        assert replay(size=4, turns=["a1", "d4", "a2"]) == {
            "plies": 3, "over": False, "winner": None, "reason": None, "seat_to_move": 1,
            "rows": ["...2", "....", "1...", "1..."], "error": None}

    def test_answers_with_the_result_of_a_game_that_is_over(self):
        answer = replay(size=4, turns=["a1", "d1", "a2", "d2", "a3", "d3", "A4"])
        assert (answer["over"], answer["winner"], answer["reason"]) == (True, 0, "connection")

    def test_stops_before_an_illegal_turn(self):
        answer = replay(size=4, turns=["a1", "a1", "b2"])
        assert answer["error"] == {"ply": 1, "turn": "a1", "kind": "illegal", "message": "a1 is not empty"}
        assert (answer["plies"], answer["seat_to_move"], answer["rows"][3]) == (1, 1, "1...")

    def test_stops_before_a_turn_that_cannot_be_read(self):
        answer = replay(turns=["e5", "d4;f6"])
        assert (answer["error"]["ply"], answer["error"]["turn"], answer["error"]["kind"]) == (1, "d4;f6", "notation")

    @pytest.mark.parametrize("ruleset", RULESETS.values(), ids=list(RULESETS))
    def test_needs_only_the_ruleset(self, ruleset):
        answer = replay_line(json.dumps({"ruleset": ruleset.slug}))
        assert answer["rows"] == ["." * ruleset.default_size] * ruleset.default_size
        assert (answer["plies"], answer["seat_to_move"], answer["error"]) == (0, 0, None)

    def test_infers_growth_from_rows_unless_specified(self):
        game = {"rows": ["2...", "....", "....", "...1"], "seat_to_move": 1, "turns": ["b4,d3"]}
        assert replay(**game, someone_has_grown=False)["error"] is None
        assert replay(**game, someone_has_grown=True)["error"]["kind"] == "illegal"

    def test_ignores_other_keys_and_nulls(self):
        assert replay(size=None, rows=None, turns=None, winner=0, source=["x"])["error"] is None


class TestReplayWithCounts:
    def test_counts_the_turns_of_the_last_position(self):
        assert replay(size=4, turns=["a1"], count_legal=True)["legal_turns"] == 15

    def test_counts_no_turns_if_a_pass_is_forced(self):
        answer = replay(rows=["2221", "2121", "22.1", "11.2"], count_legal=True)
        assert (answer["legal_turns"], answer["over"]) == (0, False)

    def test_counts_a_pass_that_is_a_choice(self):
        assert replay_line('{"ruleset": "squaresquared", "size": 2, "count_legal": true}')["legal_turns"] == 5

    def test_stops_counting_at_a_limit(self, monkeypatch):
        monkeypatch.setattr("engines.cli.replay.MOST_COUNTED", 15)
        assert replay(size=4, turns=["a1"], count_legal=True)["legal_turns"] == 15
        answer = replay(size=4, count_legal=True)
        assert (answer["legal_turns"], answer["note"]) == (None, "there are more than 15 legal turns")


class TestReplayOfAnInvalidLine:
    def test_returns_an_error(self):
        lines = [
            "x", "[]", "null", "3", '"scware"', "{}", "{", '{"ruleset": "scware"} x', '{"ruleset": null}',
            '{"ruleset": 3}', '{"ruleset": "chess"}', '{"ruleset": "Scware"}', "[" * 100_000, b"\xff\xfe",
            b"\xef\xbb\xbf{}", '{"size": ' + "9" * 5000 + "}", '{"ruleset": ' + "[" * 900 + "]" * 900 + "}",
        ]
        answers = [replay_line(line) for line in lines]
        assert [answer.keys() for answer in answers] == [{"error"}] * len(lines)
        assert {answer["error"]["kind"] for answer in answers} == {"input"}
        assert all(answer["error"]["message"].isprintable() for answer in answers)

    def test_names_the_invalid_value(self):
        wrong = [
            {"size": 3}, {"size": 20}, {"size": -9}, {"size": 0}, {"size": 10**30}, {"size": True}, {"size": 9.0},
            {"size": "9"}, {"size": float("nan")}, {"size": float("inf")}, {"size": [9]}, {"turns": "e5"},
            {"turns": [5]},
            {"turns": {"0": "e5"}}, {"turns": [["e5"]]}, {"turns": [None]}, {"seat_to_move": 2}, {"seat_to_move": True},
            {"seat_to_move": "0"}, {"someone_has_grown": 1}, {"count_legal": 1}, {"count_legal": "yes"},
            {"rows": []}, {"rows": "...."}, {"rows": ["...."] * 3}, {"rows": ["...", "....", "....", "...."]},
            {"rows": ["...x", "....", "....", "...."]}, {"rows": ["...."] * 4, "size": 5}, {"rows": [1, 2, 3, 4]},
        ]
        assert [facts for facts in wrong if replay(**facts).get("error", {}).get("kind") != "input"] == []

    def test_reports_a_line_that_is_too_long(self):
        line = '{"ruleset": "scware"}' + " " * LONGEST_LINE
        assert "longer" in replay_line(line)["error"]["message"]


class TestReplayCommand:
    def test_answers_each_line_and_skips_blank_ones(self):
        lines = ['{"ruleset": "scware", "size": 4, "turns": ["a1"]}', "", "  ", "nonsense", "x" * (3 * LONGEST_LINE),
                 '{"ruleset": "squ", "turns": ["\\ud800"]}', '{"ruleset": "squ"}']
        done = subprocess.run(COMMAND, input="\n".join(lines), capture_output=True, text=True, check=True)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        kinds = [answer["error"] and answer["error"]["kind"] for answer in answers]
        assert kinds == [None, "input", "input", "notation", None]
        assert done.stderr == ""

    def test_reads_files_and_standard_input(self, tmp_path, capsys):
        file = tmp_path / "games.jsonl"
        file.write_text('{"ruleset": "squ"}\n{"ruleset": "scware"}', encoding="utf-8")
        assert main([str(file), str(file)]) == 0
        assert len(capsys.readouterr().out.splitlines()) == 4

    def test_names_a_file_that_it_cannot_read(self, tmp_path, capsys):
        assert main([str(tmp_path / "none")]) == 2
        assert "none" in capsys.readouterr().err

    def test_ends_quietly_when_interrupted(self):
        with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as running:
            running.stdin.write('{"ruleset": "scware"}\n')
            running.stdin.flush()
            running.stdout.readline()
            running.send_signal(signal.SIGINT)
            assert running.wait() == 130
            assert running.stderr.read() == ""

    def test_ends_quietly_when_its_output_is_closed(self):
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run(COMMAND, input='{"ruleset": "scware"}\n' * 50, stdout=writing, stderr=subprocess.PIPE,
                              text=True, check=False)
        os.close(writing)
        assert (done.returncode, done.stderr) == (0, "")


class TestCommands:
    def run(self, *arguments):
        return subprocess.run([sys.executable, "-m", "engines", *arguments], capture_output=True, text=True,
                              check=False)

    @pytest.mark.parametrize("arguments", [[], ["dance"]], ids=repr)
    def test_are_refused_when_unknown_or_missing(self, arguments):
        assert self.run(*arguments).returncode == 2

    def test_load_only_what_they_need(self):
        code = "import sys, engines.__main__; sys.exit(any(name.startswith('engines.cli.') for name in sys.modules))"
        assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
