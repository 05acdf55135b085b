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
from PIL import Image, ImageSequence

from engines.check import size_up_to
from engines.records.older import shown_document
from engines.rules.registry import RULESETS
from frontend.pictures import gif, kept
from frontend.pictures.film import LAST_MS, MOST_FRAMES, WIDTH, Film, film_of, frames
from frontend.views.matches import sharing
from frontend.views.shared import drawing
from tests.factories import make_event, make_version, play_match, random_record
from tests.frontend.visits import part_of, signed_in
from tournaments.models import Bot, Event, Game, Match

pytestmark = pytest.mark.django_db

NO_TURN = "“{}” must be a whole number from 0 to LAST, the last turn of this game. It is “{}”."


@pytest.fixture(autouse=True)
def _own_cache(settings, monkeypatch):
    """Use a cache of the tests' own, and let a busy machine draw as long as it needs."""
    settings.CACHES = {**settings.CACHES, "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache",
                                                      "LOCATION": "pictures"}}
    monkeypatch.setattr(sharing, "_DRAW_SECONDS", 600.0)
    yield
    cache.clear()


@pytest.fixture(scope="module")
def played(module_db) -> int:
    """The number of a game of twelve turns."""
    event = make_event([make_version("Alder"), make_version("Basalt")], ruleset="squ", size=4)
    return play_match(Match.objects.get(event=event), seed=5).games.get(number=1).pk


@pytest.fixture
def game(played: int) -> Game:
    return Game.objects.select_related("seat0__bot", "seat1__bot").get(pk=played)


def film(game: Game, slug: str, size: int, plies: int) -> Film:
    """Return the film of other turns than those of the game."""
    document = shown_document(random_record(slug, size, ("a", "b"), 1, most_plies=plies).to_dict(), measured=False)
    return film_of(game, document, 0, len(document["turns"]))


def opened(answer: Any) -> Image.Image:
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/gif")
    return Image.open(io.BytesIO(answer.content))


def shown(picture: Image.Image) -> list[tuple[bytes, int]]:
    """Return the pixels of each frame, and how long it is shown."""
    return [(frame.convert("RGB").tobytes(), frame.info["duration"]) for frame in ImageSequence.Iterator(picture)]


def sentence(answer: Any) -> str:
    found = re.search(r'<p dir="auto">(.*?)</p>', answer.content.decode(), re.DOTALL)
    assert found is not None
    return found[1]


