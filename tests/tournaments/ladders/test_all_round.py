"""One table over all rulesets: with one ruleset it is that ladder's table; bots that play only some are apart."""

import pytest
from django.test import Client
from rest_framework.test import APIClient

from ratings.models import OfficialTable
from ratings.official import LINE_FACTS
from tests.factories import START, make_event, make_version, play_event
from tournaments.selectors.ladders.all_round import table
from tournaments.services.ladders.official import compute_due


def play(versions, ruleset, size, name):
    play_event(make_event(versions, ruleset=ruleset, size=size, name=name, openings=True))
    compute_due(START.replace(hour=20))


@pytest.mark.slow
@pytest.mark.django_db
def test_the_table_of_one_ruleset_is_that_ladders_and_of_two_the_mean_and_lists_others_apart():
    versions = [make_version(name, rulesets=["square-grid-hex", "squ"]) for name in ("ant", "bee", "cat", "dog")]
    assert "No bot" in Client().get("/all-round/").content.decode()
    play(versions, "square-grid-hex", 3, "Hex")
    rows = table().rows
    official = list(OfficialTable.objects.get().lines.order_by("rank"))
    assert [row.bot.pk for row in rows] == [line.version.bot_id for line in official]
    for row, line in zip(rows, official, strict=True):
        assert {name: getattr(row.line, name) for name in LINE_FACTS} == {
            name: getattr(line, name) for name in LINE_FACTS}
        assert row.rank_without == ()

    play(versions[:3], "squ", 4, "Squ")
    found = table()
    assert [ladder.ruleset for ladder in found.ladders] == ["squ", "square-grid-hex"]
    assert [each.bot.name for each in found.apart] == ["dog"]
    assert len(found.rows) == 3
    for row in found.rows:
        one, other = row.official
        assert row.line.rating == pytest.approx((one.rating + other.rating) / 2, abs=1e-5)
        assert row.line.error == pytest.approx((one.error**2 + other.error**2) ** 0.5 / 2, abs=1e-5)
        assert row.line.games == one.games + other.games
    ranks = [sorted(row.rank_without[number] for row in found.rows) for number in (0, 1)]
    assert ranks == [[1, 2, 3]] * 2

    shown = Client().get("/all-round/").content.decode()
    assert all(name in shown for name in ("ant", "bee", "cat", "dog"))
    body = APIClient().get("/api/all-round/").json()
    assert [row["rank"] for row in body["results"]] == [1, 2, 3]
    assert [bot["name"] for bot in body["apart"]] == ["dog"]
