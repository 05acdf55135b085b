"""`squarefield rate`: games as input, JSON as output, and the line to fix for unreadable input."""

import json
from collections.abc import Callable
from io import BytesIO, TextIOWrapper
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings import counting
from ratings.counting import Played
from ratings.fit.pairs import from_games
from ratings.rate.davidson import by_davidson
from ratings.rate.games import UnreadableGames, read_games
from ratings.rate.models import by_elo, by_glicko2
from ratings.tables import pairs_of
from tests.effort import examples
from tournaments.kit.main import main

DATA = Path(__file__).parent.parent / "data/ratings"
AIARENA = json.loads((DATA / "elo_fide.json").read_text())["aiarena_sequence"]
MODELS = ("davidson", "elo", "glicko2")
HEADER = "first,second,result\n"
NAMES = st.sampled_from(["A", "B", "C", "D"])
ROWS = st.lists(st.tuples(NAMES, NAMES, st.sampled_from(["1", "0.5", "0"]), st.sampled_from(["", "a1", "b2"]))
                .filter(lambda row: row[0] != row[1]), max_size=20)

Rate = Callable[..., tuple[int, str, str]]


@pytest.fixture
def rate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Rate:
    """Return a function that runs the command on this file, and returns exit status, stdout and stderr."""
    def run(games: str | bytes, *options: str) -> tuple[int, str, str]:
        path = tmp_path / "games.csv"
        path.write_bytes(games if isinstance(games, bytes) else games.encode())
        try:
            status = main(["rate", str(path), *options])
        except SystemExit as stop:
            status = int(stop.code or 0)
        return status, *capsys.readouterr()

    return run


def written(rows: list[tuple[str, ...]]) -> bytes:
    return ("first,second,result,opening\n" + "".join(f"{','.join(row)}\n" for row in rows)).encode()


def players(document: dict[str, Any]) -> dict[str, Any]:
    return {player["name"]: player for player in document["players"]}


INVALID_OPTIONS = (
    (["--k", "16"], "--k is for --model elo"), (["--model", "elo", "--tau", "0.5"], "--tau is for --model glicko2"),
    (["--model", "elo", "--k", "nan"], "from 0.1 to 400"), (["--model", "elo", "--k", "0"], "from 0.1 to 400"),
    (["--anchor", "A"], "not a name with a rating"), (["--anchor", "A=nan"], "not a name with a rating"),
    (["--anchor", "Nobody=1500"], "'Nobody' has no games in"), (["--model", "elo2"], "invalid choice"),
)


