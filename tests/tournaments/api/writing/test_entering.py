"""Events that authors create and enter, private events, formats, and series."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from tests.factories import make_version, play_match
from tests.tournaments.api.contract import malformed, post, problem, read
from tournaments.models import Event, Ladder, Match, Series, Version
from tournaments.services.events.events import start_event
from tournaments.services.events.rounds import pair_next
from tournaments.services.ladders.ladders import create_ladder


@pytest.fixture(scope="module")
def ladder(module_db: None) -> Ladder:
    return create_ladder(ruleset="square-grid-hex", size=3, base_seconds=1)


@pytest.fixture(scope="module")
def ant(module_db: None) -> Version:
    return make_version("ant")


@pytest.fixture
def plan(ladder: Ladder) -> dict[str, Any]:
    """The body of a valid request for an event with registration."""
    now = timezone.now()
    return {"name": "Open", "ladder": ladder.slug, "registration_opens_at": now.isoformat(),
            "starts_at": (now + timedelta(days=1)).isoformat()}


def _announced(client: APIClient, plan: dict[str, Any], **facts: Any) -> str:
    answer = post(client, "events/", **plan | facts)
    assert answer.status_code == 201, answer.json()
    return f"events/{answer.json()['slug']}/"


class TestEntering:
    def test_enters_and_withdraws_a_version_of_the_authors_bot(
        self, organiser: APIClient, author: APIClient, anyone: APIClient, plan: dict[str, Any], ant: Version
    ) -> None:
        path, body = _announced(organiser, plan), {"version": ant.pk}
        assert problem(post(author, f"{path}leave/", bot=ant.bot.slug)) == (
            409, "ant is not entered in Open: choose one of its entrants.")
        answer = post(author, f"{path}enter/", **body)
        assert (answer.status_code, answer.json()["bot"], answer.json()["place"]) == (201, ant.bot.slug, None)
        assert [(entry["name"], entry["version"]) for entry in read(anyone, f"{path}entries/")] == [("ant", 1)]
        assert post(author, f"{path}leave/", bot=ant.bot.slug).status_code == 204
        assert read(anyone, f"{path}entries/") == []
        post(organiser, f"{path}cancel/")
        assert problem(post(author, f"{path}leave/", bot=ant.bot.slug))[0] == 409

    @pytest.mark.database
    def test_names_the_malformed_field(self, organiser: APIClient, author: APIClient, plan: dict[str, Any]) -> None:
        path = _announced(organiser, plan)
        for version in (None, "x", 0, -1, 10**30, 987654, [1]):
            answer = post(author, f"{path}enter/", version=version)
            assert malformed(answer) == ["version"]


class TestAnAuthorsEvent:
    def test_is_unrated_and_run_by_its_author(self, author: APIClient, plan: dict[str, Any]) -> None:
        path = _announced(author, plan)
        event = read(author, path)
        assert (event["rated"], event["created_by"], event["max_entries"]) == (False, "mia", 64)
        assert post(author, f"{path}cancel/").status_code == 200
        assert problem(post(author, "events/", **plan, rated=True))[0] == 403


class TestAPrivateEvent:
    def test_does_not_exist_for_users_who_are_not_invited(
        self, organiser: APIClient, author: APIClient, anyone: APIClient, plan: dict[str, Any], ant: Version
    ) -> None:
        def status(client: APIClient, verb: str, **body: Any) -> int:
            return post(client, f"{path}{verb}/", **body).status_code

        path = _announced(organiser, plan, private=True)
        for client in (anyone, author):
            assert read(client, "events/")["results"] == []
            for part in ("", "standings/", "crosstable/", "progress/", "entries/", "bracket/"):
                assert client.get(f"/api/{path}{part}").status_code == 404
        assert status(author, "enter", version=ant.pk) == 404
        assert status(organiser, "invite", username="mia") == 204
        assert status(author, "enter", version=ant.pk) == 201
        assert status(author, "invite", username="mia") == 403
        assert status(organiser, "uninvite", username="mia") == 409
        assert status(author, "leave", bot=ant.bot.slug) == 204
        assert status(organiser, "uninvite", username="mia") == 204
        assert author.get(f"/api/{path}").status_code == 404


class TestFormats:
    def test_show_a_knockouts_bracket(self, organiser: APIClient, anyone: APIClient, plan: dict[str, Any]) -> None:
        versions = [make_version(f"bot {number}").pk for number in range(3)]
        path = _announced(organiser, plan, format="knockout", versions=versions, rated=False, seed=7)
        assert read(anyone, f"{path}bracket/") == []
        event = start_event(event=Event.objects.get(), now=timezone.now())
        while Match.objects.filter(status="queued").exists():
            play_match(Match.objects.get(status="queued"))
            pair_next(event=event, now=timezone.now())
        columns = read(anyone, f"{path}bracket/")
        assert [column["label"] for column in columns] == ["Semi-finals", "Final"]
        assert columns[1]["ties"][0]["winner"] == read(anyone, f"{path}standings/")[0]["bot"]

    def test_name_their_tie_breaks(self, organiser: APIClient, plan: dict[str, Any]) -> None:
        path = _announced(organiser, plan, format="swiss", swiss_rounds=3)
        assert read(organiser, path)["tie_breaks"][:2] == ["buchholz-cut-1", "buchholz"]
        path = _announced(organiser, plan, tie_breaks=["head-to-head"])
        assert read(organiser, path)["tie_breaks"] == ["head-to-head"]

    def test_are_refused_if_malformed_or_impossible(self, organiser: APIClient, plan: dict[str, Any]) -> None:
        for change in ({"format": "league"}, {"seeding": "age"}, {"tie_breaks": "wins"}, {"max_entries": "many"},
                       {"runners": [0]}, {"swiss_rounds": "x"}, {"registration_opens_at": "soon"}):
            answer = post(organiser, "events/", **plan | change)
            assert malformed(answer) == list(change)
        for change in ({"max_entries": 10**30}, {"format": "swiss", "swiss_rounds": 10**30}, {"tie_breaks": ["luck"]},
                       {"swiss_rounds": 2}, {"format": "gauntlet"}):
            answer = post(organiser, "events/", **plan | change)
            assert problem(answer)[0] == 409, change


class TestSeries:
    @pytest.fixture
    def request_(self, ladder: Ladder) -> dict[str, Any]:
        return {"name": "Weekly", "ladder": ladder.slug, "cron": "0 18 * * FRI", "time_zone": "Europe/Berlin"}

    def test_are_created_paused_resumed_and_ended(
        self, organiser: APIClient, anyone: APIClient, request_: dict[str, Any]
    ) -> None:
        answer = post(organiser, "series/", **request_)
        assert answer.status_code == 201
        for verb, active in (("pause", False), ("resume", True), ("end", False)):
            answer = post(organiser, f"series/weekly/{verb}/")
            assert (answer.status_code, answer.json()["active"]) == (200, active)
        assert problem(post(organiser, "series/weekly/end/"))[0] == 409
        [event] = read(anyone, "events/", series="weekly")["results"]
        series = read(anyone, "series/weekly/")
        assert (series["cron"], series["announced_run_at"]) == ("0 18 * * FRI", event["starts_at"])

    def test_are_refused_if_impossible(self, organiser: APIClient, request_: dict[str, Any]) -> None:
        for change in ({"cron": "now"}, {"time_zone": "Moon/Base"}, {"format": "gauntlet"}):
            answer = post(organiser, "series/", **request_ | change)
            assert problem(answer)[0] == 409, change
        assert not Series.objects.exists()

    def test_of_an_author_are_weekly_and_unrated(self, author: APIClient, request_: dict[str, Any]) -> None:
        for refused, status in (({"rated": True}, 403), ({"enter_ladder": True}, 403), ({"cron": "0 18 * * *"}, 409)):
            assert problem(post(author, "series/", **request_ | refused))[0] == status
        assert post(author, "series/", **request_).json()["rated"] is False
