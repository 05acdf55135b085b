"""`squarefield bridge`: engines with other commands, colours and cells, and engines that fail."""

import json
from pathlib import Path

import pytest

from engines.records.record import EndedBy, GameRecord, verify
from engines.rules.notation import PASS, RESIGN, SWAP
from tests.kit.commands import run
from tests.kit.dialect import MAPPING, write_bridge
from tournaments.kit.bridge.cells import Notation
from tournaments.kit.bridge.engine import Engine, EngineFailed
from tournaments.kit.bridge.mapping import read_mapping
from tournaments.kit.bridge.table import MappingRefused
from tournaments.kit.main import main

GNUGO = Path("/usr/games/gnugo")
LEELA = Path("/usr/games/leelaz")

@pytest.fixture
def bridge(tmp_path):
    """Return a function that writes an engine with a mapping, and returns the mapping's path."""
    def make(*texts, **more):
        return write_bridge(tmp_path, *texts, **more)

    return make


def talk(path, *commands):
    """Send commands to a bridge; return its exit status, answers and standard error."""
    status, out, err = run("bridge", path, text="\n".join((*commands, "")))
    return status, [answer.strip() for answer in out.split("\n\n") if answer.strip()], err


# The lines of a mapping, and the refusal.
REFUSED = {
    "run = 3": "run: 3 must be a list of texts",
    'ruleset = "go"': "ruleset: 'go' must be one of scware",
    "colour = 1": "colour: unknown key: use only name, run",
    "sizes = [99]": "sizes: 99 is not one of the ruleset's sizes: 3, 4",
    '[commands]\nplay = "play {color} {turn}"': "[commands]: play: 'play {color} {turn}' contains {color}: ",
    '[commands]\nplay = "play {colour"': "[commands]: play: 'play {colour' is not valid",
    '[coordinates]\ncorner = "top"': "[coordinates]: corner: 'top' must be one of south-west",
    '[coordinates]\nletters = "abc"': "[coordinates] letters has 3 letters, but the board 19 columns: add",
    '[coordinates]\ncell = "{letter}"': "[coordinates] cell = '{letter}' gives several cells the same name",
    '[colours]\nred = "r"': "[colours]: red: unknown key: use only black, white",
    '[colours]\nblack = "w"\nwhite = "w"': "[colours]: white: both colours are 'w': give each its own word",
    '[faults]\nillegal = "ignore"': "[faults]: illegal: 'ignore' must be one of resign, pass, random",
    "[faults]\nanswer_seconds = 0": "[faults]: answer_seconds: 0 must be more than 0 and at most 3600 seconds",
    'directory = "gone"': "directory: ",
    "name = ": "is not TOML",
}
SET_UP = ("set_ruleset square-grid-hex", "boardsize 3", "clear_board")


class TestNotation:
    def test_maps_every_corner_and_the_transposed_board(self):
        # a1, the cell in the south-west, and c1, in the south-east of a board of three rows.
        for corner, names in {"south-west": ("a1", "c1"), "south-east": ("c1", "a1"), "north-west": ("a3", "c3"),
                              "north-east": ("c3", "a3")}.items():
            found = Notation(corner=corner).names(3)
            assert (found[0], found[2]) == names
        assert Notation(transpose=True).names(3)[2] == "a3"
        assert Notation(letters="abcdefghijklmnopqrs").names(9)[8] == "i1"

    def test_reads_turns_of_several_stones_and_words(self):
        notation = Notation(separator=" ", words=(("pass", "PASS"), ("swap", "swap-pieces"), ("resign", "resign")))
        assert notation.parse("A1  B2".replace("  ", " "), 3) == (0, 4)
        assert notation.format((0, 4), 3) == "a1 b2"
        assert [notation.parse(word, 3) for word in ("pass", "Swap-Pieces", "resign", "z9", "")] == [
            (PASS,), (SWAP,), (RESIGN,), None, None]


