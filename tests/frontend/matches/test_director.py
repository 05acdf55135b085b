"""Director mode without a browser: the choice, its reason in words, the stage, and the lists next to it."""

import json
import re

import pytest
from django.urls import reverse

from frontend.live.tension import reason_in_words
from tests.factories import START, make_event, make_version, play_match
from tests.frontend.matches.live import begin, patient_redis
from tests.frontend.visits import body
from tournaments.models import Match
from tournaments.scoring.tension import Facts, tension
from tournaments.services.ladders import rating


@pytest.fixture(scope="module")
def made(module_db) -> list[int]:
    """The numbers of an event's three matches."""
    event = make_event([make_version(name) for name in ("Alder", "Basalt", "Cedar")], ruleset="square-grid-hex", size=4)
    return list(Match.objects.filter(event=event).order_by("round__number", "number").values_list("pk", flat=True))


@pytest.fixture
def queued(made: list[int], db) -> list[Match]:
    return [Match.objects.select_related("event", "ladder").get(pk=pk) for pk in made]


@pytest.fixture
def running(queued, redis_url):
    """Two running matches: both sides of the first need two stones, the second has just begun."""
    with patient_redis() as store:
        begin(queued[0], store)("a1", "d4", "a2", "c4", "d1", win=0.5)
        begin(queued[1], store)("a1", win=0.5)
        yield queued[:2]


def news(client):
    return client.get(reverse("director-news")).json()


class TestNews:
    def test_chooses_the_tensest_game_and_says_why(self, client, running):
        tense, calm = running
        found = news(client)
        assert found["choice"] == f"{tense.pk}-1"
        assert [game["key"] for game in found["games"]] == [f"{tense.pk}-1", f"{calm.pk}-1"]
        assert found["games"][0]["reason"] == "the bots expect a close game: 50.0% for the first player"

    def test_replays_the_latest_games_if_none_is_running_and_names_upsets(self, client, queued):
        play_match(queued[0])
        rating.rate_due(START)
        game = queued[0].games.order_by("-pk").filter(winner__isnull=False).first()
        game.rated.chance = 0.11
        game.rated.save()
        seats = (game.seat0.bot, game.seat1.bot)
        for bot, before in ((seats[game.winner], 1650), (seats[1 - game.winner], 2010)):
            game.rating_changes.filter(bot=bot).update(before=before)
        found = news(client)
        assert found["choice"] == ""
        assert [game["reason"] for game in found["games"]] == ["no game is running: a replay"] * 2
        (upset,) = found["upsets"]
        assert re.fullmatch(r"(\w+) \(1650\) beat (\w+) \(2010\), chance 11\.0%", upset["text"])
        client.cookies["results"] = "hidden"
        assert news(client)["upsets"] == []


class TestStage:
    def test_of_a_running_game_begins_at_its_recent_turns(self, client, running):
        match = running[0]
        page = body(client, reverse("director-match", args=[match.pk, 1]))
        assert f'data-feed="{reverse("match-turns", args=[match.pk, 1])}"' in page
        assert f'data-now="{len(match.opening)}"' in page

    def test_of_a_finished_game_begins_at_the_start_and_shows_no_result(self, client, queued):
        game = play_match(queued[2]).games.get(number=1)
        for address in (reverse("director-game", args=[game.pk]), reverse("director-match", args=[game.match_id, 1])):
            page = body(client, address)
            assert 'data-now="0"' in page
            assert "data-feed" not in page
            # The script needs it for the last turn; outside its data, the page does not tell.
            told = re.sub(r'<script.*?</script>|data-ending=".*?"|aria-label=".*?"', "", page, flags=re.DOTALL)
            assert not re.search(rf"\bwon\b|/ {game.plies}\b|of {game.plies}\b", told)
            document = json.loads(re.search(r"<script.*?>(.*?)</script>", page, re.DOTALL)[1])
            assert "%(last)s" not in document["words"]["turn"]


class TestReasonInWords:
    def test_names_the_part_that_contributes_most(self):
        for facts, words in (
                (Facts(stones=(2, 2)), "both sides need 2 stones"),
                (Facts(stones=(1, 1)), "both sides need 1 stone"),
                (Facts(stones=(1, 2)), "black needs 1, white needs 2 stones to connect"),
                (Facts(lead=0, filled=0.9), "the board fills, and the game is level"),
                (Facts(lead=1, filled=0.9), "the board fills, and the lead is small"),
                (Facts(chance=0.52), "the bots expect a close game: 52.0% for the first player"),
                (Facts(rating=2400), "both players have high ratings"),
                (Facts(gap=0.5), "the players are close in the standings"),
                (Facts(), "the newest game")):
            assert reason_in_words(facts, tension(facts).reason, "square-grid-hex") == words
