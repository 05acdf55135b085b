"""Pages of ladders and challenges: contents, actions, refusals and escaping."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.factories import make_user, make_version, play_match
from tournaments.models import Challenge, LadderEntry, Match
from tournaments.services.ladders.ladder_play import join
from tournaments.services.ladders.ladders import create_ladder
from tournaments.services.ladders.matchmaking import pair_ladders
from tournaments.services.ladders.rating import rate_due
from tournaments.services.matches.workers import Declaration, declare

pytestmark = pytest.mark.django_db
HOSTILE = '<img src=x onerror=alert("1")>'


@pytest.fixture
def ladder():
    return create_ladder(ruleset="square-grid-hex", size=3, base_seconds=5)


@pytest.fixture
def mia():
    return signed_in("mia")


def signed_in(name):
    client = Client()
    client.force_login(make_user(name))
    return client


def enrol(ladder, name, owner):
    version = make_version(name, owner=owner)
    join(actor=version.bot.owner, ladder=ladder, version=version, now=timezone.now())
    return version


def play_some(ladder, rounds=1):
    for _ in range(rounds):
        now = timezone.now()
        pair_ladders(now)
        for match in Match.objects.filter(status="queued", kind="ladder"):
            play_match(match, now=now)
    rate_due(timezone.now() + timedelta(minutes=1))


def body(client, address, status=200):
    answer = client.get(address)
    assert answer.status_code == status
    return answer.content.decode()


def said(client, answer):
    """Return the page that the response redirects to."""
    assert answer.status_code == 302
    return client.get(answer["Location"]).content.decode()


class TestTheLadderPage:
    def test_lets_an_author_join_and_leave(self, mia, ladder):
        version, address = make_version("Alder"), reverse("ladder", args=[ladder.slug])
        assert "Alder v1" in body(mia, address)
        shown = said(mia, mia.post(reverse("ladder-join", args=[ladder.slug]), {"version": version.pk}))
        assert "Alder v1 now plays on" in shown
        assert LadderEntry.objects.get().version == version
        shown = said(mia, mia.post(reverse("ladder-leave", args=[ladder.slug]), {"bot": version.bot_id}))
        assert "Alder has left" in shown
        assert not LadderEntry.objects.get().active

    def test_explains_refusals(self, mia, ladder):
        foreign = make_version("Basalt", owner="otto")
        shown = said(mia, mia.post(reverse("ladder-join", args=[ladder.slug]), {"version": foreign.pk}))
        assert "Basalt is not your bot" in shown
        assert mia.post(reverse("ladder-join", args=[ladder.slug]), {"version": "x"}).status_code == 404

    def test_redirects_signed_out_visitors_to_the_sign_in(self, client, ladder):
        assert "Sign in" in body(client, reverse("ladder", args=[ladder.slug]))
        answer = client.post(reverse("ladder-join", args=[ladder.slug]), {"version": 1})
        assert (answer.status_code, "login" in answer["Location"]) == (302, True)

    def test_shows_what_each_bot_is_doing(self, client, mia, ladder):
        now = timezone.now()
        for name in ("Alder", "Basalt", "Cinder", "Dune"):
            enrol(ladder, name, owner="mia")
        play_some(ladder)
        LadderEntry.objects.filter(bot__name="Alder").update(probe_at=now + timedelta(hours=1), faults=3)
        LadderEntry.objects.filter(bot__name="Basalt").update(active=False)
        enrol(ladder, "Elm", owner="mia")
        declare(Declaration("test:1", "test", "standard", ["square-grid-hex"], 2, 2, "1"), now=now)
        shown = body(client, reverse("ladder", args=[ladder.slug]))
        assert "suspended until" in shown
        assert "left" in shown
        assert "waiting since" in shown
        assert "Not rated yet" in shown
        mine = body(mia, reverse("ladder", args=[ladder.slug]))
        assert "Bring back" in mine
        assert "by waiting time" in mine
        assert "It will be paired in turn: 0 matches of Square Grid Hex wait for a worker." in mine
        assert "Alder is reinstated" in said(mia, mia.post(
            reverse("ladder-bring-back", args=[ladder.slug]),
            {"bot": LadderEntry.objects.get(bot__name="Alder").bot_id}))

    def test_says_here_and_on_the_bots_page_that_the_quota_is_used_up(self, mia, ladder, settings):
        version = enrol(ladder, "Alder", owner="mia")
        settings.GAMES_PER_DAY = 0
        for address in (reverse("ladder", args=[ladder.slug]), reverse("bot", args=[version.bot.slug])):
            shown = body(mia, address)
            assert "quota used up" in shown
            assert "Its owner’s quota allows no games." in shown

    def test_says_if_only_events_use_it(self, mia, ladder):
        type(ladder).objects.update(is_open=False)
        make_version("Alder")
        assert "Only events use this ladder" in body(mia, reverse("ladder", args=[ladder.slug]))

    def test_is_paginated(self, client, ladder, monkeypatch):
        monkeypatch.setattr("frontend.views.ladders.ladders.PAGE", 4)
        for number in range(6):
            enrol(ladder, f"bot {number}", owner=f"owner {number}")
        play_some(ladder, rounds=3)
        address = reverse("ladder", args=[ladder.slug])
        first = client.get(address)
        second = client.get(address, {"after": first.context["more"]()})
        shown = [line.rating.rank for line, *_ in first.context["lines"]() + second.context["lines"]()]
        assert len(shown) == 6
        assert shown == sorted(shown)
        assert second.context["more"]() is None
        assert client.get(address, {"after": "9" * 30}).status_code == 200

    def test_takes_as_many_queries_for_many_bots_as_for_few(self, mia, ladder, django_assert_max_num_queries):
        for number in range(3):
            enrol(ladder, f"few {number}", owner="mia")
        play_some(ladder)
        for number in range(15):
            enrol(ladder, f"many {number}", owner="mia")
        with django_assert_max_num_queries(31):
            body(mia, reverse("ladder", args=[ladder.slug]))

    def test_escapes_names(self, mia, ladder):
        enrol(ladder, HOSTILE, owner="mia")
        enrol(ladder, "Basalt", owner="mia")
        make_version(HOSTILE + "2")
        assert "<img src=x" not in body(mia, reverse("ladder", args=[ladder.slug]))
        play_some(ladder)
        assert "<img src=x" not in body(mia, reverse("ladder", args=[ladder.slug]))


class TestChallenges:
    @pytest.fixture
    def versions(self, ladder):
        return make_version("Alder"), make_version("Basalt", owner="otto")

    def ask(self, client, ladder, versions, **change):
        return client.post(reverse("challenge-new"), {"ladder": ladder.slug, "first": versions[0].pk,
                                                      "second": "basalt v1", "match_count": 2, **change})

    def test_are_created_with_a_form(self, mia, ladder, versions):
        form = body(mia, f"{reverse('challenge-new')}?ladder={ladder.slug}&second=Basalt%20v1")
        assert 'value="Basalt v1"' in form
        shown = said(mia, self.ask(mia, ladder, versions))
        made = Challenge.objects.get()
        assert (made.second, made.matches.count()) == (versions[1], 2)
        assert "Alder v1" in shown
        assert "0 of 2 matches done" in shown

    @pytest.mark.parametrize(("change", "status", "sentence"), [
        ({"second": "nobody"}, 400, "There is no bot &#x27;nobody&#x27;"),
        ({"second": "Basalt v9"}, 400, "There is no version 9 of &#x27;Basalt&#x27;"),
        ({"match_count": 11}, 400, "less than or equal to 10"),
        ({"second": "Alder"}, 409, "Alder v1 cannot challenge itself"),
    ])
    def test_are_refused_with_a_reason(self, mia, ladder, versions, change, status, sentence):
        answer = self.ask(mia, ladder, versions, **change)
        assert answer.status_code == status
        assert sentence in answer.content.decode()
        assert not Challenge.objects.exists()

    def test_require_the_users_own_bot(self, mia, ladder, versions):
        answer = self.ask(mia, ladder, versions, first=versions[1].pk)
        assert answer.status_code == 400
        assert not Challenge.objects.exists()

    def test_require_signing_in(self, client, ladder, versions):
        assert client.get(reverse("challenge-new")).status_code == 302
        assert self.ask(client, ladder, versions).status_code == 302
        assert not Challenge.objects.exists()

    def test_show_games_and_score_to_everyone(self, client, mia, ladder, versions):
        self.ask(mia, ladder, versions)
        made = Challenge.objects.get()
        for match in made.matches.all():
            play_match(match)
        shown = body(client, reverse("challenge", args=[made.pk]))
        assert "2 of 2 matches done" in shown
        assert "95% interval" in shown
        assert shown.count('href="/games/') >= 4
        assert "Cancel the challenge" not in body(mia, reverse("challenge", args=[made.pk]))
        assert "Alder v1" in body(client, reverse("challenges"))

    def test_are_cancelled_by_their_creator(self, client, mia, ladder, versions):
        self.ask(mia, ladder, versions)
        made = Challenge.objects.get()
        address = reverse("challenge-cancel", args=[made.pk])
        nils = signed_in("nils")
        assert "can cancel it" in said(nils, nils.post(address))
        assert "The challenge is cancelled" in said(mia, mia.post(address))
        assert not Match.objects.filter(status="queued").exists()

    def test_take_as_many_queries_for_many_as_for_few(self, client, mia, ladder, versions,
                                                                  django_assert_max_num_queries):
        for _ in range(4):
            self.ask(mia, ladder, versions)
        with django_assert_max_num_queries(4):
            body(client, reverse("challenges"))


class TestAGameOfALadder:
    def test_has_its_pages_without_an_event(self, client, ladder):
        for name in ("Alder", "Basalt"):
            enrol(ladder, name, owner="mia")
        play_some(ladder)
        game = Match.objects.filter(status="finished")[0].games.get(number=1)
        for name in ("game", "game-json", "game-text", "game-svg"):
            body(client, reverse(name, args=[game.pk]))
        for address in (reverse("home"), reverse("games"), reverse("bot", args=[game.seat0.bot.slug]),
                        f"/api/games/{game.pk}/", f"/api/matches/{game.match_id}/", "/api/games/", "/api/matches/"):
            body(client, address)
        assert f'href="/games/{game.pk}/"' in body(client, reverse("ladder", args=[ladder.slug]))
