"""The explorer of openings: its page, its links, and its API, with real games."""

import re
from html import unescape

import pytest
from django.test import Client
from rest_framework.test import APIClient

from tests.factories import START, make_event, make_version, play_event
from tournaments.models import Game
from tournaments.services.ladders.openings import count_due

HEX = "/openings/square-grid-hex/4/"


@pytest.fixture(scope="module")
def games(module_db):
    """Rated games of random turns by four bots on a small board, counted."""
    play_event(make_event([make_version(name) for name in ("ant", "bee", "cat", "dog")], ruleset="square-grid-hex",
                          size=4))
    count_due(START)
    return list(Game.objects.select_related("match__ladder").order_by("pk"))


def shown(path, status=200):
    answer = Client().get(path)
    assert answer.status_code == status
    return unescape(answer.content.decode())


def next_turns(page):
    """Return the addresses of the table's turns."""
    return re.findall(r'<th scope="row"[^>]*>\s*<a href="(\?[^"]+)"', page)


class TestThePage:
    def test_leads_from_the_start_along_the_most_frequent_turns_to_the_games(self, games):
        page, seen = shown(HEX), []
        assert "12 rated games" in page
        while turns := next_turns(page):
            page = shown(HEX + turns[0])
            seen.append(turns[0])
        assert len(seen) >= 3
        played = seen[-1].removeprefix("?turns=").split("+")
        assert len(played) == len(seen)
        # The last position has a game that was played so, or as its image.
        linked = {int(pk) for pk in re.findall(r'class="game-line" href="/games/(\d+)/"', page)}
        firsts = {Game.objects.get(pk=pk).record["turns"][0]["turn"] for pk in linked}
        half_turn = {cell: "abcd"["dcba".index(cell[0])] + str(5 - int(cell[1])) for cell in firsts}
        assert firsts
        assert all(played[0] in (cell, half_turn[cell]) for cell in firsts)
        assert HEX + seen[-2] in {HEX + address for address in re.findall(r'<a href="([^"]+)" rel="prev"', page)}

    def test_has_the_turns_on_the_board_too(self, games):
        page = shown(HEX)
        on_board = set(re.findall(r'<a class="target" href="(\?[^"]+)"', page))
        assert set(next_turns(page)) <= on_board
        # Images of a turn are links as well, and lead to the same counts.
        other = next(iter(on_board - set(next_turns(page))))
        assert "1 game" in shown(HEX + other)

    def test_of_a_games_position_is_linked_from_the_game(self, games):
        game = games[0]
        page = shown(f"/games/{game.pk}/?turn=2")
        assert f'href="/games/{game.pk}/openings/?turn=2"' in page
        answer = Client().get(f"/games/{game.pk}/openings/?turn=2")
        turns = [turn["turn"] for turn in game.record["turns"][:2]]
        assert answer.url == f"{HEX}?turns={'+'.join(turns)}"
        assert f'href="/games/{game.pk}/"' in shown(answer.url)

        assert f'href="{HEX}"' in shown(f"/ladders/{games[0].match.ladder.slug}/")
        assert 'href="/openings/squ/8/"' in shown("/rules/squ/")

    def test_filters_by_rating_and_keeps_the_filter(self, games):
        page = shown(HEX + "?band=1")
        assert all(address.endswith("&band=1") for address in next_turns(page))
        assert "No rated game between bots of these ratings" in shown(HEX + "?band=3")
        assert next_turns(shown(HEX + "?band=77")) == next_turns(shown(HEX))

    def test_shows_the_position_before_a_turn_that_cannot_be_played(self, games):
        page = shown(HEX + "?turns=A1+b2+a1", status=400)
        assert "Turn 3, 'a1', cannot be played: a1 is not empty." in page
        assert "After turn 2, b2" in page
        hostile = Client().get(HEX + "?turns=%3Cb%3E%E2%80%AE").content.decode()
        assert "<b>" not in hostile
        assert "\u202e" not in hostile

    def test_says_why_there_are_no_turns(self, games):
        assert "No rated game on this board has been counted yet" in shown("/openings/squ/8/")
        assert "No rated game reached this position" in shown(HEX + "?turns=a1+b1+c1+d1+a2+b2")
        assert Client().get("/openings/chess/8/").status_code == 404
        assert Client().get("/openings/squ/7/").status_code == 404

    def test_reads_a_bounded_number_of_queries(self, games, django_assert_max_num_queries):
        for address in (HEX, HEX + next_turns(shown(HEX))[0]):
            with django_assert_max_num_queries(8):
                shown(address)


class TestTheAPI:
    def test_has_the_same_numbers_as_the_page(self, games):
        body = APIClient().get(f"/api{HEX}").json()
        assert (body["counted"], body["complete"], body["score"]["games"]) == (12, True, 12)
        assert sum(line["score"]["games"] for line in body["next"]) == 12
        line = body["next"][0]
        there = APIClient().get(f"/api{HEX}", {"turns": line["turn"], "band": 1}).json()
        assert there["turns"] == [line["turn"]]
        assert there["score"]["games"] == line["score"]["games"]
        assert there["score"]["wins"] == line["score"]["losses"]
        assert line["newest"] in there["games"]

    def test_refuses_turns_that_cannot_be_played(self, games):
        for asked, said in (({"turns": "a1 b2 a1"}, "Turn 3, 'a1', cannot be played"), ({"band": 9}, "less than")):
            answer = APIClient().get(f"/api{HEX}", asked)
            assert answer.status_code == 400
            assert said in answer.content.decode()
        assert APIClient().get("/api/openings/chess/8/").status_code == 404
        assert APIClient().get("/api/openings/squ/7/").status_code == 404
