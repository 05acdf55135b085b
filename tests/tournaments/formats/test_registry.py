"""What every registered format keeps to, and what nothing else may know."""

import random
import re
from pathlib import Path

import pytest

from frontend.text import formats as texts
from tournaments.formats.history import Due, History, RoundSoFar, Tie
from tournaments.formats.registry import DEFAULT, FORMATS, UnknownFormat, choices, find
from tournaments.models import Event, Series

ROOT = Path(__file__).parents[3]
PRODUCT = [*(ROOT / "tournaments").rglob("*.py"), *(ROOT / "frontend").rglob("*.py")]
# Where a format may be named: its own package, its texts, and the migrations and settings of the demo.
NAMES_A_FORMAT = ("tournaments/formats/", "tournaments/pairing/", "tournaments/migrations/", "tournaments/setup/",
                  "frontend/text/formats.py")


def begun(slug: str, entrants: int) -> History:
    """An event of this format before its first round."""
    return History(entrants, 1, find(slug).rounds(entrants, 3), runners=[0])


def after(history: History, due: Due, dice: random.Random) -> History:
    """The same with what was due played; no match is drawn."""
    ties = []
    for pair in due.pairs:
        points = dice.choice([[2.0, 0.0], [0.0, 2.0]])
        ties.append(Tie(*pair, points=points, matches=1, played=1))
    rounds = [*history.rounds, RoundSoFar(due.number, ties, frozenset(due.byes))]
    return History(history.entrants, history.cycles, history.rounds_wanted, history.runners, history.left, rounds)


def played_out(slug: str, entrants: int, seed: int) -> tuple[History, list[Due]]:
    """An event from its first round to its last, as the format asks for them."""
    history, dice, asked = begun(slug, entrants), random.Random(seed), list[Due]()
    for due in find(slug).first_rounds(history):
        asked.append(due)
        history = after(history, due, dice)
    while (next_due := find(slug).next(history)) is not None:
        asked.append(next_due)
        history = after(history, next_due, dice)
    return history, asked


class TestFind:
    def test_gives_the_format_of_a_slug(self):
        assert [find(slug).slug for slug in FORMATS] == list(FORMATS)

    def test_refuses_a_slug_that_is_none(self):
        with pytest.raises(UnknownFormat, match="unknown format 'arena': choose from round-robin, swiss, "):
            find("arena")


class TestTheRegistry:
    def test_begins_with_the_default(self):
        assert DEFAULT == "round-robin"

    @pytest.mark.parametrize("model", [Event, Series])
    def test_gives_the_tables_their_choices(self, model):
        field = model._meta.get_field("format")
        assert field.flatchoices == choices()
        assert all(len(slug) <= field.max_length for slug in FORMATS)

    def test_has_texts_for_the_pages_of_each_format(self):
        assert list(texts.NAMES) == list(texts._RULES) == list(FORMATS)

    def test_is_the_only_way_to_tell_formats_apart(self):
        """Nothing but a format's module, its texts and what was migrated names it in a comparison."""
        named = re.compile(r"(==|!=|\bin\b|\bcase\b) *\(?[\"'](" + "|".join(FORMATS) + r")[\"']")
        found = [path.relative_to(ROOT).as_posix() for path in PRODUCT if named.search(path.read_text("utf-8"))]
        assert [path for path in found if not path.startswith(NAMES_A_FORMAT)] == []


@pytest.mark.parametrize("slug", FORMATS)
class TestAFormat:
    @pytest.mark.parametrize("entrants", [2, 5, 8])
    def test_pairs_everybody_at_most_once_a_round(self, slug, entrants):
        for due in played_out(slug, entrants, 1)[1]:
            there = [place for pair in due.pairs for place in pair] + [*due.byes]
            assert len(there) == len(set(there))
            assert set(there) <= set(range(entrants))

    @pytest.mark.parametrize("entrants", [2, 5, 8])
    def test_says_before_how_many_pairings_there_will_be(self, slug, entrants):
        made = sum(len(due.pairs) for due in played_out(slug, entrants, 1)[1])
        most = find(slug).pairings(entrants, rounds=3, runners=1)
        # The second grand final is only played when it is needed.
        assert made in ({most, most - 1} if slug == "double knockout" else {most})

    def test_pairs_the_same_again(self, slug):
        assert played_out(slug, 7, 3)[1] == played_out(slug, 7, 3)[1]

    def test_has_nothing_ahead_at_its_end(self, slug):
        history, asked = played_out(slug, 6, 5)
        ahead = find(slug).ahead(history)
        assert (ahead.matches, ahead.rounds_least, ahead.rounds_most) == (0, len(asked), len(asked))

    def test_has_no_pairing_for_one(self, slug):
        assert find(slug).pairings(1, rounds=3, runners=1) == 0
