"""Opening and closing ladders."""

import pytest
from django.db import IntegrityError, transaction

from tests.factories import make_version
from tournaments.models import AuditEntry, Ladder, Match
from tournaments.services.ladders.ladder_play import join
from tournaments.services.ladders.ladders import LadderRefused, create_ladder, set_open
from tournaments.services.ladders.matchmaking import pair_ladders

pytestmark = pytest.mark.django_db
FACTS = {"ruleset": "squ", "size": 8, "base_seconds": 5.0, "increment_seconds": 0.1}


class TestCreateLadder:
    def test_names_it_by_its_settings(self):
        ladder = create_ladder(**FACTS)
        assert (ladder.name, ladder.slug) == ("SQU 8×8, 5 s + 0.1 s", "squ-8x8-5s-0-1s")
        assert create_ladder(**FACTS, name="Another name") == ladder
        assert Ladder.objects.count() == 1

    def test_distinguishes_time_controls_and_pondering(self):
        slugs = {create_ladder(**{**FACTS, "increment_seconds": seconds}).slug for seconds in (0, 0.01, 0.1, 1, 10)}
        assert len(slugs) == 5
        made = [create_ladder(ruleset="squ", size=8, **facts) for facts in (
            {"base_seconds": 0.5}, {"per_turn_seconds": 0.5}, {"per_turn_seconds": 0.5, "pondering": True},
            {"base_seconds": 0.5, "pondering": True})]
        assert len({ladder.pk for ladder in made}) == len({ladder.slug for ladder in made}) == 4
        assert [made[1].name, made[2].slug] == ["SQU 8×8, 0.5 s per turn", "squ-8x8-0-5s-per-turn-pondering"]
        assert create_ladder(ruleset="squ", size=8, per_turn_seconds=0.5) == made[1]

    def test_refuses_an_impossible_ladder_and_says_why(self):
        for change, sentence in (
            ({"ruleset": "chess"}, r"Unknown ruleset 'chess': choose from scware, .*\."),
            ({"size": 2}, r"SQU is played on sizes .* not on 2\."),
            ({"size": 400}, "not on 400"),
            ({"base_seconds": 0}, r"The base time must be 0\.05 to 3600 seconds, not 0\."),
            ({"base_seconds": float("nan")}, "not nan"),
            ({"base_seconds": 3601}, "not 3601"),
            ({"increment_seconds": -1}, r"The increment must be 0 to 60 seconds, not -1\."),
            ({"increment_seconds": float("inf")}, "not inf"),
            ({"per_turn_seconds": 1}, "A fixed time per turn excludes a base time and an increment"),
            ({"per_turn_seconds": 601, "base_seconds": 0, "increment_seconds": 0},
             r"The time per turn must be 0\.01 to 600 seconds, not 601\."),
            ({"name": "  "}, "1 to 80 characters, not 0"),
            ({"name": "x" * 81}, "not 81"),
        ):
            with pytest.raises(LadderRefused, match=sentence):
                create_ladder(**{**FACTS, **change})
        assert not Ladder.objects.exists()

    @pytest.mark.database
    def test_gives_time_per_game_or_per_turn_as_the_database_requires(self):
        for base, increment, per_turn in ((0, 0, 0), (5, 0, 1), (0, 1, 1), (0, 1, 0), (-1, 0, 0), (5, -1, 0)):
            with pytest.raises(IntegrityError), transaction.atomic():
                Ladder.objects.create(slug="x", name="x", ruleset="squ", size=8, base_seconds=base,
                                      increment_seconds=increment, per_turn_seconds=per_turn)


class TestSetOpen:
    def test_cancels_queued_matches_when_it_closes_and_resumes_play_when_it_reopens(self, staff, now):
        ladder = create_ladder(**FACTS)
        for name in ("Alder", "Basalt"):
            version = make_version(name)
            join(actor=version.bot.owner, ladder=ladder, version=version, now=now)
        assert pair_ladders(now) == 2
        set_open(ladder=ladder, is_open=False, actor=staff, now=now)
        assert not Ladder.objects.get().is_open
        assert set(Match.objects.values_list("status", flat=True)) == {"cancelled"}
        assert pair_ladders(now) == 0
        assert AuditEntry.objects.order_by("pk").last().verb == "close"
        set_open(ladder=ladder, is_open=True, actor=staff, now=now)
        assert pair_ladders(now) == 2
        with pytest.raises(LadderRefused, match="is already open"):
            set_open(ladder=ladder, is_open=True, actor=staff, now=now)
