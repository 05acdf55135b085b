"""Copies of the library's exceptions and values: by pickle, copy and deepcopy."""

import copy
import pickle
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

from engines.env import IllegalAction, State, spec, symmetries
from engines.layout import member_files
from engines.rules.errors import IllegalTurn
from engines.rules.registry import RULESETS
from tests.package import ROOT

# Our own pickles are safe to read.
WAYS: tuple[Callable[[Any], Any], ...] = (
    lambda value: pickle.loads(pickle.dumps(value)), copy.copy, copy.deepcopy)  # noqa: S301


def exceptions() -> Iterator[type[Exception]]:
    """Yield the classes of exceptions that the files of the library define."""
    for name in member_files(ROOT):
        text = (ROOT / name).read_text(encoding="utf-8") if name.endswith(".py") and "/templates/" not in name else ""
        for found in re.findall(r"^class (\w+)\((?:.*Copyable|\w*(?:Error|Exception)\))", text, re.MULTILINE):
            yield getattr(import_module(name.removesuffix(".py").replace("/", ".")), found)


class TestExceptions:
    def test_keep_their_words_and_attributes(self):
        wrong = []
        for kind in exceptions():
            error = kind.__new__(kind, "words")
            error.extra = 7
            copies = [way(error) for way in WAYS]
            wrong += [kind for one in copies if (type(one), str(one), vars(one)) != (kind, "words", {"extra": 7})]
        assert wrong == []

    def test_of_a_turn_keep_all_that_they_say(self):
        errors = [IllegalTurn("superko", "a1 repeats", 0, 7, count=2), State.start(RULESETS["squ"]).refusal(99, game=3)]
        assert isinstance(errors[1], IllegalAction)
        for error in errors:
            for again in (way(error) for way in WAYS):
                assert (type(again), again.args, vars(again)) == (type(error), error.args, vars(error))


class TestValues:
    def test_stay_equal(self):
        values = [spec("squ"), State.start(RULESETS["scware"], 6), *(ruleset.start() for ruleset in RULESETS.values())]
        for value in values:
            assert [way(value) for way in WAYS] == [value] * 3
        for way in WAYS:
            assert (way(symmetries("squ", 6)).actions == symmetries("squ", 6).actions).all()
