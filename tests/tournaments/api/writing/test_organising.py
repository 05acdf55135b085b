"""Opening ladders, scheduling and running events, replaying void matches."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.utils import timezone
from rest_framework.test import APIClient

from tests.factories import START, make_event, make_user, make_version, spoil_match
from tests.tournaments.api.contract import malformed, post, problem
from tournaments.models import Event, Ladder, Match, Version
from tournaments.services.accounts.tokens import make_token
from tournaments.services.ladders.ladders import create_ladder

LADDER = {"ruleset": "squ", "size": 6, "base_seconds": 2.5, "increment_seconds": 0.1}


@pytest.fixture(scope="module")
def versions(module_db: None) -> list[Version]:
    return [make_version("Morphy"), make_version("Steinitz", rulesets=["squ", "scware"])]


@pytest.fixture(scope="module")
def plan(versions: list[Version]) -> dict[str, Any]:
    """The body of a valid request to schedule an event."""
    ladder = create_ladder(ruleset="squ", size=6, base_seconds=1)
    return {"name": "Spring", "ladder": ladder.slug, "versions": [version.pk for version in versions]}


class TestOpeningALadder:
    def test_names_it_by_its_settings(self, organiser: APIClient) -> None:
        fixed = {"ruleset": "squ", "size": 6, "per_turn_seconds": 0.5, "pondering": True}
        for settings, named in (
            (LADDER, {"per_turn_seconds": 0.0, "pondering": False, "slug": "squ-6x6-2-5s-0-1s",
                      "name": "SQU 6×6, 2.5 s + 0.1 s"}),
            (fixed, {"base_seconds": 0.0, "increment_seconds": 0.0, "slug": "squ-6x6-0-5s-per-turn-pondering",
                     "name": "SQU 6×6, 0.5 s per turn, pondering"}),
        ):
            answer = post(organiser, "ladders/", **settings)
            shown = answer.json()
            assert (answer.status_code, [wait["reason"] for wait in shown.pop("waiting")]) == (201, ["opponent"])
            assert shown == {**settings, **named, "is_open": True}
        first = post(organiser, "ladders/", **LADDER, name="Blitz")
        again = post(organiser, "ladders/", **LADDER)
        assert (again.status_code, again.json()) == (200, first.json())

    def test_is_refused_with_a_reason_or_the_malformed_field(self, organiser: APIClient) -> None:
        for change, sentence in (
            ({"size": 7}, "SQU is played on sizes 4 to 18, even, not on 7."),
            ({"size": 10**30}, f"SQU is played on sizes 4 to 18, even, not on {10**30}."),
            ({"base_seconds": 1e308}, "The base time must be 0.05 to 3600 seconds, not 1e+308."),
            ({"name": "x" * 81}, "A ladder's name must have 1 to 80 characters, not 81."),
        ):
            assert problem(post(organiser, "ladders/", **LADDER | change)) == (409, sentence)
        for change in ({"size": "six"}, {"size": None}, {"base_seconds": []}, {"base_seconds": "nan"},
                       {"name": "a\0b"}, {"name": ""}, {"ruleset": {"slug": "squ"}}):
            assert malformed(post(organiser, "ladders/", **LADDER | change)) == list(change), change
        assert not Ladder.objects.exclude(base_seconds=1).exists()


class TestScheduling:
    def test_creates_an_event_that_starts_automatically(self, organiser: APIClient, plan: dict[str, Any]) -> None:
        soon = timezone.now() + timedelta(days=1)
        answer = organiser.post("/api/events/", {**plan, "cycles": 3, "seed": 7, "starts_at": soon.isoformat()},
                                format="json")
        assert answer.status_code == 201
        event = Event.objects.get()
        assert (event.slug, event.cycles, event.seed, event.starts_at) == ("spring", 3, 7, soon)
        assert (event.status, event.created_by.username) == ("scheduled", "organiser")
        assert [entry.version_id for entry in event.entries.order_by("version")] == plan["versions"]

    def test_has_openings_and_starts_at_once_by_default(self, organiser: APIClient, plan: dict[str, Any]) -> None:
        for said, kept in (({}, True), ({"openings": True, "starts_at": None}, True), ({"openings": False}, False)):
            answer = post(organiser, "events/", **plan | said)
            assert (answer.status_code, answer.json()["openings"]) == (201, kept)
            event = Event.objects.get(slug=answer.json()["slug"])
            assert event.starts_at == event.created_at

    def test_needs_as_many_queries_for_many_bots_as_for_few(
        self, organiser: APIClient, plan: dict[str, Any], django_assert_max_num_queries: Any
    ) -> None:
        entrants = [make_version(f"Bot {number}").pk for number in range(14)]
        with django_assert_max_num_queries(12):
            answer = organiser.post("/api/events/", {**plan, "versions": entrants}, format="json")
        assert answer.status_code == 201

    def test_is_refused_with_a_reason(self, organiser: APIClient, plan: dict[str, Any]) -> None:
        one, other = plan["versions"]
        hexagons = create_ladder(ruleset="square-grid-hex", size=5, base_seconds=1)
        for change, sentence in (
            ({"versions": [one, one]}, "An event needs at least two bots, but only one is entered: enter another"),
            ({"versions": []}, "An event needs at least two bots, but none is entered: enter two, or open"),
            ({"versions": [one, other, other]}, "Steinitz is entered twice: choose one version."),
            ({"starts_at": "2020-01-31T18:00Z"}, "The start, 2020-01-31 18:00 UTC, is in the past; it is "),
            ({"cycles": 10**30}, f"An event must have 1 to 1,000 cycles, not {10**30:,}."),
            ({"name": "x" * 81}, "An event's name must have 1 to 80 characters, not 81."),
            ({"ladder": hexagons.slug}, "Steinitz v1 does not play square-grid-hex, only squ, scware: enter a"),
        ):
            answer = post(organiser, "events/", **plan | change)
            status, said = problem(answer)
            assert (status, said[:len(sentence)]) == (409, sentence)
        assert not Event.objects.exists()

    @pytest.mark.database
    def test_names_the_malformed_field(self, organiser: APIClient, plan: dict[str, Any]) -> None:
        for change in (
            {"versions": "Morphy"}, {"versions": [True]}, {"versions": ["x"]}, {"versions": [987654321]},
            {"versions": [10**30]}, {"versions": [-1]}, {"ladder": "nowhere"}, {"ladder": None}, {"ladder": "a\0b"},
            {"ladder": ["squ"]}, {"name": ""}, {"name": "\ud800"}, {"cycles": "many"}, {"seed": -1}, {"seed": 2**63},
            {"starts_at": "tomorrow"}, {"starts_at": "0001-01-01T00:00+14:00"},
        ):
            answer = organiser.post("/api/events/", json.dumps({**plan, **change}), content_type="application/json")
            assert malformed(answer) == list(change), change
        assert not Event.objects.exists()


class TestRunning:
    def test_follows_the_events_life_cycle(self, organiser: APIClient, versions: list[Version]) -> None:
        event = make_event(versions, size=5, started=False)
        for verb, status in [("start", "running"), ("pause", "paused"), ("resume", "running"),
                             ("cancel", "cancelled")]:
            answer = post(organiser, f"events/{event.slug}/{verb}/")
            assert (answer.status_code, answer.json()["status"]) == (200, status)
        assert set(Match.objects.values_list("status", flat=True)) == {"cancelled"}
        for verb in ("start", "pause", "resume", "cancel"):
            answer = post(organiser, f"events/{event.slug}/{verb}/")
            assert problem(answer) == (409, f"{event.name} is cancelled: you cannot {verb} it now.")

    def test_answers_404_for_an_unknown_event(self, organiser: APIClient) -> None:
        for slug in ("nowhere", "%00", "a b"):
            assert post(organiser, f"events/{slug}/start/").status_code == 404


class TestReplaying:
    def test_queues_a_void_match_only(self, organiser: APIClient, versions: list[Version], settings: Any) -> None:
        settings.MAX_ATTEMPTS = 1
        make_event(versions, size=5)
        match = spoil_match(Match.objects.get(), "the disk was full")
        assert match.status == "void"
        answer = post(organiser, f"matches/{match.pk}/requeue/")
        assert (answer.status_code, answer.json()["status"]) == (200, "queued")
        assert problem(post(organiser, f"matches/{match.pk}/requeue/")) == (
            409, f"Match {match.pk} is queued; only a void match can be replayed.")


# Every user may create events.
FOR_ORGANISERS = ["/api/ladders/", *(f"/api/events/{{event}}/{verb}/" for verb in
                                     ("start", "pause", "resume", "cancel")), "/api/matches/{match}/requeue/"]
ORGANISERS = "Only the site's organisers can do this."
NOT_YOURS = "Only its organiser, organiser, and the site's organisers can manage Autumn Round Robin."


def _client_of(user: User, *permissions: str) -> APIClient:
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Token {make_token(user=user, name='tests', now=START)[1]}")
    return client


class TestOrganising:
    @pytest.fixture
    def event(self, versions: list[Version], db: None) -> Event:
        return make_event(versions, size=5)

    def _post(self, client: APIClient, path: str, event: Event) -> Any:
        match = Match.objects.get(event=event)
        return client.post(path.format(event=event.slug, match=match.pk), {}, format="json")

    def test_is_refused_to_authors_and_read_only_staff(self, author: APIClient, event: Event) -> None:
        looker = _client_of(User.objects.create_user("looker", is_staff=True), "view_event", "view_match",
                            "view_ladder")
        for path in FOR_ORGANISERS:
            refusal = (403, NOT_YOURS if "{event}" in path else ORGANISERS)
            assert [problem(self._post(client, path, event)) for client in (author, looker)] == [refusal] * 2

    def test_is_open_to_staff_with_the_right(self, event: Event) -> None:
        helper = _client_of(User.objects.create_user("helper", is_staff=True), "change_event")
        assert self._post(helper, "/api/events/{event}/pause/", event).status_code == 200
        rated = {"name": "Mine", "ladder": event.ladder.slug, "rated": True,
                 "versions": list(event.entries.values_list("version", flat=True))}
        assert helper.post("/api/events/", rated, format="json").status_code == 403

    def test_is_refused_to_a_closed_account(self, event: Event) -> None:
        gone = make_user("gone", staff=True)
        gone.is_active = False
        gone.save()
        assert self._post(_client_of(gone), "/api/events/{event}/pause/", event).status_code == 401
