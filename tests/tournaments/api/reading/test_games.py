"""Finding games, downloading them, and conditional requests."""

from datetime import timedelta
from itertools import chain
from typing import Any

import pytest
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from engines.records.record import GameRecord
from engines.records.sgf import sgf
from tests.factories import START, make_event, make_user, make_version, play_event, play_match
from tests.tournaments.api import contract
from tournaments.models import Event, Game, Invitation, Match, Round


@pytest.fixture
def event(db: None) -> Event:
    """A finished round-robin of three; one game ended by a forfeit."""
    event = make_event([make_version(name) for name in ("Morphy", "Anderssen", "Steinitz")], size=5,
                       ruleset="square-grid-hex")
    play_match(Match.objects.order_by("pk")[0], fault_after=3)
    return play_event(event)


def found(client: APIClient, **query: Any) -> list[int]:
    answer = client.get("/api/games/", query)
    assert answer.status_code == 200, answer.content
    contract.check(answer, "/api/games/")
    return [game["id"] for game in answer.json()["results"]]


def ids(**conditions: Any) -> list[int]:
    return list(Game.objects.filter(**conditions).order_by("-pk").values_list("pk", flat=True))


class TestAGame:
    def test_is_found_by_a_bot_and_its_opponent(self, anyone: APIClient, event: Event) -> None:
        one, other = (entry.bot for entry in event.entries.order_by("pk")[:2])
        games = [game for game in Game.objects.order_by("-pk") if {game.seat0.bot, game.seat1.bot} == {one, other}]
        assert len(games) == 2
        assert found(anyone, bot=one.slug, opponent=other.slug) == [game.pk for game in games]
        assert found(anyone, opponent=other.slug) == found(anyone, bot=other.slug)
        assert found(anyone, bot=one.slug, opponent=one.slug) == []
        assert len(found(anyone, bot=one.slug)) == 4

    def test_is_sorted_by_length_rating_and_improbability(self, anyone: APIClient, event: Event) -> None:
        played = list(Game.objects.select_related("rated").order_by("-pk"))
        key = {"longest": lambda game: (-game.plies, -game.pk), "shortest": lambda game: (game.plies, game.pk),
               "rating": lambda game: (-game.rated.level, -game.pk),
               "upset": lambda game: (game.rated.chance, -game.pk)}
        for sort, order in key.items():
            listed = [game for game in played if sort != "upset" or (game.rated.chance or 1) < 0.5]
            assert found(anyone, sort=sort) == [game.pk for game in sorted(listed, key=order)]
        assert len(found(anyone, sort="upset")) > 0
        bot = event.entries.order_by("pk")[0].bot.slug
        assert sorted(found(anyone, sort="longest", bot=bot)) == sorted(found(anyone, bot=bot))
        one = anyone.get("/api/games/", {"sort": "longest", "limit": 1}).json()
        assert (len(one["results"]), one["next"], one["previous"]) == (1, None, None)
        longest = Game.objects.get(pk=one["results"][0]["id"])
        assert (one["results"][0]["level"], one["results"][0]["chance"]) == (longest.rated.level, longest.rated.chance)
        assert anyone.get("/api/games/", {"sort": "best"}).status_code == 400

    def test_is_found_by_version(self, anyone: APIClient, event: Event) -> None:
        version = event.entries.order_by("pk")[0].version
        assert found(anyone, version=version.pk) == found(anyone, bot=version.bot.slug)
        assert found(anyone, version=make_version(version.bot.name).pk, bot=version.bot.slug) == []

    def test_is_found_by_its_result_for_the_bot_or_the_first_player(self, anyone: APIClient, event: Event) -> None:
        bot = event.entries.order_by("pk")[0].bot
        won = [game.pk for game in Game.objects.order_by("-pk")
               if game.winner is not None and (game.seat0, game.seat1)[game.winner].bot == bot]
        assert found(anyone, bot=bot.slug, result="won") == won
        by_result = {result: found(anyone, bot=bot.slug, result=result) for result in ("won", "drawn", "lost")}
        assert sorted(chain.from_iterable(by_result.values())) == sorted(found(anyone, bot=bot.slug))
        assert found(anyone, result="won") == ids(winner=0)
        assert found(anyone, result="lost") == ids(winner=1)
        assert anyone.get("/api/games/", {"result": "ended"}).status_code == 400

    def test_is_found_by_every_other_filter(self, anyone: APIClient, event: Event) -> None:
        last = Game.objects.order_by("-ended_at")[0].ended_at
        assert found(anyone, ladder=event.ladder.slug) == found(anyone, kind="event") == ids()
        assert found(anyone, kind="ladder") == found(anyone, ladder="none") == found(anyone, event="none") == []
        assert found(anyone, ended_by="conduct") == found(anyone, reason="protocol") == ids(ended_by="conduct")
        assert found(anyone, since=last.isoformat()) == ids(ended_at__gte=last)
        assert found(anyone, until=last.isoformat()) == ids(ended_at__lt=last)
        assert found(anyone, since=(last + timedelta(seconds=1)).isoformat()) == []

    def test_between_two_versions_of_a_bot_is_found_once(self, anyone: APIClient, db: None) -> None:
        one, other = make_version("Morphy"), make_version("Steinitz")
        play_event(make_event([one, other], size=5))
        game = Game.objects.order_by("pk")[0]
        game.sides.update(bot=one.bot, opponent=one.bot)
        assert found(anyone, bot=one.bot.slug, opponent=one.bot.slug) == [game.pk]

    @pytest.mark.parametrize(("query", "field"), [
        ({"version": "x"}, "version"), ({"version": 2**63}, "version"), ({"version": -1}, "version"),
        ({"kind": "fun"}, "kind"), ({"since": "yesterday"}, "since"), ({"until": "0000-01-01"}, "until"),
        ({"opponent": "a\0b"}, "opponent"),
    ])
    def test_refuses_invalid_filters(
        self, anyone: APIClient, event: Event, query: dict[str, Any], field: str
    ) -> None:
        assert contract.malformed(anyone.get("/api/games/", query)) == [field]

    def test_of_a_bot_is_paged_by_its_sides(self, anyone: APIClient, event: Event) -> None:
        bot = event.entries.order_by("pk")[0].bot
        page = anyone.get("/api/games/", {"bot": bot.slug, "limit": 3}).json()
        with CaptureQueriesContext(connection) as queries:
            rest = anyone.get(page["next"]).json()["results"]
        assert any('"tournaments_side"."game_id" <' in query["sql"] for query in queries)
        assert [game["id"] for game in [*page["results"], *rest]] == found(anyone, bot=bot.slug)


