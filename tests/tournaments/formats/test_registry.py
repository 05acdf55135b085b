"""The contract of every registered format, and that no other code depends on a particular one."""

import random
import re
from dataclasses import replace
from pathlib import Path

import pytest

from frontend.text import formats as texts
from tournaments.formats.history import Bout, Due, Goal, History, Played, RoundSoFar, Tie
from tournaments.formats.registry import FORMATS, UnknownFormat, choices, find
from tournaments.models import Event, Series

ROOT = Path(__file__).parents[3]
# Files that may name a format: its own package, its texts, the migrations, and the settings of the demo.
NAMES_A_FORMAT = ("tournaments/formats/", "tournaments/pairing/", "tournaments/migrations/", "tournaments/setup/",
                  "frontend/text/formats.py")


def begun(slug: str, entrants: int) -> History:
    """An event of this format before its first round."""
    goal = Goal("ratings", 1, 40 if entrants > 2 else 30, None, seed=1) if find(slug).takes_target else None
    return History(entrants, 1, find(slug).rounds(entrants, 3), runners=[0], goal=goal,
                   minutes=1, seconds=0.0 if find(slug).is_continuous else None)


def after(history: History, due: Due, dice: random.Random) -> History:
    """The history after the due pairings, none of which is drawn."""
    ties = []
    for pair in due.pairs:
        points = dice.choice([[2.0, 0.0], [0.0, 2.0]])
        ties.append(Tie(*pair, points=points, matches=1, played=1))
    rounds = [*history.rounds, RoundSoFar(due.number, ties, frozenset(due.byes), pairs=due.pairs)]
    games = [*history.games, *(
        Played(due.number, number, *pair, (tie.points[0] / 2, tie.points[0] / 2), f"{due.number} {number}",
               f"{due.number} {number}", 0.0)
        for number, (pair, tie) in enumerate(zip(due.pairs, ties, strict=True), start=1))]
    bouts = [*history.bouts, *(Bout(due.number, number, tie.first, tie.second, "finished",
                                    (tie.points[0], tie.points[1])) for number, tie in enumerate(ties, start=1))]
    return replace(history, rounds=rounds, games=games, bouts=bouts,
                   seconds=None if history.seconds is None else history.seconds + 2.0)


def played_out(slug: str, entrants: int, seed: int) -> tuple[History, list[Due]]:
    """An event played from its first round to its last, as the format asks for them."""
    history, dice, asked = begun(slug, entrants), random.Random(seed), list[Due]()
    for due in find(slug).first_rounds(history):
        asked.append(due)
        history = after(history, due, dice)
    while (next_due := find(slug).next(history)) is not None:
        asked.append(next_due)
        history = after(history, next_due, dice)
    return history, asked


class TestTheRegistry:
    def test_refuses_an_unknown_slug(self):
        with pytest.raises(UnknownFormat, match="unknown format 'ladder': choose from round-robin, swiss, "):
            find("ladder")

    def test_defines_the_choices_of_the_models_and_has_page_texts_for_each(self):
        for model in (Event, Series):
            field = model._meta.get_field("format")
            assert field.flatchoices == choices()
            assert all(len(slug) <= field.max_length for slug in FORMATS)
        assert list(texts.NAMES) == list(texts._RULES) == list(FORMATS)

    def test_is_the_only_place_that_distinguishes_formats(self):
        """Only a format's module, its texts and migrations compare with its slug."""
        named = re.compile(r"(==|!=|\bin\b|\bcase\b) *\(?[\"'](" + "|".join(FORMATS) + r")[\"']")
        product = [*(ROOT / "tournaments").rglob("*.py"), *(ROOT / "frontend").rglob("*.py")]
        found = [path.relative_to(ROOT).as_posix() for path in product if named.search(path.read_text("utf-8"))]
        assert [path for path in found if not path.startswith(NAMES_A_FORMAT)] == []


@pytest.mark.parametrize("slug", FORMATS)
class TestAFormat:
    def test_pairs_each_entrant_at_most_once_per_round_as_often_as_predicted_and_is_then_over(self, slug):
        form = find(slug)
        for entrants in (2, 5, 8):
            history, asked = played_out(slug, entrants, 1)
            for due in asked:
                there = [place for pair in due.pairs for place in pair] + [*due.byes]
                assert form.meets_again or len(there) == len(set(there))
                assert set(there) <= set(range(entrants))
            if not form.is_continuous:
                made = sum(len(due.pairs) for due in asked)
                most = form.pairings(entrants, rounds=3, runners=1, most=40 if entrants > 2 else 30)
                # The second grand final is played only if it is needed.
                assert made in ({most, most - 1} if slug == "double knockout" else {most})
            ahead = form.ahead(history)
            assert (ahead.matches, ahead.rounds_least, ahead.rounds_most) == (0, len(asked), len(asked))

    def test_is_deterministic_and_has_no_pairing_for_one_entrant(self, slug):
        assert played_out(slug, 5, 1)[1] == played_out(slug, 5, 1)[1]
        assert find(slug).pairings(1, rounds=3, runners=1) == 0
