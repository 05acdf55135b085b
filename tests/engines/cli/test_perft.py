import json
import subprocess
import sys

import pytest

from engines.cli.perft import main


class TestPerftCommand:
    def test_prints_one_line_of_counts(self):
        done = subprocess.run([sys.executable, "-m", "engines", "perft", "scware", "--size", "4", "--depth", "3"],
                              capture_output=True, text=True, check=True)
        assert json.loads(done.stdout) == {"ruleset": "scware", "size": 4, "counts": [16, 240, 2856]}
        assert done.stderr == ""

    def test_counts_on_the_default_size(self, capsys):
        assert main(["square-grid-hex", "--depth", "1"]) == 0
        assert json.loads(capsys.readouterr().out) == {"ruleset": "square-grid-hex", "size": 11, "counts": [121]}

    def test_counts_on_boards_too_small_to_play(self, capsys):
        assert main(["scware", "--size", "3", "--depth", "1"]) == 0
        assert json.loads(capsys.readouterr().out)["counts"] == [9]

    @pytest.mark.parametrize("arguments", [
        ["chess"], ["scware", "--size", "0"], ["scware", "--size", "-4"], ["scware", "--size", "1"],
        ["scware", "--size", "20"], ["squ", "--size", "3"], ["squ", "--size", "5"], ["scware", "--depth", "0"],
        ["scware", "--depth", "-1"], ["scware", "--depth", "1000000000"],
    ], ids=" ".join)
    def test_refuses_an_invalid_argument_with_a_reason(self, arguments, capsys):
        assert main(arguments) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert len(said.err.splitlines()) == 1
