import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.rules.errors import NotationError
from engines.rules.notation import MAX_SIZE, PASS, RESIGN, SWAP, cell_name, format_turn, parse_cell, parse_turn, quote


class TestCells:
    def test_begin_at_a1_in_the_south_west(self):
        assert (cell_name(0, 9), cell_name(8, 9), cell_name(72, 9), cell_name(80, 9)) == ("a1", "j1", "a9", "j9")

    def test_skip_the_letter_i(self):
        assert parse_cell("j1", 19) == parse_cell("h1", 19) + 1
        with pytest.raises(NotationError):
            parse_cell("i1", 19)

    @given(st.integers(1, MAX_SIZE).flatmap(lambda size: st.tuples(st.just(size), st.integers(0, size * size - 1))))
    def test_are_read_back_from_their_names_in_either_case(self, where):
        size, cell = where
        name = cell_name(cell, size)
        assert parse_cell(name, size) == parse_cell(name.upper(), size) == cell

    @pytest.mark.parametrize("text", ["", "e", "5", "5e", "e0", "e05", "e+5", "e-1", "e5 ", " e5", "e 5", "e5x", "ee5",
                                      "e100", "é5", "e٥", "e²", "\u212a5", "ｅ5", "\0", "e5\n"])
    def test_consist_of_a_letter_and_a_number(self, text):
        with pytest.raises(NotationError, match="not a cell"):
            parse_cell(text, 9)

    @pytest.mark.parametrize("text", ["k1", "t19", "a10", "J10"])
    def test_off_the_board_are_refused_as_such(self, text):
        with pytest.raises(NotationError, match="off the 9×9 board"):
            parse_cell(text, 9)


class TestTurns:
    @pytest.mark.parametrize(("text", "turn"), [("pass", (PASS,)), ("SWAP", (SWAP,)), (" Resign\r\n", (RESIGN,)),
                                                ("a1", (0,)), ("B1,a1\n", (1, 0))])
    def test_are_read_in_any_case_and_with_outer_blanks(self, text, turn):
        assert parse_turn(text, 9) == turn

    @pytest.mark.parametrize("text", ["", "  \n", ",", "a1,", ",a1", "a1,,b1", "a1, b1", "a1;b1", "a1 b1", "pass,a1",
                                      "a1,resign", "paß", "ﬁ"])
    def test_are_refused_if_a_part_is_not_a_cell(self, text):
        with pytest.raises(NotationError):
            parse_turn(text, 9)

    def test_name_no_more_cells_than_the_board_has(self):
        assert len(parse_turn(",".join(["a1"] * 16), 4)) == 16
        with pytest.raises(NotationError, match="more cells"):
            parse_turn(",".join(["a1"] * 17), 4)

    @given(st.lists(st.integers(0, 80), min_size=1, max_size=20).map(tuple)
           | st.sampled_from([(PASS,), (SWAP,), (RESIGN,)]))
    def test_are_read_back_from_their_text(self, turn):
        assert parse_turn(format_turn(turn, 9), 9) == turn

    @given(st.text())
    def test_of_any_text_are_read_or_refused(self, text):
        try:
            turn = parse_turn(text, 9)
        except NotationError as error:
            refusal = str(error)
        else:
            refusal = "none"
            assert format_turn(turn, 9) == text.strip(" \t\r\n").lower()
        assert refusal.isprintable()


class TestQuotes:
    def test_are_cut_and_escaped(self):
        assert quote("x" * 100) == "'" + "x" * 40 + "…'"
        assert "\x1b" not in quote("\x1b[31m")