class TestTheCommand:
    def test_prints_every_player_best_first(self, rate):
        for options, model in ([], "davidson"), (["--model", "elo"], "elo"), (["--model", "glicko2"], "glicko2"):
            status, out, err = rate(HEADER + "A,B,1\nB,C,0.5\nC,A,0\n", *options)
            said = json.loads(out)
            assert (status, err, said["model"], said["games"]) == (0, "", model, 3)
            assert {"first_move_advantage", "draw_parameter"} <= said.keys()
            ranked = said["players"]
            assert ranked[0]["name"] == "A"
            assert [player["rank"] for player in ranked] == sorted(player["rank"] for player in ranked)
            for player in ranked:
                assert player["low"] < player["rating"] < player["high"]
                assert player["games"] == player["wins"] + player["draws"] + player["losses"] == 2

    def test_lists_equals_in_alphabetical_order(self, rate):
        said = json.loads(rate(HEADER + "Zoe,Bo,0.5\nAl,Zoe,0.5\nBo,Al,0.5\n", "--model", "glicko2")[1])
        assert [(player["name"], player["rank"]) for player in said["players"]] == [("Al", 1), ("Bo", 1), ("Zoe", 1)]

    def test_reads_standard_input(self, rate, monkeypatch):
        monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(b"first,second,result\nA,B,1\n")))
        assert main(["rate", "-", "--model", "elo"]) == 0

    def test_shifts_all_to_an_anchor(self, rate):
        games = HEADER + "A,B,1\nA,B,0.5\nB,A=C,0\n"
        for model in MODELS:
            here = players(json.loads(rate(games, "--model", model)[1]))
            there = players(json.loads(rate(games, "--model", model, "--anchor", "A=C=2000")[1]))
            assert there["A=C"]["rating"] == 2000
            shift = 2000 - here["A=C"]["rating"]
            assert all(there[name]["rating"] - here[name]["rating"] == pytest.approx(shift, abs=1e-5) for name in here)

    def test_has_an_empty_table_for_no_games(self, rate):
        for model in MODELS:
            status, out, _ = rate(HEADER, "--model", model)
            assert (status, json.loads(out)["players"]) == (0, [])

    def test_says_which_players_cannot_be_compared(self, rate):
        said = json.loads(rate(HEADER + "A,B,1\nB,A,1\nC,D,0.5\n")[1])
        assert not said["connected"]
        assert "2 groups that never met" in " ".join(said["notes"])

    def test_refuses_invalid_options(self, rate):
        for options, why in INVALID_OPTIONS:
            status, out, err = rate(HEADER + "A,B,1\n", *options)
            assert (status, out) == (2, "")
            assert why in err

    def test_refuses_a_missing_file(self, capsys, tmp_path):
        for path in (tmp_path / "none.csv", tmp_path):
            assert main(["rate", str(path)]) == 2
            assert "cannot be read" in capsys.readouterr().err

    def test_escapes_control_characters_in_untrusted_text(self, rate):
        status, _, err = rate(HEADER + "\x1b[2J,B,2\n\x1b[2J,\x1b[2J,1\n")
        assert status == 2
        assert "\x1b" not in err
        out = rate(HEADER + "\x1b[2J\u202e,B,1\n")[1]
        assert out.isascii()
        assert "\x1b" not in out


# A file, the line that is wrong, and what the error says.
UNREADABLE = (
    (b"", 1, "the file is empty"), (b'\xef\xbb\xbf \r\n""\r\n', 1, "the file is empty"),
    (b"A,B,1\n", 1, "the column names are missing"), (b"\n\nA,B,1\n", 3, "the column names are missing"),
    (b"first;second;result\n", 1, "separated by commas and not by ';'"),
    (b"first,secnd,result\n", 1, "there is a column 'secnd': write second"),
    (b"first,second,result,openning\n", 1, "there is a column 'openning': write opening"),
    (b"first,second\n", 1, "there is no column result"),
    (b"first,second,result,first\n", 1, "two columns named first"),
    (b"first,second,result\nA,B,1\nA,B,1-0\n", 3, "the result '1-0' is invalid: write 1, 0.5 or 0"),
    (b"first,second,result\r\nA,B,1\r\nA,B,nan\r\n", 3, "the result 'nan' is invalid"),
    (b'first,second,result\n"A\nA",B,1\nA,B,\n', 4, "the result '' is invalid"),
    (b"first,second,result\nA, A ,1\n", 2, "'A' plays against itself"),
    (b"first,second,result\nA,,1\n", 2, "the second player has no name"),
    (b"first,second,result\nA,B\n", 2, "there are 2 fields, but 3 columns"),
    (b"first,second,result\nA,B,C,1\n", 2, "enclose a name that contains a comma"),
    (b'first,second,result\nA,B,1\n"A,B,1\nA,B,1\n', 3, "enclose a name that contains a comma or a line break"),
    (b'first,second,result\n"A"x,B,1\n', 2, "enclose a name that contains a comma or a line break"),
    (b'first,second,result\nA,B,1\n"' + b"x" * 200_000 + b'",B,1\n', 3,
     "a field has more than 131,072 characters: shorten it"),
    (b"first,second,result,period\nA,B,1,\n", 2, "there is no period"),
    (b"first,second,result\nA,B,1\nB\xf6,A,1\n", 3, "this is not UTF-8"),
    (b"\xff\xfef\0i\0r\0s\0t\0", 1, "NUL"), (b"first,second,result\nA,B\0,1\n", 2, "NUL"),
    (b"first,second,result\rA,B,1\rA,B\xff,1\r", 3, "this is not UTF-8"),
)


