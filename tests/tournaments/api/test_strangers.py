"""Limits on untrusted bots and untrusted requests."""

from dataclasses import replace

import pytest
from rest_framework.test import APIClient

from engines.sandbox.isolation.limits import Tier
from tests.factories import START, make_event, make_version, random_record
from tests.tournaments.api import contract
from tournaments.models import Game, Match
from tournaments.services.matches import matches

SECRET = b"a secret of the bot's author"


@pytest.fixture
def game(db: None) -> Game:
    """A game in which both bots wrote to stderr."""
    make_event([make_version("Morphy"), make_version("<b>Steinitz</b>")], size=5)
    lease = matches.claim(match_id=Match.objects.get().pk, worker="db-7.internal:99", tier=Tier.STANDARD, now=START)
    assert lease is not None
    records = [replace(random_record("scware", 5, names, seed), stderr=(SECRET, SECRET)) for seed, names in enumerate(
        [("Morphy", "<b>Steinitz</b>"), ("<b>Steinitz</b>", "Morphy")])]
    assert matches.finish(lease, records, START)
    return Game.objects.order_by("number")[0]


class TestTheApi:
    def test_shows_stderr_only_at_its_own_address_and_never_the_host(
        self, anyone: APIClient, author: APIClient, organiser: APIClient, game: Game
    ) -> None:
        for path in contract.schema()["paths"]:
            for client in (anyone, author, organiser):
                address = path.format(id=game.pk, slug=game.match.round.event.slug, token="made-up",
                                      ruleset="squ", size=8)
                content = client.get(address).content
                assert (SECRET in content) == (path == "/api/games/{id}/stderr/" and client is not anyone)
                assert b"internal" not in content

    @pytest.mark.parametrize("key", ["0", "-1", "x", "1.5", "9" * 30, "%00", "..", "%F0%9F%98%80"])
    @pytest.mark.parametrize("name", ["bots", "ladders", "events", "matches", "games", "rulesets"])
    def test_answers_404_for_a_made_up_key(self, anyone: APIClient, game: Game, name: str, key: str) -> None:
        answer = anyone.get(f"/api/{name}/{key}/")
        assert contract.problem(answer)[0] == 404

    @pytest.mark.parametrize("method", ["get", "post", "put", "delete"])
    def test_answers_404_in_json_for_an_unknown_address(self, anyone: APIClient, method: str) -> None:
        answer = getattr(anyone, method)("/api/nothing/here/")
        assert contract.problem(answer) == (
            404, "There is nothing at this URL. See /api/docs/ for the available ones.")

    @pytest.mark.parametrize("value", ["x", "-1", "9" * 30, "nan", "\0", "\ud800".encode("utf-8", "surrogatepass")])
    @pytest.mark.parametrize("query", ["bots/?owner", "ladders/?ruleset", "ladders/?size", "events/?status",
                                       "events/?ladder", "matches/?event", "matches/?status", "matches/?ruleset",
                                       "games/?bot", "games/?event", "games/?ruleset", "games/?ended_by",
                                       "games/?reason"])
    def test_answers_a_made_up_filter_with_no_rows_or_the_invalid_field(
        self, anyone: APIClient, game: Game, query: str, value: str | bytes
    ) -> None:
        path, name = query.split("?")
        answer = anyone.get(f"/api/{path}", {name: value})
        assert answer.status_code in {200, 400}
        assert (answer.json()["results"] == []) if answer.status_code == 200 else (
            contract.malformed(answer) == [name])

    def test_ignores_an_unknown_filter(self, anyone: APIClient, game: Game) -> None:
        assert len(anyone.get("/api/games/", {"colour": "red"}).json()["results"]) == 2
