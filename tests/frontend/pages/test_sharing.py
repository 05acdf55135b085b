"""Pictures of games to share: animations and positions."""

import io
import re
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from PIL import Image

from engines.records.older import shown_document
from engines.rules.registry import RULESETS
from frontend.pictures import gif, kept
from frontend.pictures.film import LAST_MS, MOST_FRAMES, WIDTH, film_of, frames
from frontend.views.matches import sharing
from tests.factories import make_event, make_user, make_version, play_match, random_record
from tournaments.models import Event, Game, Match

pytestmark = pytest.mark.django_db

NO_TURN = "“{}” must be a whole number from 0 to LAST, the last turn of this game. It is “{}”."


@pytest.fixture(autouse=True)
def _own_cache(settings):
    settings.CACHES = {**settings.CACHES, "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache",
                                                      "LOCATION": "pictures"}}
    yield
    cache.clear()


@pytest.fixture
def game() -> Game:
    return game_of("squ", 6)


def game_of(ruleset: str, size: int) -> Game:
    event = make_event([make_version("Alder", rulesets=(ruleset,)), make_version("Basalt", rulesets=(ruleset,))],
                       ruleset=ruleset, size=size)
    return play_match(Match.objects.get(event=event), seed=5).games.get(number=1)


def opened(answer: Any) -> Image.Image:
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/gif")
    assert len(answer.content) <= gif.MOST_BYTES
    return Image.open(io.BytesIO(answer.content))


def shown(picture: Image.Image) -> list[tuple[bytes, int]]:
    """Return the pixels of each frame, and how long it is shown."""
    found = []
    for number in range(picture.n_frames):
        picture.seek(number)
        found.append((picture.convert("RGB").tobytes(), picture.info["duration"]))
    return found


def sentence(answer: Any) -> str:
    found = re.search(r'<p dir="auto">(.*?)</p>', answer.content.decode(), re.DOTALL)
    assert found is not None
    return found[1]


