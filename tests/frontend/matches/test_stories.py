"""What follows from rated games: stories on the front page, and the explorer of openings with its API."""

import re
from datetime import timedelta
from html import unescape

import pytest

from frontend.text.stories import reason, sentence
from ratings.models import OfficialLine, RatedGame
from tests.factories import START, make_event, make_version, play_event, play_match
from tests.frontend.visits import body
from tournaments.models import Event, Game, Match, Stories, Version
from tournaments.services.ladders.official import compute_due
from tournaments.services.ladders.openings import count_due
from tournaments.services.ladders.stories import find_stories

pytestmark = pytest.mark.django_db
LATER = START + timedelta(days=1)
HEX = "/openings/square-grid-hex/4/"


@pytest.fixture(scope="module")
def event(module_db):
    event = make_event([make_version(name) for name in ("<ant>", "bee", "cat")], size=5, cycles=2)
    for minute, match in enumerate(Match.objects.filter(event=event).order_by("round__number", "number")):
        play_match(match, now=START + timedelta(minutes=minute))
    play_event(event)
    compute_due(LATER)
    return event


def text_of(client, path="/"):
    return " ".join(re.sub(r"<[^>]+>", " ", body(client, path)).split())


class TestStories:
    @pytest.fixture
    def upset(self, event) -> Game:
        """Return the newest game, an upset between established bots."""
        OfficialLine.objects.update(games=100, wins=100, draws=0, losses=0)
        game = Game.objects.filter(event=event, winner__isnull=False).order_by("-pk").first()
        RatedGame.objects.filter(game=game).update(chance=1 / 11, level=1500.0,
                                                  lead=-400.0 if game.winner == 0 else 400.0)
        return game

    def test_are_missing_without_games(self, client, event):
        RatedGame.objects.all().delete()
        for _ in range(2):
            assert "No games yet. Stories appear here after the first rated games." in text_of(client)
            find_stories(START)

    def test_have_the_game_of_the_day_with_its_board_at_the_decisive_turn(self, client, event):
        find_stories(LATER)
        assert "No recent rated game is unusual enough for a story." in text_of(client)
        chosen, page = Stories.objects.get().of_the_day, body(client, "/")
        assert "<replay-viewer" in page
        assert f'href="/games/{chosen["game"]}/?turn={chosen["turn"]}">Open the game' in page
        assert "12 Nov 2026" in reason(chosen)
        assert reason(chosen) in page
        assert "<ant>" not in page

    def test_tell_of_an_upset_with_both_ratings_and_link_to_the_decisive_turn(self, client, upset):
        find_stories(LATER)
        story, = Stories.objects.get().listed
        assert story["kind"] == "upset"
        names = [version.bot.name for version in (upset.seat0, upset.seat1)]
        winner, loser = (name.replace("<ant>", "&lt;ant&gt;") for name in (names[upset.winner],
                                                                           names[1 - upset.winner]))
        assert (f"{winner} (1300) won against {loser} (1700). The ratings gave it a chance of 9.1%, draws left out."
                in text_of(client).replace(" .", ".").replace(" ,", ","))
        assert f'href="/games/{upset.pk}/?turn={story["turn"]}"' in body(client, "/")
        assert 1 <= story["turn"] <= upset.plies
        Event.objects.update(private=True)
        page = text_of(client)
        assert "Game of the day" not in page
        assert "Upset" not in page

    def test_are_found_once_for_the_same_games_of_a_day(self, event):
        assert [find_stories(moment) for moment in (LATER, LATER)] == [1, 0]
        row = Stories.objects.get()
        assert row.of_the_day["day"] == START.date().isoformat()
        Stories.objects.update(of_the_day={**row.of_the_day, "changes": 99}, newest_game=1)
        find_stories(LATER)
        assert Stories.objects.get().of_the_day["changes"] == 99
        assert find_stories(LATER + timedelta(days=1)) == 1
        assert Stories.objects.get().of_the_day["changes"] != 99

    def test_name_the_bots_of_the_game_as_text(self, event):
        game = Game.objects.filter(event=event, winner=0, seat0__bot__name="<ant>").first()
        loser = game.seat1.bot.name
        for kind, facts, words in (
                ("comeback", {"behind_at": 7, "counts": [[6, 3]]},
                 f"<ant> won against {loser}, although it was clearly behind at turn 7. Stones to connect: 6–3."),
                ("run", {"won": True, "games": 8, "over": False, "at_least": True},
                 f"<ant> has won at least 8 games in a row. The last one was against {loser}."),
                ("rivalry", {"games": 20, "score": [11, 9]},
                 f"<ant> and {loser}: 11–9 in the last 20 games that one of them won on the board."),
                ("shortest", {"turns": 9, "games": 40, "usual": 25},
                 (f"<ant> won against {loser} in only 9 turns. Half of the 40 recent wins on this ladder took at "
                  "least 25."))):
            html = sentence({"kind": kind, **facts}, game)
            assert "<ant>" not in html
            assert re.sub(r"</?bdi[^>]*>", "", html).replace("&lt;ant&gt;", "<ant>") == words