class TestAMapping:
    def test_is_refused_with_the_key_and_the_remedy(self, tmp_path):
        path, wrong = tmp_path / "engine.toml", []
        for text, why in REFUSED.items():
            lines = {"run": 'run = "engine"', "ruleset": 'ruleset = "square-grid-hex"'}
            lines.pop(text.split(" ", 1)[0], None)
            path.write_text("\n".join((*lines.values(), text)))
            with pytest.raises(MappingRefused) as refusal:
                read_mapping(path)
            if not (f"{path}" in str(refusal.value) and why in str(refusal.value)):
                wrong.append((text, str(refusal.value)))
        assert wrong == []

    def test_needs_a_program(self, tmp_path, capsys):
        (tmp_path / "engine.toml").write_text('ruleset = "squ"')
        assert main(["bridge", str(tmp_path / "engine.toml")]) == 2
        assert "engine.toml: run: it is missing: set a list of texts: run = " in capsys.readouterr().err

    def test_plays_at_least_one_game(self, bridge, capsys):
        with pytest.raises(SystemExit):
            main(["bridge", str(bridge()), "--games", "0"])
        assert "--games: the number must be from 1 to " in capsys.readouterr().err

    def test_cannot_be_checked_or_submitted(self, bridge, capsys):
        assert main(["check", str(bridge())]) == 2
        assert "describes an engine for a bridge, which runs on your machine only" in capsys.readouterr().err


class TestABridge:
    def test_translates_commands_colours_and_cells(self, bridge):
        path = bridge()
        status, answers, complaints = talk(path, *SET_UP, "play black c3", "genmove white", "play black a1",
                                           "genmove white", "quit")
        assert (status, complaints) == (0, "")
        assert answers == ["=", "=", "=", "=", "= a3", "=", "= b3", "="]
        assert (path.parent / "log.txt").read_text().splitlines() == [
            "new 3", "x_plays 2/0", "o_move", "x_plays 0/2", "o_move", "quit"]

    def test_sets_up_the_board_again_after_a_swap_that_the_engine_does_not_know(self, bridge):
        path = bridge()
        _, answers, complaints = talk(path, *SET_UP, "genmove black", "play white swap", "genmove black", "quit")
        assert complaints == ""
        assert answers[3:] == ["= a3", "=", "= b3", "="]
        assert (path.parent / "log.txt").read_text().splitlines() == [
            "new 3", "x_move", "new 3", "o_plays 0/0", "x_move", "quit"]

    @pytest.mark.parametrize(("policy", "answer"), [("pass", "resign"), ("random", None)])
    def test_replaces_an_illegal_turn_as_the_mapping_says(self, bridge, policy, answer):
        path = bridge("text = '0/0'", f'[faults]\nillegal = "{policy}"')
        status, answers, complaints = talk(path, *SET_UP, "play black a3", "genmove white", "quit")
        assert status == 0
        assert "bridge: the engine answered '0/0', which is illegal in Square Grid Hex: a3 is not empty." in complaints
        assert f"The mapping has illegal = '{policy}': the bridge plays {answers[4][2:]}." in complaints
        assert answers[4][2:] == answer if answer else answers[4][2:] not in {"resign", "a3"}
        replayed = (path.parent / "log.txt").read_text().splitlines()[3:-1]
        assert replayed == [] if answer else replayed[:2] == ["new 3", "x_plays 0/0"]

    def test_explains_an_answer_that_is_no_turn(self, bridge):
        _, answers, complaints = talk(bridge("text = 'knight takes'"), *SET_UP, "genmove black", "quit")
        assert answers[3] == "= resign"
        assert "answered 'knight takes', which is not a turn in the mapping's notation, such as 0/2" in complaints

    @pytest.mark.parametrize(("move", "why"), [
        ("sys.exit(3)", "the engine Dialect failed at 'x_move': it exited with status 3 before it answered"),
        ("print('I think'); text = ''", "is not an answer: answers begin with = or ?; it wrote 'I think'"),
        ("print('? cannot move\\n', flush=True); continue",
         "the engine Dialect refused 'x_move': it wrote '? cannot move'"),
        ("time.sleep(60)", "failed at 'x_move': it ran out of time (2 s were allowed)"),
    ])
    def test_ends_with_a_message_if_the_engine_fails(self, bridge, move, why):
        seconds = 2 if "sleep" in move else 60
        status, answers, complaints = talk(bridge(move, f"[faults]\nanswer_seconds = {seconds}"), *SET_UP,
                                           "genmove black")
        assert status == 1
        assert len(answers) == 3
        assert why in complaints

    def test_names_a_program_that_cannot_be_started(self, bridge):
        mapping = MAPPING.replace("python3", "no-such-engine")
        assert "cannot start no-such-engine: No such file or directory. Correct run in the mapping" in talk(
            bridge(mapping=mapping))[2]

    def test_refuses_a_size_that_the_mapping_leaves_out(self, bridge):
        status, _, complaints = talk(bridge(mapping=MAPPING.replace("[commands]", "sizes = [5]\n[commands]")), *SET_UP)
        assert status == 2
        assert "Dialect plays on sizes 5, not on 3: choose another size, or change sizes in the mapping" in complaints

    def test_plays_against_a_bot_in_the_referee(self, bridge, tmp_path, capfd):
        record = tmp_path / "game.json"
        assert main(["play", "square-grid-hex", str(bridge()), "random", "--size", "4", "--unsafe-local", "--quiet",
                     "--record", str(record)]) == 0
        assert "Dialect runs outside the sandbox, as you; clocks measure wall-clock time" in capfd.readouterr().err
        played = GameRecord.from_dict(json.loads(record.read_text()))
        verify(played)
        assert (played.seats[0].name, played.fault, played.tier) == ("Dialect", None, "unsafe-local")