class TestReading:
    def test_accepts_the_output_of_spreadsheets(self):
        games = read_games(b'\xef\xbb\xbfFirst, Second,RESULT,Date\r\n'
                           b'"Anderssen, A.","the ""Immortal""",1,1851\r\n\r\n'
                           b' B\xc3\xb6 ,"two\r\nlines",\xc2\xbd,\r\n')
        assert games.names == ["Anderssen, A.", "Bö", 'the "Immortal"', "two lines"]
        assert [game[:3] for game in games.games] == [(0, 2, 1.0), (1, 3, 0.5)]
        assert games.unused == ["Date"]

    def test_takes_all_spellings_of_a_name_for_one_player(self):
        # No-break and doubled spaces, a zero-width space, the forms NFC and NFD, and files that were joined.
        games = read_games(f"{HEADER.strip()},period\nBob\u00a0X,Bo\u0308,1\u00a0,1\nBo\u0308 ,Bob  X\u200b,0,\ufeff1\n"
                           "\ufeffBob\u2009X,B\u00f6,1,1\n".encode())
        assert games.names == ["Bob X", "B\u00f6"]
        assert games.periods == ["1"]

    def test_says_which_names_look_alike(self, rate):
        names = ["Bob", "bob", "Bоb", "Ann"]
        lines = HEADER + "".join(f"{name},Zoe,1\nZoe,{name},1\n" for name in names)
        notes = json.loads(rate(lines, "--model", "elo")[1])["notes"]
        assert [note for note in notes if "look alike" in note] == [
            "names that look alike, but count as different players: 'Bob' and 'B\\u043eb' and 'bob'"]

    def test_orders_periods_by_number(self):
        games = read_games(b"first,second,result,period\nA,B,1,round 10\nA,B,1,round 9\n"
                           b"A,B,1,2026-02-01\nA,B,1,round 010\n")
        assert games.periods == ["2026-02-01", "round 9", "round 010", "round 10"]
        assert [game.period for game in games.games] == [3, 1, 0, 2]

    def test_names_the_line_and_the_fix(self, rate):
        for data, line, why in UNREADABLE:
            status, out, err = rate(data)
            assert (status, out) == (2, "")
            assert f"games.csv, line {line}: " in err, data[:99]
            assert why in err, data[:99]

    def test_counts_the_lines_of_a_long_file(self):
        data = b"first,second,result\n" + b"A,B,1\n" * 10_000 + b"A,B,x\n"
        with pytest.raises(UnreadableGames, match="line 10002: "):
            read_games(data)

    @given(st.binary(max_size=60))
    def test_accepts_or_refuses_any_bytes(self, data):
        for text in (data, b"first,second,result\n" + data, b"first,second,result,period\nA,B,1,1\n" + data):
            try:
                said = f"line {len(read_games(text).games)}"
            except UnreadableGames as refusal:
                said = str(refusal)
            assert said.startswith("line ")


