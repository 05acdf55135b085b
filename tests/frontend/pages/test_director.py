"""Director mode without a browser: the choice, its reason in words, the stage, and the lists next to it."""

import json
import re

import pytest
from django.urls import reverse

from engines.view import View
from frontend.live.tension import reason_in_words
from tests.factories import START, make_event, make_version, play_event, play_match
from tournaments.models import Match
from tournaments.models.leased import FULL_TIER
from tournaments.scoring.tension import Facts, tension
from tournaments.selectors.matches.live_turns import GameKey, LiveTurn, live_turns
from tournaments.services.ladders import rating
from tournaments.services.matches import matches

pytestmark = pytest.mark.django_db


@pytest.fixture
def running(redis_url):
    """Two running matches of an event: both sides of the first need two stones, the second has just begun."""
    event = make_event([make_version(name) for name in ("Alder", "Basalt", "Cedar", "Dune")],
                       ruleset="square-grid-hex", size=4)
    found = list(Match.objects.filter(event=event).order_by("round__number", "number")[:2])
    store = live_turns()
    store._next_try = 0.0
    keys = []
    for match, texts in zip(found, (("a1", "d4", "a2", "c4", "d1"), ("a1",)), strict=True):
        lease = matches.claim(match_id=match.pk, worker=f"test:{match.pk}", tier=FULL_TIER, now=START)
        keys.append(GameKey(match.pk, lease.attempt.number, 1))
        store.append(keys[-1], [LiveTurn(text, 0.25, View(0.5)) for text in texts], anew=True)
    yield found
    store.remove(keys)


def _news(client):
    return client.get(reverse("director-news")).json()


class TestNews:
    def test_chooses_the_tensest_game_and_says_why(self, client, running):
        tense, calm = running
        news = _news(client)
        assert news["choice"] == f"{tense.pk}-1"
        assert [game["key"] for game in news["games"]] == [f"{tense.pk}-1", f"{calm.pk}-1"]
        assert news["games"][0]["reason"] == "the bots expect a close game: 50.0% for the first player"

    def test_replays_the_latest_games_if_none_is_running_and_says_so(self, client):
        event = make_event([make_version("Alder"), make_version("Basalt")], ruleset="squ", size=6)
        play_event(event)
        news = _news(client)
        assert news["choice"] == ""
        assert {game["reason"] for game in news["games"]} == {"no game is running: a replay"}
        assert len(news["games"]) == 2

    def test_names_upsets_with_ratings_and_chance_unless_results_are_hidden(self, client):
        strong, weak = make_version("Tern"), make_version("Wren")
        event = make_event([strong, weak], ruleset="squ", size=6)
        play_match(Match.objects.get(event=event))
        rating.rate_due(START)
        game = event.games.order_by("-pk").filter(winner__isnull=False).first()
        game.rated.chance = 0.11
        game.rated.save()
        game.rating_changes.filter(bot=(game.seat0, game.seat1)[game.winner].bot).update(before=1650)
        game.rating_changes.filter(bot=(game.seat0, game.seat1)[1 - game.winner].bot).update(before=2010)
        (upset,) = _news(client)["upsets"]
        assert re.fullmatch(r"(Tern|Wren) \(1650\) beat (Tern|Wren) \(2010\), chance 11\.0%", upset["text"])
        client.cookies["results"] = "hidden"
        assert _news(client)["upsets"] == []


class TestStage:
    def test_of_a_running_game_begins_at_its_recent_turns(self, client, running):
        match = running[0]
        body = client.get(reverse("director-match", args=[match.pk, 1])).content.decode()
        assert f'data-feed="{reverse("match-turns", args=[match.pk, 1])}"' in body
        assert f'data-now="{len(match.opening)}"' in body

    def test_of_a_finished_game_begins_at_the_start_and_shows_no_result(self, client, running):
        game = play_match(Match.objects.filter(status="queued").order_by("pk").first()).games.get(number=1)
        for address in (reverse("director-game", args=[game.pk]), reverse("director-match", args=[game.match_id, 1])):
            body = client.get(address).content.decode()
            assert 'data-now="0"' in body
            assert "data-feed" not in body
            # The script needs it for the last turn; outside its data, the page does not tell.
            told = re.sub(r'<script.*?</script>|data-ending=".*?"|aria-label=".*?"', "", body, flags=re.DOTALL)
            assert not re.search(rf"\bwon\b|/ {game.plies}\b|of {game.plies}\b", told)
            document = json.loads(re.search(r"<script.*?>(.*?)</script>", body, re.DOTALL)[1])
            assert "%(last)s" not in document["words"]["turn"]


class TestReasonInWords:
    @pytest.mark.parametrize(("facts", "words"), [
        (Facts(stones=(2, 2)), "both sides need 2 stones"),
        (Facts(stones=(1, 1)), "both sides need 1 stone"),
        (Facts(stones=(1, 2)), "black needs 1, white needs 2 stones to connect"),
        (Facts(lead=0, filled=0.9), "the board fills, and the game is level"),
        (Facts(lead=1, filled=0.9), "the board fills, and the lead is small"),
        (Facts(chance=0.52), "the bots expect a close game: 52.0% for the first player"),
        (Facts(rating=2400), "both players have high ratings"),
        (Facts(gap=0.5), "the players are close in the standings"),
        (Facts(), "the newest game")])
    def test_names_the_part_that_contributes_most(self, facts, words):
        assert reason_in_words(facts, tension(facts).reason, "square-grid-hex") == words
