"""Questions and casual games through the API: permissions, refusals and answers."""

import pytest
from django.core.cache import cache
from django.utils import timezone

from engines.records.time_control import ClockKind
from engines.referee.questions import Answer
from tests.factories import make_event, make_version, play_match
from tests.tournaments.api.contract import malformed, post, problem, read
from tests.tournaments.api.roles import client_of
from tournaments.models import Match, Question
from tournaments.platform.keys import LINK
from tournaments.services.casual.answers import claim, finish

SQU = {"ruleset": "squ", "size": 4}


@pytest.fixture(scope="module")
def otter(module_db):
    return make_version("Otter", owner="otto")


@pytest.fixture
def ask(author, otter):
    """Return a function that asks Otter a question as mia."""
    return lambda **body: post(author, "questions/", **{"version": otter.pk, **body})


@pytest.fixture
def begin(author, otter):
    """Return a function that begins mia's game against Otter."""
    return lambda **terms: post(author, "casual-games/", **{
        "version": otter.pk, "ruleset": "square-grid-hex", "size": 3, "pace": "quick", **terms})


@pytest.fixture
def game(begin):
    """The address of a game, after /api/."""
    return begin()["Location"].partition("/api/")[2]


def reply(text: str) -> None:
    question, now = Question.objects.get(status="received"), timezone.now()
    lease = claim(question_id=question.pk, worker="w", tier="standard", now=now)
    finish(lease, Answer(text, None, 0.1, 0.2, 0.1, ClockKind.CPU, stderr=b"\xffhm"), now)


class TestAQuestion:
    def test_is_answered_and_shows_stderr_only_to_the_bots_owner(self, ask):
        taken = ask(ruleset="square-grid-hex", size=3, turns=["A1"])
        assert taken.status_code == 202
        assert (taken.json()["turns"], taken.json()["status"], taken.json()["left_seconds"]) == (["a1"], "received", 1)
        reply("swap")
        for name, stderr in (("mia", None), ("otto", "\ufffdhm")):
            shown = client_of(name).get(taken["Location"]).json()
            assert (shown["status"], shown["answer"], shown["stderr"]) == ("answered", "swap", stderr)

    def test_takes_position_and_clock_from_a_game(self, ask, otter):
        event = make_event([otter, make_version("Basalt")], ruleset="squ", size=4)
        game = play_match(Match.objects.get(event=event)).games.first()
        taken = ask(game=game.pk, ply=2)
        assert (taken.status_code, taken.json()["game"], len(taken.json()["turns"])) == (202, game.pk, 2)
        assert problem(ask(game=10**9, ply=2))[0] == 404
        status, words = problem(ask(game=game.pk, ply=9999))
        assert (status, "there is no position" in words) == (409, True)

    def test_is_listed_for_its_user_unless_it_is_of_a_casual_game(self, ask, begin, author):
        ask(**SQU)
        begin(seat=1)
        assert Question.objects.count() == 2
        assert [question["ruleset"] for question in read(author, "questions/")["results"]] == ["squ"]
        assert read(client_of("pia"), "questions/")["results"] == []

    def test_names_the_malformed_field(self, ask):
        for body, fields in (
            ({}, ["ruleset", "size"]), ({"ruleset": "chess", "size": 3}, ["ruleset"]), ({"game": 1}, ["ply"]),
            ({"ply": 1}, ["game"]), ({**SQU, "turns": ["a1"] * 4000}, ["turns"]),
            ({**SQU, "per_turn_seconds": 1e-9}, ["per_turn_seconds"]),
            ({**SQU, "per_turn_seconds": 0.12345}, ["per_turn_seconds"]), ({**SQU, "version": 10**9}, ["version"]),
        ):
            assert malformed(ask(**body)) == fields

    def test_is_refused_where_it_is_impossible(self, ask, settings):
        fox = make_version("Fox", rulesets=["scware"])
        for facts, words in (({"size": 5}, "not on 5"), ({"turns": ["z9"]}, "cannot be played"),
                             ({"version": fox.pk}, "does not play SQU")):
            status, sentence = problem(ask(**SQU | facts))
            assert (status, words in sentence) == (409, True), sentence
        settings.OPEN_QUESTIONS = 0
        assert problem(ask(**SQU))[0] == 409

    def test_is_limited_per_minute(self, ask, settings, monkeypatch):
        settings.CACHES = {**settings.CACHES, "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
        settings.API_RATES = {**settings.API_RATES, "questions": 2}
        monkeypatch.setattr("tournaments.web.throttling.time", lambda: 60_020.0)
        cache.clear()
        assert [ask(**SQU).status_code for _ in range(3)] == [202, 202, 429]


class TestACasualGame:
    def test_can_be_played_by_a_program(self, game, author, anyone):
        assert read(author, f"{game}steps/", stones="b2") == {
            "stones": ["b2"], "next": [], "words": [], "may_end": True}
        played = post(author, f"{game}turns/", turn="b2", ply=0).json()
        assert (played["plies"], played["your_turn"]) == (["b2"], False)
        reply("swap")
        seen = read(anyone, game)
        assert (seen["plies"], seen["your_turn"]) == (["b2", "swap"], True)
        over = post(author, f"{game}resign/").json()
        assert (over["status"], over["winner"], over["reason"]) == ("finished", 1, "resignation")

    def test_lists_the_next_steps(self, begin, anyone):
        for slug in ("scware", "ooscg-w", "squ"):
            steps = anyone.get(f"{begin(ruleset=slug, size=6)['Location']}steps/").json()
            assert (len(steps["next"]), steps["may_end"]) == (36, False)

    def test_refuses_what_its_status_forbids(self, game, author):
        def refused(turn, ply):
            status, sentence = problem(post(author, f"{game}turns/", turn=turn, ply=ply))
            return sentence if status == 409 else ""

        assert "Invalid turn" in refused("z9", 0)
        assert "has continued" in refused("a1", 3)
        post(author, f"{game}turns/", turn="a1", ply=0)
        assert "the bot's turn" in refused("b1", 1)
        post(author, f"{game}resign/")
        assert problem(post(author, f"{game}resign/"))[0] == 409

    def test_is_malformed_on_invalid_values(self, begin, game, author):
        for facts in ({"ruleset": "chess"}, {"pace": "x"}, {"seat": 2}, {"size": "x"}, {"version": 10**9}):
            assert malformed(begin(**facts)) == list(facts)
        for stones in ("z9", "a1,a1", "pass", "<b>", "\x00"):
            assert malformed(author.get(f"/api/{game}steps/", {"stones": stones})) == ["stones"]

    def test_is_not_found_under_an_unknown_token(self, anyone):
        for token in (LINK.make(), "1", "%00", "x" * 500):
            assert anyone.get(f"/api/casual-games/{token}/").status_code == 404
            assert anyone.get(f"/api/casual-games/{token}/steps/").status_code == 404
