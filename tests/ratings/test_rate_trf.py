"""`squarefield rate` with a FIDE tournament report: the games that count, and line, column and fix of each error."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.rate.games import UnreadableGames
from ratings.rate.trf import read_report, read_trf
from ratings.rate.trf_lines import CODES
from tournaments.kit.main import main

DATA = Path(__file__).parents[1] / "data/pairing"


def line(number: int, name: str, points: float, rank: int | str, *results: str) -> str:
    return f"001 {number:>4}      {name:<33}{'':33}{points:4.1f} {rank:>4}  " + "  ".join(results)


# Ann beats Bob, and draws with Cid; Bob forfeits against Dot; Dot's game with Ann ended at once.
CUP = "\n".join((
    "012 Cup", "### a comment", "XXR 3",
    line(1, "Ann", 2.5, 1, "   2 w 1", "   3 b =", "   4 w W"),
    line(2, "Bob", 1.0, 3, "   1 b 0", "   4 w -", "   3 b 1"),
    line(3, "Cid", 1.5, 2, "0000 - U", "   1 w =", "   2 w 0"),
    line(4, "Dot", 1.0, 3, "0000 - Z", "   2 b +", "   1 b L"), "XXC white1 rank", "XXP    1    2", "XXZ 4", ""))


class TestReading:
    def test_takes_games_with_white_first_and_rounds_as_periods(self):
        games = read_trf(CUP.encode())
        assert (games.names, games.periods) == (["Ann", "Bob", "Cid", "Dot"], ["1", "2", "3"])
        assert [game[:3] + game[4:] for game in games.games] == [(0, 1, 1.0, 0), (2, 0, 0.5, 1), (2, 1, 0.0, 2)]
        assert games.notes == ["results without a game (forfeits, byes and absences) left out: 4",
                               "games that ended before each side had moved (W, D, L) left out: 1"]

    def test_rates_reports_of_bbp_pairings(self, capsys):
        for name, games, best in (("bbp-20-7", 65, "Test0001 Player0001"), ("bbp-40-9", 173, "Test0008 Player0008")):
            assert main(["rate", str(DATA / f"{name}.trf"), "--model", "elo"]) == 0
            said = json.loads(capsys.readouterr().out)
            assert (said["games"], said["players"][0]["name"]) == (games, best)

    def test_accepts_older_and_partial_reports(self):
        # A drawn bye, "0" for no opponent, line ends of each system, blank ranks, points with the next round's bye.
        text = "\r".join((line(1, "Zoë", 1.5, "", "   2 w 1", "   0   H"), line(2, "Bob", 0.0, "", "   1 b 0").strip(),
                          line(3, "Cid", 0.5, "", "0000 - =", "0000 - H"), line(7, "Dot", 2.0, "")[:89], "XXR  9",
                          "XXA    7  2.0", "XXA 3 1 .5"))
        report = read_report(b"\xef\xbb\xbf" + text.encode())
        assert [player.name for player in report.players.values()] == ["Zoë", "Bob", "Cid", "Dot"]
        assert [result.code for result in report.players[3].results] == ["H", "H"]

    def test_does_not_check_points_that_a_report_defines_itself(self):
        for scoring in ("XXS W=3.0 D=1", "BBW  3.0", "162  W 3.0   D 1.0"):
            read_report(CUP.replace("XXR 3", scoring).replace(" 2.5    1", " 7.0    1").encode())

    def test_tells_namesakes_apart_by_their_numbers(self):
        assert read_trf(CUP.replace("Bob", "Ann").encode()).names == ["Ann #1", "Ann #2", "Cid #3", "Dot #4"]


# What is replaced in the report by what, the line and column that are then wrong, and what the error says.
ERRORS = (
    ("XXR 3", "XXQ 3", (3, 1), "the code 'XXQ' is unknown: correct it, or remove the line"),
    ("### a", "+++ a", (2, 1), "the code '+++' is unknown"),
    ("XXR 3", "XXR3", (3, 4), "no blank after the code XXR"),
    ("XXR 3", "XXR 2", (4, 112), "a result in round 3, but line 3 says 2 rounds"),
    ("XXR 3", "XXR no", (3, 5), "'no' is not a number of rounds"),
    ("XXZ 4", "142 5", (10, 5), "5 rounds here, but 3 in line 3"),
    ("XXP    1    2", "XXP    1   12", (9, 12), "the player 12 does not exist"),
    ("XXZ 4", "XXA 12 1.0", (10, 5), "the player 12 does not exist"),
    ("XXZ 4", "XXA  1 one", (10, 8), "'one' are no points"), ("XXZ 4", "XXZ a", (10, 5), "'a' is not a player"),
    ("white1", "green1", (8, 5), "'green1' is unknown: write white1, black1 or rank"),
    ("XXZ 4", "XXS V=3", (10, 5), "'V=3' is unknown: write W=3"),
    ("001    2", "001    1", (5, 5), "the number 1 is also that of line 4"),
    ("001    2", "001    x", (5, 5), "'x' is not a player's number"),
    ("Bob", "   ", (5, 15), "the player has no name"),
    (" 2.5    1", " two    1", (4, 81), "'two' are no points"),
    (" 2.5    1", " 3.0    1", (4, 81), "results worth 2.5"),
    (" 2.5    1", " 2.5    x", (4, 86), "'x' is not a rank"),
    (" 2.5    1", " 2.5     ", (4, 86), "the rank is missing"),
    (" 2.5    1", " 2.5    2", (4, 86), "the rank 2 does not follow"), (" 1.5    2", " 1.5    4", (5, 86), "share"),
    ("   2 w 1", "   9 w 1", (4, 92), "the opponent 9 of round 1 does not exist: correct the number, or add"),
    ("   2 w 1", "   1 w 1", (4, 92), "player 1 plays against itself in round 1"),
    ("   2 w 1", "   4 w 1", (4, 92), "but in line 7, player 4 meets no one"),
    ("   2 w 1", " x 2 w 1", (4, 92), "'x 2' is not an opponent"),
    ("   2 w 1", "  2 w 1 ", (4, 96), "round 1 has 'w' in a blank column"),
    ("   2 w 1", "   2 g 1", (4, 97), "'g' is not a colour"),
    ("   2 w 1", "   2 b 1", (4, 97), "has the colour b, too"),
    ("   2 w 1", "   2 - 1", (4, 97), "has no colour"),
    ("   2 w 1", "   2 w X", (4, 99), "the result 'X' is unknown"),
    ("   2 w 1", "   2 w =", (4, 99), "the result = of round 1 contradicts the result 0 in line 5"),
    ("   2 w 1", "   2 w  ", (4, 99), "has an opponent, but no result"),
    ("   2 w 1", "   2 w H", (4, 99), "has an opponent, but no result of a game"),
    ("0000 - U", "0000 - 1", (6, 92), "the game of round 1 has no opponent"),
    ("0000 - U", "0000 w U", (6, 97), "round 1 has a colour, but no opponent"),
)


class TestErrors:
    def test_name_line_column_and_fix(self, tmp_path, capsys):
        path = tmp_path / "cup.trf"
        for old, new, where, why in ERRORS:
            assert CUP.count(old) >= 1
            path.write_text(CUP.replace(old, new, 1))
            assert main(["rate", str(path)]) == 2
            out, err = capsys.readouterr()
            assert out == ""
            place = f"cup.trf, line {where[0]}, column {where[1]}: "
            assert any(place in said and why in said for said in err.splitlines()), err

    def test_are_listed_together_up_to_twenty(self):
        with pytest.raises(UnreadableGames) as refused:
            read_trf("\n".join(["XXQ"] * 30).encode())
        said = str(refused.value).split("\n")
        assert (len(said), said[2][:17], said[-1]) == (21, "line 3, column 1:", "and 10 further errors")

    def test_refuse_an_empty_file_and_other_encodings(self):
        for data, why in ((b"", "there is no player"), (b"012 Cup\n001 \xff", "line 2: this is not UTF-8"),
                          (b"001\0", "NUL byte: save the file as a report in UTF-8")):
            with pytest.raises(UnreadableGames, match=why):
                read_trf(data)

    def test_refuse_the_options_of_a_ladders_file(self, tmp_path, capsys):
        path = tmp_path / "cup.txt"
        path.write_text(CUP)
        assert main(["rate", str(path), "--trf", "--model", "glicko2"]) == 0
        with pytest.raises(SystemExit):
            main(["rate", str(path), "--trf", "--official", "3"])
        assert "--official is for a ladder's results.csv" in capsys.readouterr().err

    @given(st.lists(st.one_of(st.text(max_size=120), st.builds(
        lambda code, rest: f"{code} {rest}", st.sampled_from(sorted(CODES)), st.text("0129 wb-=+HUZ.", max_size=120))),
        max_size=4))
    def test_are_sentences_for_any_text(self, lines):
        for text in ("\n".join(lines), CUP + "\n".join(lines)):
            try:
                said = f"line {len(read_trf(text.encode(errors='replace')).games)}"
            except UnreadableGames as refusal:
                said = str(refusal)
            assert said.startswith("line ")
