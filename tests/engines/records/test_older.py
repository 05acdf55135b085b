"""The display of games that the current rules cannot replay."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.records.older import shown_document
from engines.records.replay import replay_document, result_sentence
from engines.rules.registry import RULESETS
from tests.effort import examples
from tests.factories import random_record

NAMES = ("Ann", "Bob")
NAMED = st.sampled_from(["ruleset", "size", "seats", "opening", "turns", "turn", "seconds", "result", "winner", "fault",
                         "seat", "message", "rules", "format", "name"])
JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from([*RULESETS]),
                    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMED, inner, max_size=8))


@pytest.mark.parametrize("slug", RULESETS)
class TestARecord:
    def test_under_the_current_rules_is_replayed(self, slug):
        record = random_record(slug, 6, NAMES, 3).to_dict()
        assert shown_document(record) == replay_document(record)
        assert shown_document(record)["older"] is False

    def test_under_other_rules_keeps_turns_and_result_without_stones(self, slug):
        game = random_record(slug, 6, NAMES, 3)
        document = shown_document(game.to_dict() | {"rules": 7})
        assert (document["older"], document["ruleset"]["version"]) == (True, 7)
        assert [turn["text"] for turn in document["turns"]] == [turn.turn for turn in game.turns]
        assert not any(turn["ops"] for turn in document["turns"])
        assert document["result"]["text"] == result_sentence(replace(game, rules=7))

    def test_that_the_rules_contradict_is_shown_as_an_older_one(self, slug):
        record = random_record(slug, 6, NAMES, 3).to_dict()
        document = shown_document(record | {"turns": record["turns"][:1] * 2})
        assert (document["older"], len(document["turns"])) == (True, 2)


class TestAnyData:
    @given(data=JSON)
    @settings(max_examples=examples(300))
    def test_produces_a_document(self, data):
        document = shown_document(data)
        assert document["older"]
        assert len(document["players"]) == 2
        assert all(turn["seat"] in (0, 1) for turn in document["turns"])

    @given(part=st.sampled_from(["ruleset", "size", "seats", "opening", "turns", "result", "fault", "rules", "format",
                                 "time_control"]), value=JSON)
    @settings(max_examples=examples(200))
    def test_in_place_of_a_part_produces_a_document(self, part, value):
        record = random_record("squ", 4, NAMES, 1).to_dict()
        assert shown_document(record | {part: value})["turns"] is not None
