"""Opening ladders, scheduling and running events, replaying void matches."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.utils import timezone
from rest_framework.test import APIClient

from engines.rules.registry import RULESETS
from tests.factories import START, make_event, make_user, make_version, play_event, spoil_match
from tests.tournaments.api import contract
from tournaments.models import Event, Ladder, Match, Version
from tournaments.services.accounts.tokens import make_token
from tournaments.services.ladders.ladders import create_ladder

LADDER = {"ruleset": "squ", "size": 6, "base_seconds": 2.5, "increment_seconds": 0.1}


@pytest.fixture
def ladder(db: None) -> Ladder:
    return create_ladder(ruleset="squ", size=6, base_seconds=1)


@pytest.fixture
def versions(db: None) -> list[Version]:
    return [make_version("Morphy"), make_version("Steinitz", rulesets=["squ", "scware"])]


@pytest.fixture
def plan(ladder: Ladder, versions: list[Version]) -> dict[str, Any]:
    """The body of a valid request to schedule an event."""
    return {"name": "Spring", "ladder": ladder.slug, "versions": [version.pk for version in versions]}


def waiting_left_out(answer: Any) -> dict[str, Any]:
    body = answer.json()
    assert [wait["reason"] for wait in body.pop("waiting")] == ["opponent"]
    return body


class TestOpeningALadder:
    def test_names_it_by_its_settings(self, organiser: APIClient) -> None:
        answer = organiser.post("/api/ladders/", LADDER, format="json")
        assert answer.status_code == 201
        contract.check(answer, "/api/ladders/", "post")
        assert waiting_left_out(answer) == {**LADDER, "per_turn_seconds": 0.0, "pondering": False,
                                            "slug": "squ-6x6-2-5s-0-1s", "is_open": True,
                                            "name": "SQU 6×6, 2.5 s + 0.1 s"}

    def test_accepts_a_fixed_time_per_turn_instead(self, organiser: APIClient) -> None:
        fixed = {"ruleset": "squ", "size": 6, "per_turn_seconds": 0.5, "pondering": True}
        answer = organiser.post("/api/ladders/", fixed, format="json")
        assert answer.status_code == 201
        contract.check(answer, "/api/ladders/", "post")
        assert waiting_left_out(answer) == {**fixed, "base_seconds": 0.0, "increment_seconds": 0.0,
                                            "slug": "squ-6x6-0-5s-per-turn-pondering", "is_open": True,
                                            "name": "SQU 6×6, 0.5 s per turn, pondering"}

    def test_returns_an_existing_ladder(self, organiser: APIClient) -> None:
        first = organiser.post("/api/ladders/", {**LADDER, "name": "Blitz"}, format="json")
        again = organiser.post("/api/ladders/", LADDER, format="json")
        assert (again.status_code, again.json()) == (200, first.json())

    @pytest.mark.parametrize(("change", "sentence"), [
        ({"size": 7}, "SQU is played on sizes 4 to 18, even, not on 7."),
        ({"size": -4}, "SQU is played on sizes 4 to 18, even, not on -4."),
        ({"ruleset": "chess"}, f"Unknown ruleset 'chess': choose from {', '.join(RULESETS)}."),
        ({"base_seconds": 0}, "The base time must be 0.05 to 3600 seconds, not 0."),
        ({"size": 10**30}, f"SQU is played on sizes 4 to 18, even, not on {10**30}."),
        ({"base_seconds": 1e308}, "The base time must be 0.05 to 3600 seconds, not 1e+308."),
        ({"increment_seconds": -1}, "The increment must be 0 to 60 seconds, not -1."),
        ({"name": "x" * 81}, "A ladder's name must have 1 to 80 characters, not 81."),
    ])
    def test_is_refused_with_a_reason(self, organiser: APIClient, change: dict[str, Any], sentence: str) -> None:
        answer = organiser.post("/api/ladders/", {**LADDER, **change}, format="json")
        assert contract.problem(answer) == (409, sentence)
        contract.check(answer, "/api/ladders/", "post")
        assert not Ladder.objects.exists()

    @pytest.mark.parametrize(("change", "field"), [
        ({"size": "six"}, "size"), ({"size": None}, "size"), ({"base_seconds": []}, "base_seconds"),
        ({"base_seconds": "nan"}, "base_seconds"),
        ({"name": "a\0b"}, "name"), ({"name": ""}, "name"), ({"ruleset": {"slug": "squ"}}, "ruleset"),
    ])
    def test_names_the_malformed_field(self, organiser: APIClient, change: dict[str, Any], field: str) -> None:
        answer = organiser.post("/api/ladders/", {**LADDER, **change}, format="json")
        assert contract.malformed(answer) == [field]


class TestScheduling:
    def test_creates_an_event_that_starts_automatically(self, organiser: APIClient, plan: dict[str, Any]) -> None:
        soon = timezone.now() + timedelta(days=1)
        answer = organiser.post("/api/events/", {**plan, "cycles": 3, "seed": 7, "starts_at": soon.isoformat()},
                                format="json")
        assert answer.status_code == 201
        contract.check(answer, "/api/events/", "post")
        event = Event.objects.get()
        assert (event.slug, event.cycles, event.seed, event.starts_at) == ("spring", 3, 7, soon)
        assert (event.status, event.created_by.username) == ("scheduled", "organiser")
        assert [entry.version_id for entry in event.entries.order_by("version")] == plan["versions"]

    @pytest.mark.parametrize(("said", "kept"), [({}, True), ({"openings": True}, True), ({"openings": False}, False)])
    def test_has_openings_by_default(
        self, organiser: APIClient, plan: dict[str, Any], said: dict[str, Any], kept: bool
    ) -> None:
        assert organiser.post("/api/events/", {**plan, **said}, format="json").json()["openings"] is kept

    @pytest.mark.parametrize("starts_at", [{}, {"starts_at": None}])
    def test_starts_at_once_without_a_time(
        self, organiser: APIClient, plan: dict[str, Any], starts_at: dict[str, Any]
    ) -> None:
        answer = organiser.post("/api/events/", {**plan, **starts_at}, format="json")
        assert answer.status_code == 201
        assert Event.objects.get().starts_at == Event.objects.get().created_at

    def test_needs_as_many_queries_for_thirty_bots_as_for_three(
        self, organiser: APIClient, plan: dict[str, Any], django_assert_max_num_queries: Any
    ) -> None:
        for count in (3, 30):
            entrants = [make_version(f"Bot {number} of {count}").pk for number in range(count)]
            with django_assert_max_num_queries(12):
                answer = organiser.post("/api/events/", {**plan, "versions": entrants}, format="json")
            assert answer.status_code == 201

    @pytest.mark.parametrize(("change", "sentence"), [
        ({"versions": [1]}, "An event needs at least two bots, but only one is entered: enter another"),
        ({"versions": []}, "An event needs at least two bots, but none is entered: enter two, or open registration."),
        ({"versions": [1, 1]}, "An event needs at least two bots, but only one is entered: enter another"),
        ({"versions": [1, 2, 2]}, "Steinitz is entered twice: choose one version."),
        ({"starts_at": "2020-01-31T18:00Z"}, "The start, 2020-01-31 18:00 UTC, is in the past; it is "),
        ({"cycles": 0}, "An event must have 1 to 1,000 cycles, not 0."),
        ({"cycles": 10**30}, f"An event must have 1 to 1,000 cycles, not {10**30:,}."),
        ({"name": "x" * 81}, "An event's name must have 1 to 80 characters, not 81."),
    ])
    def test_is_refused_with_a_reason(
        self, organiser: APIClient, plan: dict[str, Any], change: dict[str, Any], sentence: str
    ) -> None:
        # The cases above give versions by their index.
        ids = [plan["versions"][place - 1] for place in change.get("versions", (1, 2))]
        answer = organiser.post("/api/events/", {**plan, **change, "versions": ids}, format="json")
        assert answer.status_code == 409
        contract.check(answer, "/api/events/", "post")
        assert answer.json()["detail"].startswith(sentence)
        assert not Event.objects.exists()

    def test_refuses_a_bot_that_does_not_play_the_ruleset(self, organiser: APIClient, plan: dict[str, Any]) -> None:
        hex_ladder = create_ladder(ruleset="square-grid-hex", size=5, base_seconds=1)
        answer = organiser.post("/api/events/", {**plan, "ladder": hex_ladder.slug}, format="json")
        assert contract.problem(answer) == (
            409, "Steinitz v1 does not play square-grid-hex, only squ, scware: enter a version that does.")

    @pytest.mark.parametrize(("change", "field"), [
        ({"versions": "Morphy"}, "versions"), ({"versions": [True]}, "versions"), ({"versions": ["x"]}, "versions"),
        ({"versions": [987654321]}, "versions"), ({"versions": [10**30]}, "versions"), ({"versions": [-1]}, "versions"),
        ({"ladder": "nowhere"}, "ladder"), ({"ladder": None}, "ladder"), ({"ladder": "a\0b"}, "ladder"),
        ({"ladder": ["squ"]}, "ladder"), ({"name": ""}, "name"),
        ({"cycles": "many"}, "cycles"), ({"seed": -1}, "seed"), ({"seed": 2**63}, "seed"),
        ({"starts_at": "tomorrow"}, "starts_at"), ({"starts_at": "0001-01-01T00:00+14:00"}, "starts_at"),
    ])
    def test_names_the_malformed_field(
        self, organiser: APIClient, plan: dict[str, Any], change: dict[str, Any], field: str
    ) -> None:
        answer = organiser.post("/api/events/", {**plan, **change}, format="json")
        assert contract.malformed(answer) == [field]
        contract.check(answer, "/api/events/", "post")
        assert not Event.objects.exists()

    def test_names_the_field_with_a_lone_surrogate(self, organiser: APIClient, plan: dict[str, Any]) -> None:
        body = json.dumps({**plan, "name": "\ud800"})
        answer = organiser.post("/api/events/", body, content_type="application/json")
        assert contract.malformed(answer) == ["name"]

    def test_refuses_a_body_that_is_not_json(self, organiser: APIClient) -> None:
        answer = organiser.post("/api/events/", "{", content_type="application/json")
        assert answer.status_code == 400
        assert answer.json()["detail"].startswith("JSON parse error")

    @pytest.mark.parametrize("body", [[], "text", 1, None])
    def test_refuses_a_body_that_is_not_an_object(self, organiser: APIClient, body: object) -> None:
        answer = organiser.post("/api/events/", body, format="json")
        assert answer.status_code == 400
        assert answer.json()


class TestRunning:
    def test_follows_the_events_life_cycle(self, organiser: APIClient, versions: list[Version]) -> None:
        event = make_event(versions, size=5, started=False)
        for verb, status in [("start", "running"), ("pause", "paused"), ("resume", "running"),
                             ("cancel", "cancelled")]:
            answer = organiser.post(f"/api/events/{event.slug}/{verb}/")
            assert (answer.status_code, answer.json()["status"]) == (200, status)
            contract.check(answer, f"/api/events/{{slug}}/{verb}/", "post")
        assert set(Match.objects.values_list("status", flat=True)) == {"cancelled"}

    @pytest.mark.parametrize("verb", ["start", "pause", "resume", "cancel"])
    def test_is_refused_when_the_event_is_over(self, organiser: APIClient, versions: list[Version], verb: str) -> None:
        event = play_event(make_event(versions, size=5))
        answer = organiser.post(f"/api/events/{event.slug}/{verb}/")
        assert contract.problem(answer) == (
            409, f"Autumn Round Robin is finished: you cannot {verb} it now.")
        contract.check(answer, f"/api/events/{{slug}}/{verb}/", "post")

    @pytest.mark.parametrize("slug", ["nowhere", "%00", "a b"])
    def test_answers_404_for_an_unknown_event(self, organiser: APIClient, slug: str) -> None:
        assert organiser.post(f"/api/events/{slug}/start/").status_code == 404


class TestReplaying:
    def test_queues_a_void_match(self, organiser: APIClient, versions: list[Version], settings: Any) -> None:
        settings.MAX_ATTEMPTS = 1
        make_event(versions, size=5)
        match = spoil_match(Match.objects.get(), "the disk was full")
        assert match.status == "void"
        answer = organiser.post(f"/api/matches/{match.pk}/requeue/")
        assert (answer.status_code, answer.json()["status"]) == (200, "queued")
        contract.check(answer, "/api/matches/{id}/requeue/", "post")

    def test_is_refused_for_any_other_match(self, organiser: APIClient, versions: list[Version]) -> None:
        make_event(versions, size=5)
        match = Match.objects.get()
        answer = organiser.post(f"/api/matches/{match.pk}/requeue/")
        assert contract.problem(answer) == (
            409, f"Match {match.pk} is queued; only a void match can be replayed.")


WRITES = ["/api/ladders/", "/api/events/", *(f"/api/events/{{event}}/{verb}/" for verb in
                                             ("start", "pause", "resume", "cancel")), "/api/matches/{match}/requeue/"]

# Every user may create events.
FOR_ORGANISERS = [path for path in WRITES if path != "/api/events/"]
ORGANISERS = "Only the site's organisers can do this."
NOT_YOURS = "Only its organiser, organiser, and the site's organisers can manage Autumn Round Robin."


def _client_of(user: User) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Token {make_token(user=user, name='tests', now=START)[1]}")
    return client


class TestOrganising:
    @pytest.fixture
    def event(self, versions: list[Version]) -> Event:
        return make_event(versions, size=5)

    def _post(self, client: APIClient, path: str, event: Event) -> Any:
        match = Match.objects.filter(event=event)[0]
        return client.post(path.format(event=event.slug, match=match.pk), {}, format="json")

    @pytest.mark.parametrize("path", WRITES)
    def test_requires_sign_in(self, anyone: APIClient, event: Event, path: str) -> None:
        answer = self._post(anyone, path, event)
        assert contract.problem(answer) == (
            401, "Authentication credentials were not provided.")

    @pytest.mark.parametrize("path", FOR_ORGANISERS)
    def test_is_refused_to_authors(self, author: APIClient, event: Event, path: str) -> None:
        answer = self._post(author, path, event)
        assert contract.problem(answer) == (403, NOT_YOURS if "{event}" in path else ORGANISERS)

    @pytest.mark.parametrize("path", FOR_ORGANISERS)
    def test_is_refused_to_read_only_staff(self, event: Event, path: str) -> None:
        looker = User.objects.create_user("looker", is_staff=True)
        looker.user_permissions.set(Permission.objects.filter(codename__startswith="view_"))
        assert self._post(_client_of(looker), path, event).status_code == 403

    def test_is_open_to_staff_with_the_right(self, event: Event) -> None:
        helper = User.objects.create_user("helper", is_staff=True)
        helper.user_permissions.set(Permission.objects.filter(codename="change_event"))
        assert self._post(_client_of(helper), "/api/events/{event}/pause/", event).status_code == 200
        rated = {"name": "Mine", "ladder": event.ladder.slug, "rated": True,
                 "versions": list(event.entries.values_list("version", flat=True))}
        assert _client_of(helper).post("/api/events/", rated, format="json").status_code == 403

    def test_is_refused_to_a_closed_account(self, event: Event) -> None:
        gone = make_user("gone", staff=True)
        gone.is_active = False
        gone.save()
        assert self._post(_client_of(gone), "/api/events/{event}/pause/", event).status_code == 401

    @pytest.mark.parametrize("method", ["put", "patch", "delete"])
    @pytest.mark.parametrize("name", ["rulesets", "bots", "ladders", "events", "matches", "games", "submissions"])
    def test_never_edits_facts(self, organiser: APIClient, name: str, method: str) -> None:
        answer = getattr(organiser, method)(f"/api/{name}/", {}, format="json")
        assert answer.status_code == 405
