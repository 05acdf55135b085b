"""The pages without a browser: contents, number of queries, escaping."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from ratings.models import Rating
from tests.factories import make_event, make_version, play_event, play_match, spoil_match
from tournaments.models import Game, Match
from tournaments.services.events import events

pytestmark = pytest.mark.django_db

HOSTILE = '<img src=x onerror=alert("1")>'


@pytest.fixture
def event():
    """Return an event with three bots, two of which have met."""
    return play_event(make_event([make_version(name) for name in ("Alder", "Basalt", "Cinder")]), matches_to_play=1)


def _addresses(event):
    game = Game.objects.first()
    return [
        reverse("home"), reverse("home-live"), reverse("ladders"), reverse("ladder", args=[event.ladder.slug]),
        reverse("events"), reverse("event", args=[event.slug]), reverse("event-live", args=[event.slug]),
        reverse("bots"), reverse("bot", args=[game.seat0.bot.slug]), reverse("games"), reverse("game", args=[game.pk]),
        reverse("game-json", args=[game.pk]), reverse("game-text", args=[game.pk]), reverse("game-svg", args=[game.pk]),
    ]


def _body(client, address):
    response = client.get(address)
    assert response.status_code == 200, address
    return response.content.decode()


class TestAnOpening:
    def test_is_shown_with_the_game_and_mentioned_on_the_event_page(self, client):
        event = play_event(make_event([make_version(name) for name in ("Alder", "Basalt")], openings=True))
        game = Game.objects.order_by("pk")[0]
        given = game.match.opening
        assert f"opening: {' '.join(given)}" in _body(client, reverse("game", args=[game.pk]))
        assert f"opening: {' '.join(given)} (random" in _body(client, reverse("game-text", args=[game.pk]))
        assert "random openings" in _body(client, reverse("event", args=[event.slug]))


class TestEveryPage:
    def test_renders_on_an_empty_site(self, client):
        for name in ("home", "home-live", "ladders", "events", "bots", "games"):
            assert "{{" not in _body(client, reverse(name))

    def test_renders_after_games_were_played(self, client, event):
        for address in _addresses(event):
            _body(client, address)

    def test_has_a_policy_that_allows_only_its_own_inline_scripts(self, client, event):
        for address in _addresses(event):
            policy = client.get(address)["Content-Security-Policy"]
            assert policy.startswith("default-src 'none'")
            assert "unsafe-eval" not in policy
            assert "script-src 'self' 'unsafe-inline'" not in policy

    def test_has_a_new_nonce_every_time(self, client):
        nonces = {re.search(r"nonce-([\w-]+)", client.get("/")["Content-Security-Policy"])[1] for _ in range(3)}
        assert len(nonces) == 3

    def test_escapes_names_wherever_they_appear(self, client):
        bots = [make_version(HOSTILE, owner="<b>owner</b>"), make_version("Basalt")]
        event = play_event(make_event(bots, name="<u>Cup</u>"))
        for address in _addresses(event):
            if not address.endswith(("json", "txt", "svg")):
                body = _body(client, address)
                assert not [tag for tag in ("<img src=x", "<b>owner", "<u>Cup") if tag in body], address

    def test_takes_as_many_queries_for_many_bots_as_for_few(self, client, django_assert_max_num_queries):
        few = make_event([make_version(f"few {n}") for n in range(3)], name="Few")
        play_event(few, matches_to_play=3)
        many = make_event([make_version(f"many {n}") for n in range(9)], name="Many", size=7)
        play_event(many, matches_to_play=30)
        for address in ("home", "ladders", "events", "bots", "games"):
            with django_assert_max_num_queries(15):
                client.get(reverse(address))
        for event in (few, many):
            with django_assert_max_num_queries(15):
                client.get(reverse("ladder", args=[event.ladder.slug]))
            with django_assert_max_num_queries(17):
                client.get(reverse("event", args=[event.slug]))
            with django_assert_max_num_queries(26):
                client.get(reverse("bot", args=[event.entries.first().bot.slug]))

    @pytest.mark.parametrize(
        "address", ["/games/999999/", "/bots/nobody/", "/events/never/", "/ladders/none/", "/nothing"])
    def test_that_does_not_exist_shows_the_sites_own_error_page(self, client, address):
        response = client.get(address)
        assert response.status_code == 404
        assert "Page not found" in response.content.decode()

    def test_that_fails_shows_no_details(self, settings, monkeypatch):
        def broken(*args):
            raise RuntimeError("the secret")

        monkeypatch.setattr("tournaments.selectors.bots.bots.bots", broken)
        response = Client(raise_request_exception=False).get(reverse("bots"))
        assert response.status_code == 500
        body = response.content.decode()
        assert "Something went wrong on our side" in body
        assert "secret" not in body


class TestLadderPage:
    def test_lists_ratings_with_intervals_and_marks_provisional_ones(self, client, event):
        play_event(event)
        body = _body(client, reverse("ladder", args=[event.ladder.slug]))
        for rating in Rating.objects.filter(ladder=event.ladder):
            assert f"{rating.value:.0f}" in body
            assert f"± {rating.plus_minus:.0f}" in body
        assert body.count("provisional</span>") == 3


class TestEventPage:
    def test_links_each_cell_of_the_crosstable_to_its_games(self, client, event):
        body = _body(client, reverse("event", args=[event.slug]))
        links = re.findall(r'<a class="cell [^>]*href="([^"]*)"', body)
        assert len(links) == 2
        assert _body(client, links[0].replace("&amp;", "&")).count('class="game-line"') == 2

    def test_shows_the_requested_round_or_else_the_current_one(self, client, event):
        address = reverse("event", args=[event.slug])
        assert "Round 2 <small" in _body(client, address)
        assert "Round 3 <small" in _body(client, f"{address}?round=3")
        assert "Round 2 <small" in _body(client, f"{address}?round=junk")

    def test_says_why_attempts_are_void(self, client, event):
        spoil_match(Match.objects.filter(status="queued").first(), "the host <b>lost</b> power\x1b[2J")
        body = _body(client, reverse("event", args=[event.slug]))
        assert "the host &lt;b&gt;lost&lt;/b&gt; power⟨U+001B⟩[2J" in body

    def test_stops_polling_when_the_event_is_over(self, client, event):
        address = reverse("event", args=[event.slug])
        assert "data-live" in _body(client, address)
        play_event(event)
        body = _body(client, address)
        assert "data-live" not in body
        assert "Finished" in body

    def test_renders_before_the_start(self, client):
        event = make_event([make_version("Alder"), make_version("Basalt")], started=False)
        assert "Scheduled" in _body(client, reverse("event", args=[event.slug]))


class TestLivePart:
    def test_is_empty_if_unchanged_and_complete_otherwise(self, client, event):
        address = reverse("event-live", args=[event.slug])
        etag = client.get(address)["ETag"]
        unchanged = client.get(address, HTTP_IF_NONE_MATCH=etag)
        assert (unchanged.status_code, unchanged.content) == (304, b"")
        play_match(Match.objects.filter(status="queued").first())
        assert client.get(address, HTTP_IF_NONE_MATCH=etag).status_code == 200

    def test_changes_if_only_the_status_changes(self, client, event):
        address = reverse("event-live", args=[event.slug])
        etag = client.get(address)["ETag"]
        events.pause_event(event=event, now=event.started_at)
        assert client.get(address, HTTP_IF_NONE_MATCH=etag).status_code == 200

    def test_takes_three_queries_if_unchanged(self, client, event, django_assert_num_queries):
        address = reverse("event-live", args=[event.slug])
        etag = client.get(address)["ETag"]
        # The event, the matches that wait, and the workers, which come and go without a change of the event.
        with django_assert_num_queries(3):
            client.get(address, HTTP_IF_NONE_MATCH=etag)

    def test_has_the_same_etag_as_its_page(self, client, event):
        etag = client.get(reverse("event-live", args=[event.slug]))["ETag"]
        assert f"data-etag={etag}" in _body(client, reverse("event", args=[event.slug]))


class TestGameList:
    def test_lists_each_game_once_over_all_its_pages(self, client):
        play_event(make_event([make_version(f"bot {n}") for n in range(7)], cycles=1))
        seen, address = [], reverse("games")
        while address:
            body = _body(client, address)
            seen += re.findall(r'href="/games/(\d+)/"', body)
            older = re.search(r'href="(\?[^"]*before=\d+)"', body)
            address = reverse("games") + older[1].replace("&amp;", "&") if older else None
        assert [int(pk) for pk in seen] == list(Game.objects.order_by("-id").values_list("id", flat=True))
        assert len(seen) == 42

    @pytest.mark.parametrize("before", ["0", "-1", "x", "9" * 40, "1' OR 1=1"])
    def test_accepts_any_cursor(self, client, before):
        assert client.get(reverse("games"), {"before": before}).status_code == 200


class TestGamePage:
    @pytest.mark.parametrize("asked", ["0", "1", "3", "999999", "", "-1", "x", "٣"])
    def test_draws_any_requested_turn(self, client, event, asked):
        game = Game.objects.first()
        body = _body(client, f"{reverse('game', args=[game.pk])}?turn={asked}")
        shown = min(int(asked), game.plies) if asked.isascii() and asked.isdigit() else game.plies
        assert f"{shown} / {game.plies}</output>" in body

    def test_links_to_every_turn(self, client, event):
        game = Game.objects.first()
        body = _body(client, reverse("game", args=[game.pk]))
        linked = {int(turn) for turn in re.findall(r'href="\?turn=(\d+)"', body)}
        assert set(range(game.plies + 1)) <= linked

    def test_shows_control_characters_in_a_bots_output(self, client):
        event = make_event([make_version("Alder"), make_version("Basalt")])
        line = f"\x1b[2J\u202e</script><script>alert(1)</script>{HOSTILE}\x00"
        match = play_match(Match.objects.get(event=event), fault_after=2, fault_line=line)
        game = match.games.get(number=1)
        body = _body(client, reverse("game", args=[game.pk]))
        assert "⟨U+001B⟩[2J⟨U+202E⟩&lt;/script&gt;&lt;script&gt;" in body
        assert "<script>alert" not in body
        assert "<img src=x" not in body
        assert not set("\x1b\x00\u202e") & set(body)
        assert not set("\x1b\x00\u202e") & set(_body(client, reverse("game-text", args=[game.pk])))

    def test_renders_if_a_bot_failed_before_the_first_turn(self, client):
        event = make_event([make_version("Alder"), make_version("Basalt")])
        game = play_match(Match.objects.get(event=event), fault_after=0).games.get(number=1)
        assert "0 / 0</output>" in _body(client, reverse("game", args=[game.pk]))
        _body(client, reverse("game-text", args=[game.pk]))
        _body(client, f"{reverse('game-svg', args=[game.pk])}?thumb")

    def test_offers_the_stored_record(self, client, event):
        game = Game.objects.first()
        assert client.get(reverse("game-json", args=[game.pk])).json() == game.record


class TestBotPage:
    def test_counts_faults_by_kind_and_shows_the_record_by_seat(self, client):
        event = make_event([make_version("Alder"), make_version("Basalt")])
        match = play_match(Match.objects.get(event=event), fault_after=2)
        loser = match.games.get(number=1).seat0.bot
        body = _body(client, reverse("bot", args=[loser.slug]))
        assert re.search(r"<span>protocol error</span>\s*<strong>1</strong>", body)
        assert "0–0–1" in body