class TestAPrivateEvent:
    @pytest.fixture
    def private(self, event: Event) -> Event:
        Event.objects.update(private=True)
        return event

    def paths(self, event: Event) -> list[str]:
        game = Game.objects.all()[0]
        return [f"/api/games/{game.pk}/", f"/api/games/{game.pk}/replay/", f"/api/games/{game.pk}/record/",
                f"/api/games/{game.pk}/sgf/", f"/api/matches/{game.match_id}/", f"/api/rounds/{game.match.round_id}/",
                f"/api/events/{event.slug}/bundle/"]

    def test_is_hidden_with_all_its_games_from_users_not_invited(
        self, anyone: APIClient, author: APIClient, private: Event
    ) -> None:
        for client in (anyone, author):
            for name in ("games", "matches", "rounds"):
                assert client.get(f"/api/{name}/").json()["results"] == []
            assert [client.get(path).status_code for path in self.paths(private)] == [404] * 7

    def test_is_open_to_invited_users_and_to_organisers(
        self, author: APIClient, organiser: APIClient, private: Event
    ) -> None:
        Invitation.objects.create(event=private, user=make_user("mia"), created_at=START)
        for client in (author, organiser):
            assert len(client.get("/api/games/").json()["results"]) == 6
            assert [client.get(path).status_code for path in self.paths(private)] == [200] * 7


