"""Finding games, downloading them, and conditional requests."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from engines.records.record import GameRecord
from engines.records.replay import replay_document
from engines.records.sgf import sgf
from engines.rules.registry import RULESETS
from ratings.models import RatedGame
from tests.factories import START, make_event, make_user, make_version, play_match
from tests.tournaments.api import contract
from tests.tournaments.api.reading.conftest import Read
from tournaments.models import Bot, Event, Game, Invitation, Match, Round


def found(client: APIClient, **query: Any) -> list[int]:
    answer = client.get("/api/games/", query)
    assert answer.status_code == 200, answer.content
    contract.check(answer, "/api/games/")
    return [game["id"] for game in answer.json()["results"]]


def ids(**conditions: Any) -> list[int]:
    return list(Game.objects.filter(**conditions).order_by("-pk").values_list("pk", flat=True))


@pytest.fixture
def bot(event: Event, db: None) -> Bot:
    """One of the three bots; it played four games."""
    return event.entries.order_by("pk")[0].bot


class TestAGame:
    def test_is_found_by_a_bot_and_its_opponent(self, anyone: APIClient, event: Event, bot: Bot) -> None:
        other = event.entries.order_by("pk")[1].bot
        games = [game.pk for game in Game.objects.order_by("-pk")
                 if {game.seat0.bot, game.seat1.bot} == {bot, other}]
        assert len(games) == 2
        assert found(anyone, bot=bot.slug, opponent=other.slug) == games
        assert found(anyone, opponent=other.slug) == found(anyone, bot=other.slug)
        assert found(anyone, bot=bot.slug, opponent=bot.slug) == []
        assert len(found(anyone, bot=bot.slug)) == 4
        # Between two versions of one bot, a game has two sides of that bot, and is found once.
        Game.objects.get(pk=games[0]).sides.update(bot=bot, opponent=bot)
        assert found(anyone, bot=bot.slug, opponent=bot.slug) == games[:1]

    @pytest.mark.database
    def test_is_sorted_by_length_rating_and_improbability(self, anyone: APIClient, event: Event, bot: Bot) -> None:
        RatedGame.objects.filter(game__in=ids()[:2]).update(chance=0.2)
        played = list(Game.objects.select_related("rated").order_by("-pk"))
        key = {"longest": lambda game: (-game.plies, -game.pk), "shortest": lambda game: (game.plies, game.pk),
               "rating": lambda game: (-game.rated.level, -game.pk),
               "upset": lambda game: (game.rated.chance, -game.pk)}
        for sort, order in key.items():
            listed = [game for game in played if sort != "upset" or (game.rated.chance or 1) < 0.5]
            assert found(anyone, sort=sort) == [game.pk for game in sorted(listed, key=order)]
        assert len(found(anyone, sort="upset")) > 0
        assert sorted(found(anyone, sort="longest", bot=bot.slug)) == sorted(found(anyone, bot=bot.slug))
        one = anyone.get("/api/games/", {"sort": "longest", "limit": 1}).json()
        assert (len(one["results"]), one["next"], one["previous"]) == (1, None, None)
        longest = Game.objects.get(pk=one["results"][0]["id"])
        assert (one["results"][0]["level"], one["results"][0]["chance"]) == (longest.rated.level, longest.rated.chance)

    def test_is_found_by_its_result_for_the_bot_or_the_first_player(self, anyone: APIClient, bot: Bot) -> None:
        won = [game.pk for game in Game.objects.order_by("-pk")
               if game.winner is not None and (game.seat0, game.seat1)[game.winner].bot == bot]
        assert found(anyone, bot=bot.slug, result="won") == won
        by_result = [pk for result in ("won", "drawn", "lost") for pk in found(anyone, bot=bot.slug, result=result)]
        assert sorted(by_result) == sorted(found(anyone, bot=bot.slug))
        assert found(anyone, result="won") == ids(winner=0)
        assert found(anyone, result="lost") == ids(winner=1)

    def test_is_found_by_every_other_filter(self, anyone: APIClient, event: Event, bot: Bot) -> None:
        last = Game.objects.order_by("-ended_at")[0].ended_at
        of_bot, newer = event.entries.get(bot=bot).version, make_version(bot.name)
        assert found(anyone, version=of_bot.pk) == found(anyone, bot=bot.slug)
        assert found(anyone, version=newer.pk, bot=bot.slug) == []
        assert found(anyone, ladder=event.ladder.slug) == found(anyone, kind="event") == ids()
        assert found(anyone, event=event.slug) == found(anyone, ruleset="square-grid-hex") == ids()
        # An unknown filter is ignored.
        assert found(anyone, colour="red") == ids()
        assert found(anyone, kind="ladder") == found(anyone, ladder="none") == found(anyone, event="none") == []
        assert found(anyone, ruleset="squ") == []
        assert found(anyone, ended_by="conduct") == found(anyone, reason="protocol") == ids(ended_by="conduct")
        assert found(anyone, since=last.isoformat()) == ids(ended_at__gte=last)
        assert found(anyone, until=last.isoformat()) == ids(ended_at__lt=last)
        assert found(anyone, since=(last + timedelta(seconds=1)).isoformat()) == []

    def test_is_not_found_by_invalid_filters(self, anyone: APIClient, event: Event, db: None) -> None:
        for query in ({"version": 2**63}, {"version": -1}, {"kind": "fun"}, {"since": "yesterday"},
                      {"until": "0000-01-01"}, {"opponent": "a\0b"}, {"result": "ended"}, {"sort": "best"}):
            assert contract.malformed(anyone.get("/api/games/", query)) == list(query)

    def test_of_a_bot_is_paged_by_its_sides(self, anyone: APIClient, bot: Bot) -> None:
        page = anyone.get("/api/games/", {"bot": bot.slug, "limit": 3}).json()
        with CaptureQueriesContext(connection) as queries:
            rest = anyone.get(page["next"]).json()["results"]
        assert any('"tournaments_side"."game_id" <' in query["sql"] for query in queries)
        assert [game["id"] for game in [*page["results"], *rest]] == found(anyone, bot=bot.slug)

    def test_has_its_record_and_a_replay_document(self, read: Read, event: Event) -> None:
        game = Game.objects.get(ended_by="conduct")
        shown = read("/api/games/{id}/", game.pk)
        assert shown["record"] == game.record
        assert shown["record"]["fault"]["line"] == "e4\x1b[2J\u202eevil"
        for game in Game.objects.all():
            assert read("/api/games/{id}/replay/", game.pk) == replay_document(game.record)

    def test_is_replayed_in_every_ruleset(self, read: Read, event: Event) -> None:
        bots = [make_version("Morphy"), make_version("Steinitz")]
        for ruleset in set(RULESETS) - {event.ladder.ruleset}:
            other = make_event(bots, ruleset=ruleset, size=RULESETS[ruleset].sizes[0])
            game = play_match(Match.objects.get(event=other)).games.all()[0]
            assert len(read("/api/games/{id}/replay/", game.pk)["turns"]) == game.plies


class TestAPrivateEvent:
    def paths(self, event: Event) -> list[str]:
        game = Game.objects.all()[0]
        return [f"/api/games/{game.pk}/", f"/api/games/{game.pk}/replay/", f"/api/games/{game.pk}/record/",
                f"/api/games/{game.pk}/sgf/", f"/api/matches/{game.match_id}/", f"/api/rounds/{game.match.round_id}/",
                f"/api/events/{event.slug}/bundle/"]

    def test_is_hidden_with_all_its_games_from_users_not_invited(
        self, anyone: APIClient, author: APIClient, organiser: APIClient, event: Event
    ) -> None:
        Event.objects.update(private=True)
        for client in (anyone, author):
            for name in ("games", "matches", "rounds"):
                assert client.get(f"/api/{name}/").json()["results"] == []
            assert [client.get(path).status_code for path in self.paths(event)] == [404] * 7
        Invitation.objects.create(event=event, user=make_user("mia"), created_at=START)
        for client in (author, organiser):
            assert len(client.get("/api/games/").json()["results"]) == 6
            assert [client.get(path).status_code for path in self.paths(event)] == [200] * 7


class TestADownload:
    def test_of_a_game_is_its_record_or_sgf(self, anyone: APIClient, event: Event) -> None:
        game = Game.objects.all()[0]
        answer = anyone.get(f"/api/games/{game.pk}/record/")
        assert answer.json() == game.record
        assert answer["Content-Disposition"] == f'attachment; filename="game-{game.pk}.json"'
        answer = anyone.get(f"/api/games/{game.pk}/sgf/", headers={"Accept": "application/x-go-sgf"})
        assert answer["Content-Type"] == "application/x-go-sgf; charset=utf-8"
        assert answer.content.decode() == sgf(
            GameRecord.from_dict(game.record), event=event.name, round_name=str(game.match.round.number),
            date=f"{game.ended_at:%Y-%m-%d}")

    def test_of_the_sgf_is_refused_in_other_rulesets(self, anyone: APIClient, event: Event, db: None) -> None:
        make_event([make_version("Morphy"), make_version("Steinitz")], ruleset="squ", size=4)
        game = play_match(Match.objects.get(status="queued"), most_plies=2).games.all()[0]
        assert contract.problem(anyone.get(f"/api/games/{game.pk}/sgf/")) == (
            409, "SGF does not support games of squ; it supports square-grid-hex and squaresquared.")

    def test_of_the_bundle_is_a_zip_once_the_event_has_ended(self, anyone: APIClient, event: Event) -> None:
        answer = anyone.get(f"/api/events/{event.slug}/bundle/")
        assert (answer.status_code, answer["Content-Type"]) == (200, "application/zip")
        assert answer["Content-Disposition"] == f'attachment; filename="{event.slug}.zip"'
        assert b"".join(answer).startswith(b"PK")
        Event.objects.update(status="running", ended_at=None)
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
    def test_is_answered_without_a_body_if_nothing_changed(self, anyone: APIClient, event: Event) -> None:
        game = Game.objects.all()[0].pk
        for path in ("games/", f"games/{game}/", f"games/{game}/replay/", f"events/{event.slug}/",
                     f"events/{event.slug}/standings/", f"events/{event.slug}/bundle/", "rulesets/squ/"):
            etag = anyone.get(f"/api/{path}")["ETag"]
            again = anyone.get(f"/api/{path}", headers={"If-None-Match": etag})
            assert (again.status_code, again.content, again["ETag"]) == (304, b"", etag), path
            assert anyone.get(f"/api/{path}", headers={"If-None-Match": '"another"'}).status_code == 200

    def test_is_answered_in_full_after_a_change(
        self, anyone: APIClient, event: Event, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for address in (f"/api/events/{event.slug}/", f"/api/events/{event.slug}/bundle/"):
            etag = anyone.get(address)["ETag"]
            Event.objects.update(revision=F("revision") + 1, name=f"Not {address}")
            assert (answer := anyone.get(address, headers={"If-None-Match": etag})).status_code == 200
        # An unchanged bundle is not even built.
        monkeypatch.delattr("tournaments.api.events.bundles.event_bundle")
        assert anyone.get(address, headers={"If-None-Match": answer["ETag"]}).status_code == 304


class TestTheStderrOfAGame:
    def test_is_for_the_bots_owner_and_team(
        self, anyone: APIClient, author: APIClient, organiser: APIClient, event: Event
    ) -> None:
        game = Game.objects.select_related("seat0__bot").order_by("number")[0]
        Bot.objects.exclude(pk=game.seat0.bot.pk).update(owner=make_user("otto"))
        Game.objects.filter(pk=game.pk).update(stderr0=b"first \xff", stderr1=b"second")
        all_of_it = {"stderr0": "first \ufffd", "stderr1": "second"}
        for client, shown in ((anyone, set()), (author, {"stderr0"}), (organiser, set(all_of_it))):
            answer = client.get(f"/api/games/{game.pk}/stderr/")
            contract.check(answer, "/api/games/{id}/stderr/")
            assert answer.json() == {name: text if name in shown else None for name, text in all_of_it.items()}