class TestAnAnimation:
    @pytest.mark.slow
    def test_shows_a_game_of_each_ruleset(self, game):
        for slug, ruleset in RULESETS.items():
            seen = shown(Image.open(io.BytesIO(gif.gif_of(film(game, slug, size_up_to(ruleset, 6), 4), seconds=600))))
            assert len(seen) == 5, slug
            assert seen[0][0] != seen[-1][0], slug

    @pytest.mark.slow
    def test_shows_a_range_and_the_result_only_at_the_end(self, client, game):
        address, last = reverse("game-gif", args=[game.pk]), game.plies
        whole = shown(opened(client.get(address)))
        assert len(whole) == last + 1
        assert whole[-1][1] == LAST_MS > whole[0][1] > 0
        part = shown(opened(client.get(address, {"from": last - 3, "to": last - 1})))
        assert (len(part), part[-1][1]) == (3, LAST_MS)
        picture = opened(client.get(address, {"from": last}))
        assert (picture.width, picture.n_frames) == (WIDTH, 1)
        assert close(picture, whole[-1][0])
        document = shown_document(game.record, measured=False)
        assert " won<" not in film_of(game, document, 3, last - 1).captions
        assert " won<" in film_of(game, document, 3, last).captions

    def test_leaves_turns_of_a_long_game_out(self):
        for last in (0, 1, MOST_FRAMES - 1, MOST_FRAMES, 200, 361):
            numbers = frames(0, last)
            assert (len(numbers), numbers[0], numbers[-1]) == (min(last + 1, MOST_FRAMES), 0, last)
            steps = {after - before for before, after in pairwise(numbers)}
            assert steps <= {last // (len(numbers) - 1) + more for more in (0, 1)} if last else not steps

    @pytest.mark.slow
    def test_leaves_frames_out_if_it_is_too_large(self, game, monkeypatch):
        planned = film(game, "squ", 4, 6)
        monkeypatch.setattr(gif, "MOST_BYTES", len(gif.gif_of(planned, seconds=600)) // 2)
        small = gif.gif_of(planned, seconds=600)
        assert len(small) <= gif.MOST_BYTES
        assert 1 < Image.open(io.BytesIO(small)).n_frames < 7

    def test_answers_503_if_drawing_takes_too_long(self, client, game, monkeypatch):
        monkeypatch.setattr(sharing, "_DRAW_SECONDS", 0.0)
        answer = client.get(reverse("game-gif", args=[game.pk]))
        assert (answer.status_code, answer.has_header("Retry-After")) == (503, True)


def close(picture: Image.Image, pixels: bytes) -> bool:
    """Whether the frame shows the same, apart from the colours of another palette."""
    other = picture.convert("RGB").tobytes()
    return sum(abs(one - two) for one, two in zip(other[::97], pixels[::97], strict=True)) / len(other[::97]) < 4


class TestARequest:
    def test_with_a_bad_number_is_answered_with_a_sentence(self, client, game):
        for name, query, words in (
                ("game-gif", {"from": "x"}, NO_TURN.format("from", "x")),
                ("game-gif", {"to": "999"}, NO_TURN.format("to", "999")),
                ("game-gif", {"from": "5", "to": "4"},
                 "“from” is turn 5, which is after “to”, turn 4. Swap the two numbers."),
                ("game-png", {"turn": "<b>"}, NO_TURN.format("turn", "&lt;b&gt;")),
                ("game-svg", {"turn": "-1"}, NO_TURN.format("turn", "-1"))):
            address = reverse(name, args=[game.pk])
            answer = client.get(address, query)
            assert (answer.status_code, sentence(answer)) == (400, words.replace("LAST", str(game.plies)))
            assert "no-store" in answer["Cache-Control"]
            assert "Zahl" in sentence(client.get(address, query, headers={"accept-language": "de"}))
        answer = client.get(reverse("game-gif", args=[987654]))
        assert (answer.status_code, sentence(answer)) == (
            404, "There is no finished game 987654. A game has pictures once it has ended.")

    @pytest.mark.slow
    def test_is_answered_from_caches(self, client, game, monkeypatch):
        for name in ("game-gif", "game-png"):
            address = reverse(name, args=[game.pk])
            first = client.get(address)
            assert first["Cache-Control"] == "public, max-age=86400, immutable"
            with monkeypatch.context() as once:
                once.setattr(drawing, "_draw", lambda *_: pytest.fail("it is redrawn"))
                assert client.get(address).content == first.content
                assert client.head(address)["ETag"] == first["ETag"]
            assert not first["ETag"].startswith("W/")
            known = client.get(address, headers={"if-none-match": first["ETag"]})
            assert (known.status_code, known.content, known["ETag"]) == (304, b"", first["ETag"])
            assert client.get(address, headers={"if-none-match": '"other"'}).status_code == 200
        address = reverse("game-gif", args=[game.pk])
        before = client.head(address)["ETag"]
        Bot.objects.filter(pk=game.seat0.bot_id).update(name="Renamed")
        assert client.head(address)["ETag"] != before

    def test_above_the_rate_is_refused_unless_the_picture_is_known(self, client, game, settings, monkeypatch):
        settings.API_RATES = {**settings.API_RATES, "pictures": 2}
        monkeypatch.setattr("tournaments.web.throttling.time", lambda: 1_800_000_000.0)
        address = reverse("game-png", args=[game.pk])
        one, same, other = (client.get(address, {"turn": turn}).content for turn in (1, 1, 3))
        assert one.startswith(b"\x89PNG")
        assert one == same != other
        answer = client.get(address, {"turn": 2})
        assert sentence(answer).startswith("Your address has requested too many new pictures. Try again in ")
        assert int(answer["Retry-After"]) > 0

    def test_of_a_link_has_the_same_places_and_rate(self, client, game, settings, monkeypatch):
        settings.API_RATES = {**settings.API_RATES, "pictures": 2}
        monkeypatch.setattr("tournaments.web.throttling.time", lambda: 1_800_000_000.0)
        stored = []
        monkeypatch.setattr(drawing, "keep", lambda key, picture: (stored.append(key), kept.keep(key, picture)))
        monkeypatch.setattr("frontend.views.site.pictures.png_of", lambda svg, width: svg.encode())
        addresses = [reverse("game-card", args=[game.pk]), reverse("bot-card", args=[game.seat0.bot.slug]),
                     reverse("event-card", args=[game.event.slug]), reverse("site-card")]
        answers = [client.get(address) for address in [addresses[0], *addresses]]
        assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 429]
        assert answers[-1].content.startswith(b"Your address has requested too many new pictures. Try again in ")
        assert int(answers[-1]["Retry-After"]) > 0
        assert len(stored) == len(set(stored)) == 2

    def test_for_a_private_game_is_answered_to_its_readers_only(self, client, game):
        Event.objects.update(private=True)
        address = reverse("game-png", args=[game.pk])
        staff = signed_in("boss", staff=True)
        assert staff.get(address)["Cache-Control"] == "private, max-age=86400, immutable"
        assert client.get(address).status_code == client.get(reverse("game-gif", args=[game.pk])).status_code == 404

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
    def test_links_the_pictures_of_the_shown_turn(self, client: Client, game):
        page = client.get(reverse("game", args=[game.pk]), {"turn": 4}).content.decode()
        share = part_of(page, '<details id="share">', "</details>")
        for text in (f'href="{reverse("game-gif", args=[game.pk])}"',
                     f'href="{reverse("game-png", args=[game.pk])}?turn=4"',
                     f'href="{reverse("game", args=[game.pk])}?turn=4"',
                     f'action="{reverse("game-gif", args=[game.pk])}"',
                     f'id="to-turn" name="to" type="number" min="0" max="{game.plies}" value="{game.plies}"',
                     f"&lt;iframe src=\"http://testserver{reverse('game-embed', args=[game.pk])}\""):
            assert text in share