class TestTheFrontPage:
    def test_offers_a_game_of_each_ruleset_against_a_bot(self, client, event):
        paths = re.findall(r'href="(/play/ruleset/[^"]+)"', body(client, "/"))
        assert len(paths) == 5
        address = client.get("/play/ruleset/scware/").url
        assert re.fullmatch(r"/play/bot-\d/\?ruleset=scware", address)
        body(client, address)
        body(client, "/play/ruleset/chess/", expect=404)
        Version.objects.update(status="rested")
        page = client.get("/play/ruleset/squ/", follow=True).content.decode()
        assert "No active bot plays SQU." in " ".join(page.split())


@pytest.fixture(scope="module")
def games(module_db):
    """Rated games of random turns by four bots on a small board, counted."""
    event = play_event(make_event([make_version(name) for name in ("ant", "bee", "cat", "dog")], name="Hex",
                                  ruleset="square-grid-hex", size=4))
    count_due(START)
    return list(Game.objects.filter(event=event).select_related("match__ladder").order_by("pk"))


def shown(client, path, **query):
    return unescape(body(client, path, **query))


def next_turns(page):
    """Return the addresses of the table's turns."""
    return re.findall(r'<th scope="row"[^>]*>\s*<a href="(\?[^"]+)"', page)


class TestTheExplorerOfOpenings:
    def test_leads_from_the_start_along_the_most_frequent_turns_to_the_games(
            self, client, games, django_assert_max_num_queries):
        with django_assert_max_num_queries(8):
            page, seen = shown(client, HEX), []
        assert "12 rated games" in page
        while turns := next_turns(page):
            with django_assert_max_num_queries(8):
                page = shown(client, HEX + turns[0])
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
        assert seen[-2] in re.findall(r'<a href="([^"]+)" rel="prev"', page)

    def test_has_the_turns_on_the_board_too(self, client, games):
        page = shown(client, HEX)
        on_board = set(re.findall(r'<a class="target" href="(\?[^"]+)"', page))
        assert set(next_turns(page)) <= on_board
        # Images of a turn are links as well, and lead to the same counts.
        other = min(on_board - set(next_turns(page)))
        assert "1 game" in shown(client, HEX + other)

    def test_of_a_games_position_is_linked_from_the_game_its_ladder_and_the_rules(self, client, games):
        game = games[0]
        assert f'href="/games/{game.pk}/openings/?turn=2"' in shown(client, f"/games/{game.pk}/", turn=2)
        address = client.get(f"/games/{game.pk}/openings/?turn=2").url
        turns = [turn["turn"] for turn in game.record["turns"][:2]]
        assert address == f"{HEX}?turns={'+'.join(turns)}"
        assert f'href="/games/{game.pk}/"' in shown(client, address)
        assert f'href="{HEX}"' in shown(client, f"/ladders/{game.match.ladder.slug}/")
        assert 'href="/openings/squ/8/"' in shown(client, "/rules/squ/")

    def test_filters_by_rating_and_keeps_the_filter(self, client, games):
        assert all(address.endswith("&band=1") for address in next_turns(shown(client, HEX, band=1)))
        assert "No rated game between bots of these ratings" in shown(client, HEX, band=3)
        assert next_turns(shown(client, HEX, band=77)) == next_turns(shown(client, HEX))

    def test_shows_the_position_before_a_turn_that_cannot_be_played(self, client, games):
        page = shown(client, HEX, expect=400, turns="A1 b2 a1")
        assert "Turn 3, 'a1', cannot be played: a1 is not empty." in page
        assert "After turn 2, b2" in page
        assert not {"<b>", "\u202e"} & set(re.findall("<b>|\u202e", body(client, HEX, expect=400, turns="<b>\u202e")))

    def test_says_why_there_are_no_turns(self, client, games):
        assert "No rated game on this board has been counted yet" in shown(client, "/openings/squ/8/")
        assert "No rated game reached this position" in shown(client, HEX, turns="a1 b1 c1 d1 a2 b2")
        for path in ("/openings/chess/8/", "/openings/squ/7/"):
            for address in (path, f"/api{path}"):
                body(client, address, expect=404)

    @pytest.mark.database
    def test_has_the_same_numbers_in_the_api(self, client, games):
        start = client.get(f"/api{HEX}").json()
        assert (start["counted"], start["complete"], start["score"]["games"]) == (12, True, 12)
        assert sum(line["score"]["games"] for line in start["next"]) == 12
        line = start["next"][0]
        there = client.get(f"/api{HEX}", {"turns": line["turn"], "band": 1}).json()
        assert there["turns"] == [line["turn"]]
        assert there["score"]["games"] == line["score"]["games"]
        assert there["score"]["wins"] == line["score"]["losses"]
        assert line["newest"] in there["games"]
        for asked, said in (({"turns": "a1 b2 a1"}, "Turn 3, 'a1', cannot be played"), ({"band": 9}, "less than")):
            assert said in body(client, f"/api{HEX}", expect=400, **asked)
