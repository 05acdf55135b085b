"""Questions and casual games through the API: permissions, refusals and answers."""

import pytest
from django.core.cache import cache
from django.utils import timezone
from rest_framework.test import APIClient

from engines.records.time_control import ClockKind
from engines.referee.questions import Answer
from tests.factories import make_event, make_user, make_version, play_match
from tests.tournaments.api import contract
from tournaments.models import CasualGame, Game, Match, Question
from tournaments.platform.keys import LINK
from tournaments.services.accounts.tokens import make_token
from tournaments.services.casual.answers import claim, finish

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def otter(module_db):
    return make_version("Otter", owner="otto")


@pytest.fixture(scope="module")
def terms(otter):
    return {"version": otter.pk, "ruleset": "square-grid-hex", "size": 3, "pace": "quick"}


def client_of(name: str) -> APIClient:
    client = APIClient()
    _, text = make_token(user=make_user(name), name="tests", now=timezone.now())
    client.credentials(HTTP_AUTHORIZATION=f"Token {text}")
    return client


def reply(text: str) -> None:
    question = Question.objects.get(status="received")
    lease = claim(question_id=question.pk, worker="w", tier="standard", now=timezone.now())
    finish(lease, Answer(text, None, 0.1, 0.2, 0.1, ClockKind.CPU, stderr=b"\xffhm"), timezone.now())


