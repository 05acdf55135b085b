"""Tests for a copy of the project with Lineup: played by a real worker, and shown on every page for games."""

import json
import xml.dom.minidom
from pathlib import Path

import pytest
from django.urls import reverse
from django.utils import timezone

from engines.records.record import GameRecord, verify
from engines.rules.registry import RULESETS
from engines.sandbox.archives.unpack import pack
from tests.factories import make_event, make_version, play_event, ready_version
from tests.tournaments.site import finished
from tournaments.models import Game
from tournaments.services.bots.submissions import accept_upload

BOTS = Path(__file__).resolve().parents[2] / "engines" / "bots"
SLUG = "lineup"


def enter(name, owner):
    return ready_version(accept_upload(archive=pack(BOTS / name), filename=f"{name}.zip", uploader=owner,
                                       now=timezone.now()))


@pytest.mark.django_db(transaction=True)
class TestAnEvent:
    def test_is_played_by_a_worker_with_the_reference_bots(self, site, schedule, staff):
        event = schedule({}, enter("random", staff), enter("greedy", staff), enter("searcher-1", staff), ruleset=SLUG,
                         size=4)
        site.start("coordinator")
        site.start("worker", "--concurrency", "1", "--rulesets", SLUG)
        site.wait_for(lambda: finished(event))
        assert Game.objects.count() == 6
        for game in Game.objects.all():
            verify(GameRecord.from_dict(game.record))
            assert game.ended_by == "rule"


@pytest.mark.django_db
class TestThePages:
    @pytest.fixture
    def game(self) -> Game:
        play_event(make_event([make_version("Alder"), make_version("Basalt")], ruleset=SLUG, size=6))
        return Game.objects.first()

    @pytest.mark.parametrize("language", ["en", "de"])
    def test_show_the_game(self, client, game, language):
        headers = {"Accept-Language": language}
        for name in ("game", "game-json", "game-text", "game-svg", "game-embed"):
            answer = client.get(reverse(name, args=[game.pk]), headers=headers)
            assert answer.status_code == 200, name
        page = client.get(reverse("game", args=[game.pk]), headers=headers).content.decode()
        assert "Lineup" in page
        assert reverse("game-sgf", args=[game.pk]) not in page
        xml.dom.minidom.parseString(client.get(reverse("game-svg", args=[game.pk])).content)  # noqa: S318 - ours

    def test_show_every_turn_of_it(self, client, game):
        for turn in range(len(game.record["turns"]) + 1):
            page = client.get(reverse("game", args=[game.pk]), {"turn": turn})
            assert page.status_code == 200
        if any("marked" in turn for turn in self.replay(client, game)["turns"]):
            assert "Leading row of 3" in page.content.decode()

    def test_have_its_replay_in_the_api(self, client, game):
        document = self.replay(client, game)
        assert document["board"] | {"columns": ""} == {
            "size": 6, "width": 6, "height": 6, "drawn": "cells", "goal_sides": False, "rings": False, "columns": ""}
        assert document["result"]["reason"] in ("goal", "board full")

    def replay(self, client, game):
        return json.loads(client.get(f"/api/games/{game.pk}/replay/").content)

    @pytest.mark.parametrize("language", ["en", "de"])
    def test_explain_its_rules(self, client, language):
        headers = {"Accept-Language": language}
        assert RULESETS[SLUG].summary in client.get(reverse("rules"), headers=headers).content.decode()
        page = client.get(reverse("rule", args=[SLUG]), headers=headers).content.decode()
        assert "a turn places one stone, not 2" in page
        assert "A full board without such a row is a draw." in page

    def test_let_a_person_play_it(self, client):
        otter = make_version("Otter")
        terms = {"ruleset": SLUG, "size": 5, "pace": "normal", "seat": "0"}
        page = client.post(reverse("play", args=[otter.bot.slug]), terms, follow=True).content.decode()
        assert page.count('class="target"') == 25
