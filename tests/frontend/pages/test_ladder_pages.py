"""Pages of ladders and challenges: contents, actions, refusals and escaping."""

from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from ratings.models import Rating
from tests.factories import make_version, play_match
from tests.frontend.visits import body, said, signed_in
from tournaments.models import Bot, Challenge, Game, Ladder, LadderEntry, Match, Version
from tournaments.services.ladders.ladder_play import join
from tournaments.services.ladders.ladders import create_ladder
from tournaments.services.ladders.matchmaking import pair_ladders
from tournaments.services.ladders.official import compute_due
from tournaments.services.ladders.rating import rate_due
from tournaments.services.matches.workers import Declaration, declare

pytestmark = pytest.mark.django_db
NOW = timezone.now()


def enrol(ladder: Ladder, name: str, owner: str = "mia") -> Version:
    version = make_version(name, owner=owner)
    join(actor=version.bot.owner, ladder=ladder, version=version, now=NOW)
    return version


@pytest.fixture(scope="module")
def world(module_db) -> SimpleNamespace:
    """A ladder on which four bots have played, and two bots that play nowhere."""
    ladder = create_ladder(ruleset="square-grid-hex", size=3, base_seconds=5)
    for number in range(4):
        enrol(ladder, f"bot {number}")
    pair_ladders(NOW)
    for match in Match.objects.filter(status="queued", kind="ladder"):
        play_match(match, now=NOW)
    rate_due(NOW + timedelta(minutes=1))
    compute_due(NOW + timedelta(minutes=1))
    return SimpleNamespace(ladder=ladder, address=reverse("ladder", args=[ladder.slug]), alder=make_version("Alder"),
                           basalt=make_version("Basalt", owner="otto"))


@pytest.fixture
def mia(world) -> Client:
    return signed_in("mia")


class TestTheLadderPage:
    def test_lets_an_author_join_and_leave(self, mia, world):
        assert "Alder v1" in body(mia, world.address)
        join_at = reverse("ladder-join", args=[world.ladder.slug])
        assert "Alder v1 now plays on" in said(mia, mia.post(join_at, {"version": world.alder.pk}))
        entry = LadderEntry.objects.get(version=world.alder)
        said(mia, mia.post(reverse("ladder-leave", args=[world.ladder.slug]), {"bot": entry.bot_id}))
        entry.refresh_from_db()
        assert not entry.active
        assert "Basalt is not your bot" in said(mia, mia.post(join_at, {"version": world.basalt.pk}))
        assert mia.post(join_at, {"version": "x"}).status_code == 404
        visitor = Client()
        assert "Sign in" in body(visitor, world.address)
        assert "login" in visitor.post(join_at, {"version": 1})["Location"]

    @pytest.mark.database
    def test_shows_what_each_bot_is_doing(self, client, mia, world):
        suspended = LadderEntry.objects.get(bot__name="bot 0")
        LadderEntry.objects.filter(pk=suspended.pk).update(probe_at=timezone.now() + timedelta(hours=1), faults=3)
        LadderEntry.objects.filter(bot__name="bot 1").update(active=False)
        enrol(world.ladder, "Elm")
        declare(Declaration("test:1", "test", "standard", ["square-grid-hex"], 2, 2, "1"), now=timezone.now())
        shown = body(client, world.address)
        assert not [text for text in ("suspended until", "left", "waiting since", "Not rated yet")
                    if text not in shown]
        mine = body(mia, world.address)
        assert "by waiting time" in mine
        assert "It will be paired in turn: 0 matches of Square Grid Hex wait for a worker." in mine
        address = reverse("ladder-bring-back", args=[world.ladder.slug])
        assert "Bring back" in mine
        assert "bot 0 is reinstated" in said(mia, mia.post(address, {"bot": suspended.bot_id}))

    def test_says_if_a_quota_is_used_up_or_only_events_use_it(self, mia, world, settings):
        settings.GAMES_PER_DAY = 0
        Ladder.objects.update(is_open=False)
        assert "Only events use this ladder" in body(mia, world.address)
        for address in (world.address, reverse("bot", args=[Bot.objects.get(name="bot 0").slug])):
            assert "Its owner’s quota allows no games." in body(mia, address)

    def test_lists_ratings_with_intervals(self, client, world):
        page = body(client, world.address)
        for rating in Rating.objects.filter(ladder=world.ladder):
            assert f"{rating.value:.0f}" in page
            assert f"± {rating.plus_minus:.0f}" in page
        assert page.count('<small class="muted" title="95% interval">±') == 4

    @pytest.mark.database
    def test_is_paginated(self, client, world, monkeypatch):
        monkeypatch.setattr("frontend.views.ladders.ladders.PAGE", 3)
        first = client.get(world.address)
        second = client.get(world.address, {"after": first.context["more"]()})
        shown = [line.rating.rank for line, *_ in first.context["lines"]() + second.context["lines"]()]
        assert (len(shown), shown) == (4, sorted(shown))
        assert second.context["more"]() is None
        assert client.get(world.address, {"after": "9" * 30}).status_code == 200