class TestAnAnimation:
    @pytest.mark.parametrize("slug", RULESETS)
    def test_shows_a_game_of_each_ruleset(self, client, slug):
        game = game_of(slug, min(size for size in RULESETS[slug].sizes if size >= 6))
        turns = len(frames(0, game.plies))
        seen = shown(opened(client.get(reverse("game-gif", args=[game.pk]))))
        assert len(seen) == min(game.plies + 1, MOST_FRAMES) == turns
        assert seen[0][0] != seen[-1][0]
        assert seen[-1][1] == LAST_MS > seen[0][1] > 0

    def test_shows_a_range_and_the_result_only_at_the_end(self, client, game):
        address, last = reverse("game-gif", args=[game.pk]), game.plies
        whole, part = (shown(opened(client.get(address, query))) for query in ({}, {"from": 3, "to": last - 1}))
        assert len(part) == last - 3
        assert part[-1][1] == LAST_MS
        picture = opened(client.get(address, {"from": last}))
        assert (picture.width, picture.n_frames) == (WIDTH, 1)
        assert close(picture, whole[-1][0])
        document = shown_document(game.record, measured=False)
        assert " won<" not in film_of(game, document, 3, last - 1).captions
        assert " won<" in film_of(game, document, 3, last).captions

    @pytest.mark.parametrize("slug", ["squ", "squaresquared"])
    def test_of_the_longest_game_leaves_turns_out_and_stays_small(self, game, slug):
        record = random_record(slug, max(RULESETS[slug].sizes), ("a", "b"), 1)
        document = shown_document(record.to_dict(), measured=False)
        last = len(document["turns"])
        numbers = frames(0, last)
        assert (len(numbers), numbers[0], numbers[-1]) == (MOST_FRAMES, 0, last)
        assert {after - before for before, after in pairwise(numbers)} <= {
            (last // (MOST_FRAMES - 1)) + more for more in (0, 1)}
        drawn = gif.gif_of(film_of(game, document, 0, last), seconds=60)
        assert len(drawn) <= gif.MOST_BYTES
        assert Image.open(io.BytesIO(drawn)).n_frames == MOST_FRAMES

    def test_leaves_frames_out_if_it_is_too_large(self, game, monkeypatch):
        film = film_of(game, shown_document(game.record), 0, 20)
        monkeypatch.setattr(gif, "MOST_BYTES", len(gif.gif_of(film, seconds=60)) // 3)
        small = gif.gif_of(film, seconds=60)
        assert len(small) <= gif.MOST_BYTES
        assert 1 < Image.open(io.BytesIO(small)).n_frames < 21

    def test_answers_503_if_drawing_takes_too_long(self, client, game, monkeypatch):
        monkeypatch.setattr(sharing, "_DRAW_SECONDS", 0.0)
        answer = client.get(reverse("game-gif", args=[game.pk]))
        assert (answer.status_code, answer.has_header("Retry-After")) == (503, True)


def close(picture: Image.Image, pixels: bytes) -> bool:
    """Whether the frame shows the same, apart from the colours of another palette."""
    other = picture.convert("RGB").tobytes()
    return sum(abs(one - two) for one, two in zip(other, pixels, strict=True)) / len(pixels) < 4


class TestARequest:
    @pytest.mark.parametrize(("name", "query", "said"), [
        ("game-gif", {"from": "x"}, NO_TURN.format("from", "x")),
        ("game-gif", {"to": "-1"}, NO_TURN.format("to", "-1")),
        ("game-gif", {"to": "999"}, NO_TURN.format("to", "999")),
        ("game-gif", {"from": "5", "to": "4"}, "“from” is turn 5, which is after “to”, turn 4. Swap the two numbers."),
        ("game-png", {"turn": "<b>"}, NO_TURN.format("turn", "&lt;b&gt;")),
        ("game-svg", {"turn": "1.5"}, NO_TURN.format("turn", "1.5")),
    ])
    def test_with_a_bad_number_is_answered_with_a_sentence(self, client, game, name, query, said):
        answer = client.get(reverse(name, args=[game.pk]), query)
        assert (answer.status_code, sentence(answer)) == (400, said.replace("LAST", str(game.plies)))
        assert "no-store" in answer["Cache-Control"]
        german = client.get(reverse(name, args=[game.pk]), query, headers={"accept-language": "de"})
        assert "Zahl" in sentence(german)

    def test_for_a_game_that_has_not_ended_is_told_to_wait(self, client):
        answer = client.get(reverse("game-gif", args=[987654]))
        assert (answer.status_code, sentence(answer)) == (
            404, "There is no finished game 987654. A game has pictures once it has ended.")

    @pytest.mark.parametrize("name", ["game-gif", "game-png"])
    def test_is_answered_from_caches(self, client, game, name, monkeypatch):
        address = reverse(name, args=[game.pk])
        first = client.get(address)
        assert first["Cache-Control"] == "public, max-age=86400, immutable"
        monkeypatch.setattr(sharing, "_draw", lambda *_: pytest.fail("it is redrawn"))
        assert client.get(address).content == first.content
        assert client.head(address)["ETag"] == first["ETag"]
        assert not first["ETag"].startswith("W/")
        known = client.get(address, headers={"if-none-match": first["ETag"]})
        assert (known.status_code, known.content, known["ETag"]) == (304, b"", first["ETag"])
        assert client.get(address, headers={"if-none-match": '"other"'}).status_code == 200
        game.seat0.bot.name = "Renamed"
        game.seat0.bot.save()
        if name == "game-gif":
            monkeypatch.undo()
            assert client.get(address)["ETag"] != first["ETag"]

    def test_above_the_rate_is_refused_unless_the_picture_is_known(self, client, game, settings):
        settings.API_RATES = {**settings.API_RATES, "pictures": 1}
        address = reverse("game-png", args=[game.pk])
        assert [client.get(address, {"turn": turn}).status_code for turn in (1, 1, 2)] == [200, 200, 429]
        answer = client.get(address, {"turn": 2})
        assert sentence(answer).startswith("Your address has requested too many new pictures. Try again in ")
        assert int(answer["Retry-After"]) > 0

    def test_for_a_private_game_is_answered_to_its_readers_only(self, client, game):
        Event.objects.update(private=True)
        staff = Client()
        staff.force_login(make_user("boss", staff=True))
        for name in ("game-gif", "game-png"):
            address = reverse(name, args=[game.pk])
            assert staff.get(address)["Cache-Control"] == "private, max-age=86400, immutable"
            assert client.get(address).status_code == 404

    def test_takes_a_bounded_part_of_the_cache(self):
        dice = Random(1)
        keys = [f"{dice.getrandbits(256):064x}" for _ in range(4 * kept.SLOTS)]
        for key in keys:
            kept.keep(key, key.encode())
        known = [key for key in keys if kept.kept(key) is not None]
        assert 0 < len(known) <= kept.SLOTS
        assert all(kept.kept(key) == key.encode() for key in known)
        kept.keep("0" * 64, b"x" * (kept.MOST_BYTES + 1))
        assert kept.kept("0" * 64) is None


class TestTheGamesPage:
    def test_links_the_pictures_of_the_shown_turn(self, client, game):
        body = client.get(reverse("game", args=[game.pk]), {"turn": 4}).content.decode()
        share = body[body.index('<details id="share">'):]
        share = share[:share.index("</details>")]
        assert f'href="{reverse("game-gif", args=[game.pk])}"' in share
        assert f'href="{reverse("game-png", args=[game.pk])}?turn=4"' in share
        assert f'href="{reverse("game", args=[game.pk])}?turn=4"' in share
        assert f'action="{reverse("game-gif", args=[game.pk])}"' in share
        assert f'id="to-turn" name="to" type="number" min="0" max="{game.plies}" value="{game.plies}"' in share
        assert f"&lt;iframe src=\"http://testserver{reverse('game-embed', args=[game.pk])}\"" in share