class TestDavidson:
    @settings(max_examples=examples(25) // 2)
    @given(ROWS, st.randoms(use_true_random=False))
    def test_does_not_depend_on_the_order_of_lines(self, rows, rng: Random):
        # Identical lines are separate games, and may be swapped too.
        rows = rows + rows[:3]
        there = rows.copy()
        rng.shuffle(there)
        assert by_davidson(read_games(written(rows)), {}) == by_davidson(read_games(written(there)), {})

    @given(ROWS)
    def test_counts_as_the_official_tables_do(self, rows):
        games = read_games(written(rows)).games
        played = [Played(first, second, None if score == 0.5 else int(score == 0.0), [opening or f"alone {number}"])
                  for number, (first, second, score, opening, _) in enumerate(games)]
        counted = pairs_of(counting.rows(sorted(played, key=lambda game: game.pair)))
        assert from_games(game[:4] for game in games).digest() == counted.digest()

    def test_estimates_the_first_move_advantage_with_an_interval(self, rate):
        said = json.loads(rate(HEADER + "A,B,1\nB,A,1\nA,B,0.5\n" * 20)[1])
        assert said["first_move_advantage_low"] < said["first_move_advantage"] < said["first_move_advantage_high"]
        assert said["draw_parameter"] > 0


class TestElo:
    def test_treats_each_game_as_a_period_without_periods(self):
        # aiarena/aiarena-web, test_elo.py: K = 8 from 1600 on; it rounds each change, which may add up to 10.
        rows = "".join(f"A,B,{ {'W': 1, 'D': 0.5, 'L': 0}[result]}\n" for result in AIARENA["results_for_bot1"])
        said = players(by_elo(read_games((HEADER + rows).encode()), 8.0))
        assert said["A"]["rating"] + 100 == pytest.approx(AIARENA["ratings"][-1][0], abs=3)
        assert said["A"]["rating"] + said["B"]["rating"] == pytest.approx(3000)

    def test_freezes_ratings_within_a_period(self):
        games = read_games(b"first,second,result,period\nA,B,1,1\nA,B,1,1\nB,A,1,2\n")
        said = players(by_elo(games, 16.0))
        # 8 + 8 in the first period; then B, 32 below, wins with an expectation of 1 / (1 + 10^(32 / 400)).
        assert said["A"]["rating"] == pytest.approx(1516 - 16 * (1 - 1 / (1 + 10 ** (32 / 400))))

    def test_uses_the_sites_decreasing_k_by_default(self):
        assert players(by_elo(read_games(b"first,second,result\nA,B,1\n"), None))["A"]["rating"] == 1516

    def test_returns_finite_numbers_for_an_extremely_long_period(self):
        # Ten to the power of a thousand is not a float.
        rows = "A,B,1,1\n" * 1_000 + "B,A,1,2\n"
        games = read_games(f"first,second,result,period\n{rows}".encode())
        assert abs(players(by_elo(games, 400.0))["A"]["rating"]) < 1e8


class TestGlicko2:
    def test_matches_glickmans_example_for_a_file_without_periods(self):
        said = by_glicko2(read_games(b"first,second,result\nA,B,1\nA,C,0\n"), 0.5)
        assert said["periods"] == 1
        assert "the whole file is one period" in said["notes"][0]
        # Two newcomers with deviation 350: g = 0.669, so one win and one loss leave A unchanged.
        assert players(said)["A"]["rating"] == 1500

    def test_widens_the_deviation_of_an_idle_player(self):
        first = "first,second,result,period\nA,B,1,1\n"
        once = players(by_glicko2(read_games(first.encode()), 0.5))["A"]
        later = players(by_glicko2(read_games((first + "C,D,1,2\nC,D,1,3\n").encode()), 0.5))["A"]
        assert later["rating"] == once["rating"]
        assert later["deviation"] == pytest.approx((once["deviation"]**2 + 2 * (173.7178 * once["volatility"])**2)**0.5)


class TestPeriods:
    @given(ROWS, st.randoms(use_true_random=False))
    def test_are_independent_of_the_order_within_them(self, rows, rng: Random):
        lines = [f"{','.join(row)},{n % 3}\n" for n, row in enumerate(rows)]
        there = lines.copy()
        rng.shuffle(there)
        here, shuffled = (read_games(("first,second,result,opening,period\n" + "".join(each)).encode())
                          for each in (lines, there))
        assert by_elo(here, None) == by_elo(shuffled, None)
        assert by_glicko2(here, 0.5) == by_glicko2(shuffled, 0.5)
