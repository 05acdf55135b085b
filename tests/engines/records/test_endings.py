"""How a game ended, in words: with and without the details of its record."""

import pytest

from engines.records.endings import GameEnd, end_of_data
from engines.records.older import shown_document
from engines.records.record import EndedBy
from engines.rules.outcome import Forfeit
from engines.rules.registry import RULESETS
from tests.factories import random_record

NAMES = ("alder", "basalt")


def listed(**facts):
    return GameEnd(**{"ruleset": "squ", "winner": 0, "ended_by": "rule", "reason": "board full", "plies": 30} | facts)


class TestTheSentence:
    @pytest.mark.parametrize(("facts", "sentence"), [
        ({}, "alder won with the larger square"),
        ({"winner": None}, "alder and basalt drew on a full board"),
        ({"ruleset": "scware", "winner": 1, "reason": "connection"}, "basalt won by connecting west and east"),
        ({"ruleset": "scware", "winner": None, "reason": "impasse"}, "alder and basalt drew by impasse"),
        ({"reason": "resignation"}, "alder won by resignation at turn 30"),
        ({"ended_by": "conduct", "reason": "time"}, "alder won by forfeit: basalt ran out of time at turn 31"),
        ({"ended_by": "policy", "reason": "ply cap", "winner": None}, "alder and basalt drew by ply cap"),
        ({"ruleset": "squaresquared", "reason": "two passes", "counts": ((8, 8), (3, 2), (0, 1))},
         "alder won 3–2 on ring 2 from the edge, after ties further out"),
        ({"ruleset": "removed", "reason": "connection"}, "alder won by connection"),
        ({"reason": "<b>"}, "alder won by <b>"),
    ])
    def test_says_what_a_list_knows(self, facts, sentence):
        assert listed(**facts).sentence(NAMES) == sentence

    @pytest.mark.parametrize("kind", Forfeit)
    def test_names_the_loser_of_a_forfeit_only_if_the_name_is_given(self, kind):
        end = listed(ended_by=EndedBy.CONDUCT, reason=kind)
        assert " basalt " in str(end.how("basalt"))
        assert str(end.how()).startswith("by forfeit: ")

    @pytest.mark.parametrize("slug", RULESETS)
    def test_is_the_same_from_a_record_and_from_its_document(self, slug):
        record = random_record(slug, RULESETS[slug].sizes[2], NAMES, 3).to_dict()
        assert GameEnd.of_document(shown_document(record)) == end_of_data(record)

    @pytest.mark.parametrize("data", [None, {}, {"format": 3}])
    def test_of_other_data_is_unknown(self, data):
        assert end_of_data(data) is None
        assert GameEnd.of_document(shown_document(data)).sentence(NAMES)