class TestADownload:
    def test_of_the_record_returns_the_record(self, anyone: APIClient, event: Event) -> None:
        game = Game.objects.all()[0]
        answer = anyone.get(f"/api/games/{game.pk}/record/")
        assert answer.json() == game.record
        assert answer["Content-Disposition"] == f'attachment; filename="game-{game.pk}.json"'

    def test_of_the_sgf_contains_the_game(self, anyone: APIClient, event: Event) -> None:
        game = Game.objects.all()[0]
        answer = anyone.get(f"/api/games/{game.pk}/sgf/", headers={"Accept": "application/x-go-sgf"})
        assert answer["Content-Type"] == "application/x-go-sgf; charset=utf-8"
        assert answer.content.decode() == sgf(
            GameRecord.from_dict(game.record), event=event.name, round_name=str(game.match.round.number),
            date=f"{game.ended_at:%Y-%m-%d}")

    def test_of_the_sgf_is_refused_in_other_rulesets(self, anyone: APIClient, db: None) -> None:
        play_event(make_event([make_version("Morphy"), make_version("Steinitz")], ruleset="squ", size=4))
        status, sentence = contract.problem(anyone.get(f"/api/games/{Game.objects.all()[0].pk}/sgf/"))
        assert (status, sentence) == (
            409, "SGF does not support games of squ; it supports square-grid-hex and squaresquared.")

    def test_of_the_bundle_is_a_zip(self, anyone: APIClient, event: Event) -> None:
        answer = anyone.get(f"/api/events/{event.slug}/bundle/")
        assert (answer.status_code, answer["Content-Type"]) == (200, "application/zip")
        assert answer["Content-Disposition"] == f'attachment; filename="{event.slug}.zip"'
        assert b"".join(answer).startswith(b"PK")

    def test_of_the_bundle_is_refused_before_the_event_has_ended(self, anyone: APIClient, db: None) -> None:
        event = make_event([make_version("Morphy"), make_version("Steinitz")], size=5)
        assert contract.problem(anyone.get(f"/api/events/{event.slug}/bundle/")) == (
            409, "Autumn Round Robin is running: its bundle is available once it has ended.")


class TestARound:
    def test_includes_its_matches(self, anyone: APIClient, event: Event) -> None:
        listed = anyone.get("/api/rounds/", {"event": event.slug})
        contract.check(listed, "/api/rounds/")
        assert [(round_["number"], round_["matches_total"], round_["matches_ended"])
                for round_ in listed.json()["results"]] == [(3, 1, 1), (2, 1, 1), (1, 1, 1)]
        answer = anyone.get(f"/api/rounds/{Round.objects.get(number=2).pk}/")
        contract.check(answer, "/api/rounds/{id}/")
        assert [match["id"] for match in answer.json()["matches"]] == [Match.objects.get(round__number=2).pk]


class TestAConditionalRequest:
    @pytest.mark.parametrize("path", ["games/", "games/{game}/", "games/{game}/replay/", "events/{event}/",
                                      "events/{event}/standings/", "events/{event}/bundle/", "rulesets/squ/"])
    def test_is_answered_without_a_body_if_nothing_changed(
        self, anyone: APIClient, event: Event, path: str
    ) -> None:
        address = "/api/" + path.format(game=Game.objects.all()[0].pk, event=event.slug)
        etag = anyone.get(address)["ETag"]
        again = anyone.get(address, headers={"If-None-Match": etag})
        assert (again.status_code, again.content, again["ETag"]) == (304, b"", etag)
        assert anyone.get(address, headers={"If-None-Match": '"another"'}).status_code == 200

    def test_is_answered_in_full_after_a_change(self, anyone: APIClient, event: Event) -> None:
        for address in (f"/api/events/{event.slug}/", f"/api/events/{event.slug}/bundle/"):
            etag = anyone.get(address)["ETag"]
            Event.objects.update(revision=F("revision") + 1, name=f"Not {address}")
            assert anyone.get(address, headers={"If-None-Match": etag}).status_code == 200

    def test_builds_no_unchanged_bundle(self, anyone: APIClient, event: Event, monkeypatch: pytest.MonkeyPatch) -> None:
        address = f"/api/events/{event.slug}/bundle/"
        etag = anyone.get(address)["ETag"]
        monkeypatch.delattr("tournaments.api.events.bundles.event_bundle")
        assert anyone.get(address, headers={"If-None-Match": etag}).status_code == 304


class TestTheStderrOfAGame:
    def test_is_for_the_bots_owner_and_team(self, anyone: APIClient, author: APIClient, organiser: APIClient) -> None:
        make_event([make_version("Morphy"), make_version("Anderssen", owner="otto")], size=5,
                   ruleset="square-grid-hex")
        game = play_match(Match.objects.get()).games.select_related("seat0__bot__owner").order_by("number")[0]
        Game.objects.filter(pk=game.pk).update(stderr0=b"first \xff", stderr1=b"second")
        all_of_it = {"stderr0": "first \ufffd", "stderr1": "second"}
        mine = "stderr0" if game.seat0.bot.owner.username == "mia" else "stderr1"
        for client, shown in ((anyone, set()), (author, {mine}), (organiser, set(all_of_it))):
            answer = client.get(f"/api/games/{game.pk}/stderr/")
            contract.check(answer, "/api/games/{id}/stderr/")
            assert answer.json() == {name: text if name in shown else None for name, text in all_of_it.items()}
