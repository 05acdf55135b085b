"""Opening books: what they may contain, and which line an error names."""

import pytest

from engines.rules.books import BookError, decode, read_book
from engines.rules.openings import openings
from engines.rules.registry import RULESETS, find

SQU = find("squ")


class TestReadBook:
    def test_reads_openings_in_canonical_notation_without_blank_lines_and_comments(self):
        text = "# four stones\r\n\r\n  B1   g1,A2 # first\nc2 f2,g3\n"
        assert read_book(text, SQU, 8) == (("b1", "g1,a2"), ("c2", "f2,g3"))

    @pytest.mark.parametrize("slug", RULESETS)
    def test_accepts_the_rulesets_own_openings(self, slug):
        every = openings(find(slug), 9 if slug != "squ" else 8)
        assert read_book("\n".join(map(" ".join, every)), find(slug), 9 if slug != "squ" else 8) == every

    @pytest.mark.parametrize(("text", "sentence"), [
        ("b1\nk1", "Line 2: turn 1, 'k1', cannot be played: k1 is off the 8×8 board. Correct or remove it."),
        ("\n\nb1 b1,c1", "Line 3: turn 2, 'b1,c1', cannot be played: b1 is not empty. Correct or remove it."),
        ("b1 resign", "Line 1: turn 2, 'resign', ends the game: end the opening before it."),
        ("b1\n# twice\nB1", "Line 3: the opening is the same as in line 1: remove one of them."),
        ("b1 " * 21, "Line 1: the opening has 21 turns, but at most 20 are allowed: shorten it."),
        ("# none\n", "The book has no openings: write at least one line, with turns separated by spaces."),
        ("#" * 200_001, "The book is too large: at most 200,000 bytes are allowed. Remove some openings."),
        ("a1\n" * 2_001, "Line 2001 is one opening too many: at most 2,000 are allowed. Remove the rest."),
    ])
    def test_says_what_is_wrong_where_and_how_to_correct_it(self, text, sentence):
        with pytest.raises(BookError) as refused:
            read_book(text, SQU, 8)
        assert str(refused.value) == sentence

    def test_names_ten_bad_lines_and_counts_the_others(self):
        with pytest.raises(BookError) as refused:
            read_book("a1\n" + "i1\n" * 12, SQU, 8)
        assert [fault.split(":")[0] for fault in refused.value.faults[:10]] == [f"Line {n}" for n in range(2, 12)]
        assert refused.value.faults[10:] == ("Lines with errors that are not listed: 2.",)

    def test_names_the_line_that_is_not_utf_8(self):
        assert decode(b"\xef\xbb\xbfa1\n") == "a1\n"
        with pytest.raises(BookError, match=r"^Line 2 is not UTF-8 text: save the file as UTF-8\.$"):
            decode(b"a1\n\xff\n")
