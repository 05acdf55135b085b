"""Joining and leaving ladders through the API."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.factories import make_version
from tests.tournaments.api import contract
from tournaments.models import LadderEntry
from tournaments.services.ladders.ladder_play import join
from tournaments.services.ladders.ladders import create_ladder


@pytest.fixture(scope="module")
def ladder(module_db):
    return create_ladder(ruleset="squ", size=6, base_seconds=1)


@pytest.fixture(scope="module")
def version(module_db):
    return make_version("Morphy")


def enrol(ladder, version):
    return join(actor=version.bot.owner, ladder=ladder, version=version, now=timezone.now())


class TestJoining:
    def test_puts_the_users_version_on_the_ladder(self, author, ladder, version):
        answer = author.post(f"/api/ladders/{ladder.slug}/join/", {"version": version.pk}, format="json")
        assert answer.status_code == 200
        assert (answer.json()["bot"], answer.json()["version_id"], answer.json()["active"]) == (
            version.bot.slug, version.pk, True)

        again = author.post(f"/api/ladders/{ladder.slug}/join/", {"version": version.pk}, format="json")
        assert contract.problem(again) == (409, f"Morphy v1 already plays on {ladder.name}.")

    @pytest.mark.database
    def test_is_malformed_without_an_existing_version(self, author, ladder):
        for version in (0, -1, 10**9, 2**63, "x", None, [1]):
            answer = author.post(f"/api/ladders/{ladder.slug}/join/", {"version": version}, format="json")
            assert contract.malformed(answer) == ["version"]


class TestLeaving:
    def test_takes_the_bot_off_the_ladder(self, author, ladder, version):
        enrol(ladder, version)
        answer = author.post(f"/api/ladders/{ladder.slug}/leave/", {"bot": version.bot.slug}, format="json")
        assert (answer.status_code, answer.json()["active"]) == (200, False)

        again = author.post(f"/api/ladders/{ladder.slug}/leave/", {"bot": "nobody"}, format="json")
        assert contract.malformed(again) == ["bot"]


class TestBringingBack:
    def test_ends_a_suspension(self, author, ladder, version):
        enrol(ladder, version)
        LadderEntry.objects.update(probe_at=timezone.now() + timedelta(hours=1), faults=3, rests=1)
        answer = author.post(f"/api/ladders/{ladder.slug}/bring-back/", {"bot": version.bot.slug}, format="json")
        assert (answer.status_code, answer.json()["probe_at"], answer.json()["faults"]) == (200, None, 0)


class TestEntries:
    def test_are_listed_for_everyone(self, anyone, ladder, version):
        enrol(ladder, version)
        answer = anyone.get(f"/api/ladders/{ladder.slug}/entries/")
        assert [entry["bot"] for entry in answer.json()["results"]] == [version.bot.slug]

    def test_take_as_many_queries_for_many_bots_as_for_few(self, anyone, ladder, django_assert_max_num_queries):
        for number in range(12):
            enrol(ladder, make_version(f"bot {number}"))
        with django_assert_max_num_queries(10):
            assert len(anyone.get(f"/api/ladders/{ladder.slug}/entries/").json()["results"]) == 12


class TestClosing:
    def test_happens_once_and_can_be_undone(self, organiser, ladder):
        answer = organiser.post(f"/api/ladders/{ladder.slug}/close/")
        assert (answer.status_code, answer.json()["is_open"]) == (200, False)
        again = organiser.post(f"/api/ladders/{ladder.slug}/close/")
        assert (again.status_code, again.json()["detail"]) == (409, f"{ladder.name} is already closed.")
        assert organiser.post(f"/api/ladders/{ladder.slug}/open/").json()["is_open"]
