"""A bot's own view of the game, as a line of its answer."""

import string

from hypothesis import given
from hypothesis import strategies as st

from engines.view import View

WORDS = st.text(string.ascii_lowercase + string.digits + ",", min_size=1, max_size=64)
MALFORMED = (
    "view", "view ", "views win 0.5", "view win", "view win 1.5", "view win -0.5", "view win nan", "view win 1e-3",
    "view win .5", "view win 0.5 ", "view  win 0.5", "view win 0.5\nview win 0.5", "view win 0.5\n", "view WIN 0.5",
    "view win ٠", "view depth 12345", "view depth -1", "view nodes 1234567890123456", "view pv", "view pv <b>",
    "view pv e5 \x1b[31m", "view pv " + "a" * 65, "view pv" + " a1" * 33, "view score 12",
)
COUNTS = st.none() | st.integers(0, 9999)


class TestAView:
    @given(st.none() | st.integers(0, 10_000), COUNTS, COUNTS, st.lists(WORDS, max_size=32))
    def test_is_read_as_it_was_written(self, win, depth, nodes, pv):
        view = View(win and win / 10_000, depth, nodes, tuple(pv))
        assert View.parse(view.line()) == (view if view != View() else None)

    def test_has_its_parts_in_one_order(self):
        assert View.parse("view win 0.62 depth 7 nodes 12000 pv e5 c3,d4 pass") == View(
            0.62, 7, 12000, ("e5", "c3,d4", "pass"))
        assert View.parse("view depth 7 win 0.62") is None

    def test_that_is_malformed_is_no_view(self):
        assert [line for line in MALFORMED if View.parse(line) is not None] == []
