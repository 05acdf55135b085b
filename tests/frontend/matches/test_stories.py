"""The game of the day and the stories on the front page, from rated games."""

import re
from datetime import timedelta

import pytest

from frontend.text.stories import reason, sentence
from ratings.models import RatedGame, Rating
from tests.factories import START, make_event, make_version, play_event, play_match
from tournaments.models import Event, Game, Match, Stories, Version
from tournaments.services.ladders.stories import find_stories

pytestmark = pytest.mark.django_db
LATER = START + timedelta(days=1)


@pytest.fixture(scope="module")
def event(module_db):
    event = make_event([make_version(name) for name in ("<ant>", "bee", "cat")], size=5, cycles=2)
    for minute, match in enumerate(Match.objects.filter(event=event).order_by("round__number", "number")):
        play_match(match, now=START + timedelta(minutes=minute))
    return play_event(event)


def text_of(client, path="/"):
    return " ".join(re.sub(r"<[^>]+>", " ", client.get(path).content.decode()).split())


class TestTheFrontPage:
    def test_says_that_there_are_no_games_yet(self, client, event):
        RatedGame.objects.all().delete()
        for _ in range(2):
            assert "No games yet. Stories appear here after the first rated games." in text_of(client)
            find_stories(START)

    def test_has_the_game_of_the_day_with_its_board_at_the_decisive_turn(self, client, event):
        find_stories(LATER)
        assert "No recent rated game is unusual enough for a story." in text_of(client)
        chosen = Stories.objects.get().of_the_day
        page = client.get("/").content.decode()
        assert "<replay-viewer" in page
        assert f'href="/games/{chosen["game"]}/?turn={chosen["turn"]}">Open the game' in page
        assert "12 Nov 2026" in reason(chosen)
        assert reason(chosen) in page
        assert "<ant>" not in page

    def test_tells_of_an_upset_with_both_ratings_and_links_to_the_decisive_turn(self, client, event):
        game = self.upset(event)
        find_stories(LATER)
        story, = Stories.objects.get().listed
        assert story["kind"] == "upset"
        names = [version.bot.name for version in (game.seat0, game.seat1)]
        winner, loser = (name.replace("<ant>", "&lt;ant&gt;") for name in (names[game.winner], names[1 - game.winner]))
        assert (f"{winner} (1300) won against {loser} (1700). The ratings gave it a chance of 9.1%."
                in text_of(client).replace(" (", " (").replace(" .", "."))
        page = client.get("/").content.decode()
        assert f'href="/games/{game.pk}/?turn={story["turn"]}"' in page
        assert 1 <= story["turn"] <= game.plies

    def test_leaves_out_what_has_become_private(self, client, event):
        self.upset(event)
        find_stories(LATER)
        Event.objects.update(private=True)
        page = text_of(client)
        assert "Game of the day" not in page
        assert "Upset" not in page

    def test_offers_a_game_of_each_ruleset_against_a_bot(self, client, event):
        page = client.get("/").content.decode()
        paths = re.findall(r'href="(/play/ruleset/[^"]+)"', page)
        assert len(paths) == 5
        answer = client.get("/play/ruleset/scware/")
        assert re.fullmatch(r"/play/bot-\d/\?ruleset=scware", answer.url)
        assert client.get(answer.url).status_code == 200
        assert client.get("/play/ruleset/squ/").url.endswith("?ruleset=squ")
        assert client.get("/play/ruleset/chess/").status_code == 404
        Version.objects.update(status="rested")
        assert "No active bot plays SQU." in " ".join(client.get("/play/ruleset/squ/", follow=True).content.decode()
                                                      .split())

    def upset(self, event: Event) -> Game:
        """Make the newest game an upset between established bots."""
        Rating.objects.update(games=100)
        game = Game.objects.filter(event=event, winner__isnull=False).order_by("-pk").first()
        RatedGame.objects.filter(game=game).update(chance=1 / 11, level=1500.0)
        return game


class TestTheBackgroundWork:
    def test_is_done_once_for_the_same_games_of_a_day(self, event):
        assert [find_stories(moment) for moment in (LATER, LATER, LATER + timedelta(days=1))] == [1, 0, 1]

    def test_keeps_the_game_of_a_finished_day_until_the_next_day(self, event):
        find_stories(LATER)
        row = Stories.objects.get()
        assert row.of_the_day["day"] == START.date().isoformat()
        Stories.objects.update(of_the_day={**row.of_the_day, "changes": 99}, newest_game=1)
        find_stories(LATER)
        assert Stories.objects.get().of_the_day["changes"] == 99
        find_stories(LATER + timedelta(days=1))
        assert Stories.objects.get().of_the_day["changes"] != 99


class TestTheWords:
    def test_name_the_bots_of_the_game_as_text(self, event):
        game = Game.objects.filter(winner=0, seat0__bot__name="<ant>").first()
        loser = game.seat1.bot.name
        told = {
            "comeback": ({"behind_at": 7, "counts": [[6, 3]]},
                         (f"<ant> won against {loser}, although it was clearly behind at turn 7. "
                         "Stones to connect: 6–3.")),
            "run": ({"won": True, "games": 8, "over": False, "at_least": True},
                    f"<ant> has won at least 8 games in a row. The last one was against {loser}."),
            "rivalry": ({"games": 20, "score": [11, 9]},
                        f"<ant> and {loser}: 11–9 in the last 20 games that one of them won on the board."),
            "shortest": ({"turns": 9, "games": 40, "usual": 25},
                         (f"<ant> won against {loser} in only 9 turns. Half of the 40 recent wins on this ladder took "
                         "at least 25."))}
        for kind, (facts, words) in told.items():
            html = sentence({"kind": kind, **facts}, game)
            assert "<ant>" not in html
            assert re.sub(r"</?bdi[^>]*>", "", html).replace("&lt;ant&gt;", "<ant>") == words
