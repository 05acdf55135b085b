"""A ladder's official table through the API, and the comparison of two versions."""

from itertools import pairwise
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from ratings.models import OfficialLine, OfficialTable
from tests.factories import START, make_event, make_version, play_event, play_match
from tests.tournaments.api import contract
from tournaments.models import Event, Ladder, Match, Version
from tournaments.services.ladders.ladders import create_ladder
from tournaments.services.ladders.official import compute_due
from tournaments.services.ladders.rating import rate_due

TABLE = "/api/ladders/{slug}/table/"
SUPERIORITY = "/api/ladders/{slug}/superiority/"


@pytest.fixture(scope="module")
def ladder(module_db: None) -> Ladder:
    """The ladder of a finished event of four bots, with its table."""
    return play_some(4, "Autumn").ladder


def play_some(bots: int, name: str) -> Event:
    """Play a round-robin between the given number of bots and compute the table."""
    event = make_event([make_version(f"{name} {number}") for number in range(bots)], name=name, size=4,
                       ruleset="square-grid-hex")
    for match in Match.objects.filter(event=event):
        play_match(match)
    play_event(event)
    compute_due(START.replace(hour=18))
    return event


def read(client: APIClient, operation: str, ladder: Ladder, **query: Any) -> Any:
    """Return the answer's body, checked against the schema."""
    answer = client.get(operation.format(slug=ladder.slug), query)
    contract.check(answer, operation)
    return answer.json()


class TestTheTable:
    def test_has_facts_and_a_line_for_each_version_best_first(self, anyone: APIClient, ladder: Ladder) -> None:
        body = read(anyone, TABLE, ladder)
        assert [line["rank"] for line in body["results"]] == [1, 2, 3, 4]
        ratings = [line["rating"] for line in body["results"]]
        assert ratings == sorted(ratings, reverse=True)
        assert all(line["low"] < line["rating"] < line["high"] for line in body["results"])
        assert body["results"][-1]["better_than_next"] is None
        table, stored = body["table"], OfficialTable.objects.get()
        assert (table["games"], table["versions"], table["components"], table["connected"]) == (12, 4, [4], True)
        assert (table["model"], table["input"], table["warning"]) == ("davidson/2", stored.input, "")
        assert table["first_move_advantage"]["low"] < table["first_move_advantage"]["high"]
        assert table["draw_rate"] == stored.draws / 12

    def test_warns_about_versions_that_cannot_be_compared(self, anyone: APIClient, ladder: Ladder) -> None:
        other = make_event([make_version("far"), make_version("away")], name="Apart", size=4,
                           ruleset="square-grid-hex")
        play_match(Match.objects.get(event=other))
        rate_due(START)
        compute_due(START.replace(hour=20))
        table = read(anyone, TABLE, ladder)["table"]
        assert (table["connected"], table["components"]) == (False, [4, 2])
        assert table["warning"].startswith("2 of the 6 versions")
        body = read(anyone, SUPERIORITY, ladder, first=make_slug("far"), second=make_slug("Autumn 1"))
        assert (body["better"], body["difference"], body["expected"]) == (None, None, None)

    def test_is_empty_before_the_first_game(self, anyone: APIClient, ladder: Ladder) -> None:
        empty = create_ladder(ruleset="squ", size=6, base_seconds=5)
        assert read(anyone, TABLE, empty) == {"next": None, "previous": None, "table": None, "results": []}
        body = read(anyone, SUPERIORITY, empty, first=make_slug("Autumn 0"), second=make_slug("Autumn 1"))
        assert (body["first"], body["second"], body["better"], body["model"]) == (None, None, None, None)

    def test_comes_in_pages_and_is_filtered_by_bot(self, anyone: APIClient, ladder: Ladder) -> None:
        whole = read(anyone, TABLE, ladder)["results"]
        first = read(anyone, TABLE, ladder, limit=3)
        second = anyone.get(first["next"]).json()
        assert first["results"] + second["results"] == whole
        assert second["next"] is None
        assert anyone.get(second["previous"]).json()["results"] == first["results"]
        slug = make_slug("Autumn 2")
        assert [line["bot"] for line in read(anyone, TABLE, ladder, bot=slug)["results"]] == [slug]
        assert read(anyone, TABLE, ladder, bot="nobody")["results"] == []
        for bot in ("\0", "a b", "x" * 5000, "é"):
            assert contract.malformed(anyone.get(TABLE.format(slug=ladder.slug), {"bot": bot})) == ["bot"]

    def test_is_not_resent_until_it_is_recomputed(self, anyone: APIClient, ladder: Ladder) -> None:
        path = TABLE.format(slug=ladder.slug)
        tag = anyone.get(path)["ETag"]
        assert anyone.get(path, HTTP_IF_NONE_MATCH=tag).status_code == 304
        OfficialTable.objects.update(revision=99)
        assert anyone.get(path, HTTP_IF_NONE_MATCH=tag).status_code == 200