def weights() -> str:
    """Return a network of one filter and no knowledge, in Leela Zero's format: it plays legal turns at random."""
    def layer(inputs, outputs, cells):
        return [" ".join(["0.1"] * (inputs * outputs * cells)), *(" ".join([value] * outputs) for value in "001")]

    def dense(inputs, outputs):
        return [" ".join(["0"] * (inputs * outputs)), " ".join(["0"] * outputs)]

    rows = ["1", *layer(18, 1, 9), *layer(1, 1, 9), *layer(1, 1, 9), *layer(1, 2, 1), *dense(722, 362),
            *layer(1, 1, 1), *dense(361, 256), *dense(256, 1)]
    return "\n".join(rows) + "\n"


@pytest.mark.serial
@pytest.mark.slow
@pytest.mark.thorough
class TestRealEngines:
    @pytest.mark.skipif(not GNUGO.exists(), reason="GNU Go is not installed: apt-get install gnugo")
    def test_gnu_go_plays_a_whole_game_with_the_documented_mapping(self, tmp_path):
        page = (Path(__file__).parents[2] / "docs/how-to/author/bridge.md").read_text()
        lines = page.partition("## GNU Go")[2].partition("\n## ")[0].splitlines()
        (tmp_path / "gnugo.toml").write_text("\n".join(line.strip() for line in lines if line.startswith("    ")))
        played = self.game(tmp_path, "gnugo.toml", "greedy", 5)
        assert played.seats[0].program.startswith("GNU Go")
        assert played.result.ended_by is EndedBy.RULE

    @pytest.mark.skipif(not LEELA.exists(), reason="Leela Zero is not installed: apt-get install leela-zero")
    def test_leela_zero_plays_on_its_only_board(self, tmp_path):
        (tmp_path / "tiny.txt").write_text(weights())
        (tmp_path / "leela.toml").write_text(
            'name = "Leela Zero"\nruleset = "squaresquared"\nrun = "/usr/games/leelaz --gtp --cpu-only --threads 1 '
            '--weights tiny.txt --noponder --playouts 2 --seed 1 --quiet"\n[colours]\nblack = "b"\nwhite = "w"\n')
        (tmp_path / "short.py").write_text(
            "from engines.sdk import Bot, run\n"
            "class Short(Bot):\n"
            "    name = 'Short'\n"
            "    def choose(self, position, _):\n"
            "        resigns = sum(map(bool, position.stones)) > 30\n"
            "        return (-3 if resigns else position.stones.index(0),)\n"
            "run(Short())\n")
        played = self.game(tmp_path, "leela.toml", "short.py", 19)
        assert played.result.winner == 0
        assert len(played.turns) > 25
        with Engine(read_mapping(tmp_path / "leela.toml")) as engine, pytest.raises(
                EngineFailed, match=r"refused 'boardsize 9': it wrote '\? unacceptable size'\. Correct the"):
            engine.tell("boardsize 9")

    def game(self, directory, first, second, size):
        """Return the record of a game; neither bot broke a rule."""
        if (directory / second).exists():
            second = str(directory / second)
        record = directory / "game.json"
        assert main(["play", "squaresquared", str(directory / first), second, "--size", str(size), "--unsafe-local",
                     "--quiet", "--time", "60+1", "--record", str(record)]) == 0
        played = GameRecord.from_dict(json.loads(record.read_text()))
        verify(played)
        assert played.fault is None
        return played
