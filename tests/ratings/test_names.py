"""Comparison of names, by the examples of Unicode Technical Standards #39 and #15."""

import unicodedata
from itertools import combinations

from ratings.names import key, looks, tidy

# One name in each line, in several spellings.
SPELLINGS = (
    ("Bötchen", unicodedata.normalize("NFD", "Bötchen"), "BÖTCHEN", "Bo\u0308tchen"),
    ("Deep Blue", "Deep\u00a0Blue", "Deep \u2009Blue", "Deep Blue\u200b", "\ufeffdeep blue"),
    ("Ｂｏｔ １", "bot 1"),
    ("Straße", "STRASSE"),
    ("Kasparov\u3164", "kasparov"),
)
# Different names: the four in the first line are all without an ASCII letter.
APART = ("棋士 1", "囲碁 1", "将棋 1", "Νίκη 1", "Шашист", "C++ Bot", "C# Bot", "Bot +1", "Bot -1", "Bot 2", "searcher")
# UTS #39, section 4 and table 1, and names that imitate bots of this site.
ALIKE = (
    ("paypal", "p\u0430ypal"), ("scope", "\u0455\u0441\u043e\u0440\u0435"),
    ("toys-я-us", "toys-ᴙ-us"),
    ("searcher", "s\u0435archer"), ("Searcher", "s\u0435archer"), ("modern", "modem"), ("Bot 1", "Bot l"),
    ("Bot -1", "Bot \u22121"), ("Illinois", "lllinois"), ("Squid", "Sq\u200duid"),
)


class TestNames:
    def test_are_one_name_in_all_its_spellings(self):
        for spellings in SPELLINGS:
            assert {key(name) for name in spellings} == {key(spellings[0])}, spellings
            assert all(looks(one) & looks(other) for one, other in combinations(spellings, 2)), spellings

    def test_are_different_if_only_their_ascii_letters_agree(self):
        assert len({key(name) for name in APART}) == len(APART)
        assert [pair for pair in combinations(APART, 2) if looks(pair[0]) & looks(pair[1])] == []

    def test_look_alike_by_their_skeletons(self):
        assert [pair for pair in ALIKE if not looks(pair[0]) & looks(pair[1])] == []

    def test_keep_their_capitals_and_letters_when_tidied(self):
        assert tidy("\ufeff Deep\u00a0 Blue\u200b ") == "Deep Blue"
        assert tidy(unicodedata.normalize("NFD", "Bötchen ½")) == "Bötchen ½"

    def test_that_show_nothing_have_no_key(self):
        assert {key(name) for name in ("", "\u200b", "\u3164", " \u2060\ufe0f")} == {""}
