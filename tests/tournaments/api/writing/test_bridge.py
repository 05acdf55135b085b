"""An engine behind a bridge plays casual games through the API, with a token."""

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from engines.records.time_control import ClockKind
from engines.referee.questions import Answer
from tests.factories import make_user, make_version
from tests.kit.dialect import write_bridge
from tournaments.kit.bots import CannotPlay
from tournaments.kit.bridge import online
from tournaments.kit.bridge.engine import Engine, EngineFailed
from tournaments.kit.bridge.mapping import read_mapping
from tournaments.kit.bridge.online import Match, play_on_site
from tournaments.kit.bridge.translator import BridgeBot
from tournaments.kit.site import NotFound, Rejected, Site, TooMany, Unreachable
from tournaments.models import Bot, CasualGame, Question
from tournaments.services.accounts.tokens import make_token
from tournaments.services.casual.answers import claim, finish
from tournaments.services.casual.turns import position_of

pytestmark = [pytest.mark.django_db, pytest.mark.serial]


class LocalSite(Site):
    """The site of this process. Its bot plays the last legal cell.

    Every third turn fails after it was served. Before every fourth turn, the site has counted too many requests.
    """

    def __init__(self, client: APIClient) -> None:
        super().__init__("https://bots.example")
        self._client = client
        self._requests = self._turns = 0

    def get(self, path):
        for question in Question.objects.filter(status="received"):
            position, now = position_of(question.casual), timezone.now()
            lease = claim(question_id=question.pk, worker="w", tier="standard", now=now)
            text = position.format((position.steps().next[-1],))
            finish(lease, Answer(text, None, 0.1, 0.2, 0.1, ClockKind.CPU), now)
        return self._answered(self._client.get(path), fails=False)

    def post(self, path, facts):
        is_turn = path.endswith("/turns/")
        self._turns += is_turn
        if is_turn and self._turns % 4 == 0:
            raise TooMany("Request was throttled.")
        return self._answered(self._client.post(path, facts, format="json"), fails=is_turn)

    def _answered(self, answer, *, fails):
        self._requests += fails
        if fails and self._requests % 3 == 0:
            raise Unreachable("the connection was lost")
        if answer.status_code == 404:
            raise NotFound
        if answer.status_code >= 400:
            raise Rejected(answer.json()["detail"])
        return answer.json()


@pytest.fixture
def site(monkeypatch):
    monkeypatch.setattr(online, "SECONDS_BETWEEN_LOOKS", 0)
    client = APIClient()
    _, text = make_token(user=make_user("mia"), name="bridge", now=timezone.now())
    client.credentials(HTTP_AUTHORIZATION=f"Token {text}")
    return LocalSite(client)


@pytest.fixture(autouse=True)
def _otter():
    make_version("Otter")


def play(site, path, against=None, **terms):
    against = against or Bot.objects.get().slug
    match = Match(**{"against": against, "ruleset": "square-grid-hex", "size": 3, "pace": "quick", "games": 1, **terms})
    mapping = read_mapping(path)
    with Engine(mapping) as engine:
        play_on_site(site, BridgeBot(mapping, engine), match)


class TestABridge:
    @pytest.mark.slow
    def test_plays_whole_games_from_either_seat(self, site, tmp_path, capsys):
        play(site, write_bridge(tmp_path), games=2)
        games = {game.seat: game for game in CasualGame.objects.all()}
        assert {game.status for game in games.values()} == {"finished"}
        # The engine plays the first empty cell from the north-west.
        assert [text for text, _ in games[0].turns[::2]][:2] == ["a3", "b3"]
        assert [games[seat].turns[seat][0] for seat in (0, 1)] == ["a3", "a3"]
        out = capsys.readouterr().out
        assert f"game 1, first: https://bots.example/play/games/{games[0].token}/" in out
        assert out.splitlines()[-1].startswith("2 games: ")

    def test_resigns_the_game_if_its_engine_fails(self, site, tmp_path, capsys):
        with pytest.raises(EngineFailed, match="failed at 'x_move': it exited with status 3"):
            play(site, write_bridge(tmp_path, "sys.exit(3)"))
        game = CasualGame.objects.get()
        assert (game.status, game.winner, game.reason) == ("finished", 1, "resignation")
        assert f"resigned https://bots.example/play/games/{game.token}/" in capsys.readouterr().out

    def test_reports_a_bot_that_does_not_exist(self, site, tmp_path):
        with pytest.raises(CannotPlay, match="has no bot 'nobody': give the last word of its page's URL"):
            play(site, write_bridge(tmp_path), against="nobody")
        assert not CasualGame.objects.exists()