class TestAskingAQuestion:
    def test_is_answered_and_shows_stderr_only_to_the_bots_owner(self, author, otter):
        taken = author.post("/api/questions/", {"version": otter.pk, "ruleset": "square-grid-hex", "size": 3,
                                                "turns": ["A1"]}, format="json")
        assert taken.status_code == 202
        assert (taken.json()["turns"], taken.json()["status"], taken.json()["left_seconds"]) == (["a1"], "received", 1)
        reply("swap")
        address = taken["Location"]
        answers = {name: client_of(name).get(address) for name in ("mia", "otto")}
        for answer in answers.values():
            assert (answer.json()["status"], answer.json()["answer"]) == ("answered", "swap")
        assert answers["mia"].json()["stderr"] is None
        assert answers["otto"].json()["stderr"] == "\ufffdhm"

    def test_takes_position_and_clock_from_a_game(self, author, otter):
        event = make_event([otter, make_version("Basalt")], ruleset="squ", size=4)
        game: Game = play_match(Match.objects.get(event=event)).games.first()
        body = {"version": otter.pk, "game": game.pk, "ply": 2}
        taken = author.post("/api/questions/", body, format="json")
        assert (taken.status_code, taken.json()["game"], len(taken.json()["turns"])) == (202, game.pk, 2)
        assert contract.problem(author.post("/api/questions/", {**body, "game": 10**9}, format="json"))[0] == 404
        status, words = contract.problem(author.post("/api/questions/", {**body, "ply": 9999}, format="json"))
        assert (status, "there is no position" in words) == (409, True)

    def test_lists_only_the_users_own_without_those_of_casual_games(self, author, otter, terms):
        author.post("/api/questions/", {"version": otter.pk, "ruleset": "squ", "size": 4}, format="json")
        author.post("/api/casual-games/", {**terms, "seat": 1}, format="json")
        assert Question.objects.count() == 2
        listed = author.get("/api/questions/")
        assert [question["ruleset"] for question in listed.json()["results"]] == ["squ"]
        assert client_of("pia").get("/api/questions/").json()["results"] == []

    def test_names_the_malformed_field(self, author, otter):
        squ = {"ruleset": "squ", "size": 4}
        for body, fields in (
            ({}, ["ruleset", "size"]), ({"ruleset": "chess", "size": 3}, ["ruleset"]), ({"game": 1}, ["ply"]),
            ({"ply": 1}, ["game"]), ({**squ, "turns": ["a1"] * 4000}, ["turns"]),
            ({**squ, "per_turn_seconds": 1e-9}, ["per_turn_seconds"]),
            ({**squ, "per_turn_seconds": 0.12345}, ["per_turn_seconds"]), ({**squ, "version": 10**9}, ["version"]),
        ):
            answer = author.post("/api/questions/", {"version": otter.pk, **body}, format="json")
            assert contract.malformed(answer) == fields

    def test_is_refused_with_409_where_it_is_impossible(self, author, otter, settings):
        def ask(**facts):
            return contract.problem(author.post("/api/questions/", {
                "version": otter.pk, "ruleset": "squ", "size": 4, **facts}, format="json"))
        for facts, words in [({"size": 5}, "not on 5"), ({"turns": ["z9"]}, "cannot be played"),
                             ({"version": make_version("Fox", rulesets=["scware"]).pk}, "does not play SQU")]:
            status, sentence = ask(**facts)
            assert (status, words in sentence) == (409, True), sentence
        settings.OPEN_QUESTIONS = 0
        assert ask()[0] == 409

    def test_is_limited_per_minute(self, author, otter, settings, monkeypatch):
        settings.CACHES = {**settings.CACHES, "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
        settings.API_RATES = {**settings.API_RATES, "questions": 2}
        monkeypatch.setattr("tournaments.web.throttling.time", lambda: 60_020.0)
        cache.clear()
        body = {"version": otter.pk, "ruleset": "squ", "size": 4}
        answers = [author.post("/api/questions/", body, format="json").status_code for _ in range(3)]
        assert answers == [202, 202, 429]


class TestACasualGame:
    def test_can_be_played_by_a_program(self, author, anyone, terms):
        begun = author.post("/api/casual-games/", terms, format="json")
        assert begun.status_code == 201
        address = begun["Location"]
        steps = author.get(f"{address}steps/", {"stones": "b2"})
        assert steps.json() == {"stones": ["b2"], "next": [], "words": [], "may_end": True}
        played = author.post(f"{address}turns/", {"turn": "b2", "ply": 0}, format="json")
        assert (played.json()["plies"], played.json()["your_turn"]) == (["b2"], False)
        reply("swap")
        seen = anyone.get(address)
        assert (seen.json()["plies"], seen.json()["your_turn"]) == (["b2", "swap"], True)
        over = author.post(f"{address}resign/")
        assert (over.json()["status"], over.json()["winner"], over.json()["reason"]) == ("finished", 1, "resignation")

    def test_lists_the_next_steps(self, author, otter):
        for slug in ("scware", "ooscg-w", "squ"):
            begun = author.post("/api/casual-games/", {"version": otter.pk, "ruleset": slug, "size": 6}, format="json")
            steps = author.get(f"{begun['Location']}steps/").json()
            assert (len(steps["next"]), steps["may_end"]) == (36, False)

    def test_refuses_with_409_what_its_status_forbids(self, author, terms):
        address = author.post("/api/casual-games/", terms, format="json")["Location"]
        for body, words in [({"turn": "z9", "ply": 0}, "Invalid turn"), ({"turn": "a1", "ply": 3}, "has continued")]:
            status, sentence = contract.problem(author.post(f"{address}turns/", body, format="json"))
            assert (status, words in sentence) == (409, True)
        author.post(f"{address}turns/", {"turn": "a1", "ply": 0}, format="json")
        assert "the bot's turn" in contract.problem(
            author.post(f"{address}turns/", {"turn": "b1", "ply": 1}, format="json"))[1]
        author.post(f"{address}resign/")
        assert contract.problem(author.post(f"{address}resign/"))[0] == 409

    def test_is_read_only_for_other_people(self, author, anyone, terms):
        address = author.post("/api/casual-games/", terms, format="json")["Location"]
        for client in (client_of("pia"), anyone):
            assert contract.problem(client.post(f"{address}turns/", {"turn": "a1", "ply": 0}, format="json"))[0] in {
                401, 403}
            assert client.get(address).status_code == 200
        assert CasualGame.objects.get().turns == []

    def test_is_malformed_on_invalid_terms(self, author, terms):
        for facts, field in [({"ruleset": "chess"}, "ruleset"), ({"pace": "x"}, "pace"), ({"seat": 2}, "seat"),
                             ({"size": "x"}, "size"), ({"version": 10**9}, "version")]:
            assert contract.malformed(author.post("/api/casual-games/", {**terms, **facts}, format="json")) == [field]

    def test_is_not_found_under_an_unknown_token(self, anyone):
        for token in (LINK.make(), "1", "%00", "x" * 500):
            assert anyone.get(f"/api/casual-games/{token}/").status_code == 404
            assert anyone.get(f"/api/casual-games/{token}/steps/").status_code == 404

    def test_refuses_invalid_stones(self, author, terms):
        address = author.post("/api/casual-games/", terms, format="json")["Location"]
        for stones in ("z9", "a1,a1", "pass", "<b>", "\x00"):
            assert contract.malformed(author.get(f"{address}steps/", {"stones": stones})) == ["stones"]