def make_slug(name: str) -> str:
    return Version.objects.get(bot__name=name).bot.slug


class TestSuperiority:
    def test_is_mirrored_when_the_versions_are_swapped(self, anyone: APIClient, ladder: Ladder) -> None:
        one, other = make_slug("Autumn 0"), make_slug("Autumn 3")
        here = read(anyone, SUPERIORITY, ladder, first=one, second=other)
        there = read(anyone, SUPERIORITY, ladder, first=other, second=one)
        assert here["better"] == pytest.approx(1 - there["better"], abs=2e-6)
        assert here["difference"]["value"] == -there["difference"]["value"]
        assert here["score"]["wins"] == there["score"]["losses"]
        assert here["expected"] == pytest.approx(1 - there["expected"])
        assert here["actual"] == 1 - there["actual"]
        assert [seat["games"] for seat in here["seats"]] == [1, 1]

    def test_agrees_with_the_table_for_neighbours(self, anyone: APIClient, ladder: Ladder) -> None:
        lines = list(OfficialLine.objects.order_by("rank"))
        for line, below in pairwise(lines):
            body = read(anyone, SUPERIORITY, ladder, first=line.version_id, second=below.version_id)
            assert body["better"] == pytest.approx(line.better_than_next, abs=2e-6)
            assert body["difference"]["value"] == round(line.rating - below.rating, 6)
            assert body["first"]["version_id"] == line.version_id

    def test_is_unknown_for_a_version_without_games(self, anyone: APIClient, ladder: Ladder) -> None:
        newcomer = make_version("newcomer")
        body = read(anyone, SUPERIORITY, ladder, first=newcomer.bot.slug, second=make_slug("Autumn 3"))
        assert (body["first"], body["better"], body["difference"]) == (None, None, None)
        assert body["second"]["bot"] == make_slug("Autumn 3")
        assert (body["score"]["games"], body["expected"], body["actual"]) == (0, None, None)

    @pytest.mark.database
    def test_is_not_of_malformed_or_equal_versions(self, anyone: APIClient, ladder: Ladder) -> None:
        for query in ({}, *({"first": first} for first in (
                "nobody", "\0", "9" * 18, "9" * 79, "x" * 5000, "٣"))):
            answer = anyone.get(SUPERIORITY.format(slug=ladder.slug), query)
            assert contract.malformed(answer) == ["first", "second"], query
        slug, version = make_slug("Autumn 0"), Version.objects.get(bot__name="Autumn 0").pk
        for first, second in ((slug, slug), (version, version), (slug, version)):
            answer = anyone.get(SUPERIORITY.format(slug=ladder.slug), {"first": first, "second": second})
            assert "A bot cannot be compared with itself" in contract.problem(answer)[1]


class TestQueries:
    def test_are_as_few_for_many_bots_as_for_few(self, anyone: APIClient, ladder: Ladder) -> None:
        counted: dict[str, set[int]] = {TABLE: set(), SUPERIORITY: set()}
        for number, bots in enumerate((2, 5)):
            event = play_some(bots, f"Event {number}")
            lines = OfficialLine.objects.filter(version__in=event.entries.values("version")).order_by("rank")
            query = {"first": lines[0].version_id, "second": lines[1].version_id, "limit": 100}
            for operation, numbers in counted.items():
                with CaptureQueriesContext(connection) as queries:
                    assert anyone.get(operation.format(slug=event.ladder.slug), query).status_code == 200
                numbers.add(len(queries))
        assert [len(numbers) for numbers in counted.values()] == [1, 1]
        assert max(counted[TABLE] | counted[SUPERIORITY]) <= 10