class TestChallenges:
    def ask(self, client: Client, world: SimpleNamespace, **change):
        return client.post(reverse("challenge-new"), {"ladder": world.ladder.slug, "first": world.alder.pk,
                                                      "second": "basalt v1", "match_count": 2, **change})

    def test_are_created_with_a_form_and_show_games_and_score_to_everyone(self, client, mia, world):
        form = body(mia, reverse("challenge-new"), ladder=world.ladder.slug, second="Basalt v1")
        assert 'value="Basalt v1"' in form
        shown = said(mia, self.ask(mia, world))
        made = Challenge.objects.get()
        assert (made.second, made.matches.count()) == (world.basalt, 2)
        assert "0 of 2 matches done" in shown
        for match in made.matches.all():
            play_match(match)
        address = reverse("challenge", args=[made.pk])
        shown = body(client, address)
        assert "2 of 2 matches done" in shown
        assert "95% interval" in shown
        assert shown.count('href="/games/') >= 4
        assert "Cancel the challenge" not in body(mia, address)

    def test_are_refused_with_a_reason(self, client, mia, world):
        for change, status, sentence in (
                ({"second": "nobody"}, 400, "There is no bot &#x27;nobody&#x27;"),
                ({"second": "Basalt v9"}, 400, "There is no version 9 of &#x27;Basalt&#x27;"),
                ({"match_count": 11}, 400, "less than or equal to 10"),
                ({"first": world.basalt.pk}, 400, "Select a valid choice"),
                ({"second": "Alder"}, 409, "Alder v1 cannot challenge itself")):
            answer = self.ask(mia, world, **change)
            assert (answer.status_code, sentence in answer.content.decode()) == (status, True), sentence
        assert client.get(reverse("challenge-new")).status_code == self.ask(client, world).status_code == 302
        assert not Challenge.objects.exists()

    def test_are_listed_and_cancelled_by_their_creator(self, client, mia, world, django_assert_max_num_queries):
        for _ in range(3):
            self.ask(mia, world)
        with django_assert_max_num_queries(4):
            assert body(client, reverse("challenges")).count("Alder v1") >= 3
        nils, made = signed_in("nils"), Challenge.objects.first()
        address = reverse("challenge-cancel", args=[made.pk])
        assert "can cancel it" in said(nils, nils.post(address))
        assert "The challenge is cancelled" in said(mia, mia.post(address))
        assert not made.matches.filter(status="queued").exists()


class TestAGameOfALadder:
    def test_has_its_pages_without_an_event(self, client, world):
        game = Game.objects.latest("pk")
        for name in ("game", "game-json", "game-text", "game-svg"):
            body(client, reverse(name, args=[game.pk]))
        for address in (reverse("home"), reverse("games"), reverse("bot", args=[game.seat0.bot.slug]),
                        f"/api/games/{game.pk}/", f"/api/matches/{game.match_id}/", "/api/games/", "/api/matches/"):
            body(client, address)
        assert f'href="/games/{game.pk}/"' in body(client, world.address)
