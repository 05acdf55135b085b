"""Watching in Chromium: a game in progress, and the embedded board."""

import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from playwright.sync_api import expect

from tests.factories import START, make_event, make_version, play_match
from tournaments.models import Match
from tournaments.models.leased import FULL_TIER
from tournaments.selectors.matches.live_turns import GameKey, LiveTurn, live_turns
from tournaments.services.matches import matches

pytestmark = [pytest.mark.browser, pytest.mark.serial, pytest.mark.slow,
              pytest.mark.django_db(transaction=True)]

@pytest.fixture
def at_play(redis_url):
    """A match in progress, with some turns of its first game."""
    event = make_event([make_version("Alder"), make_version("<b>Basalt</b>")], ruleset="squ", size=6)
    match = Match.objects.get(event=event)
    lease = matches.claim(match_id=match.pk, worker="test:1", tier=FULL_TIER, now=START)
    live_turns()._next_try = 0.0
    key = GameKey(match.pk, lease.attempt.number, 1)
    live_turns().append(key, [LiveTurn("a1", 0.5), LiveTurn("b2,c3", 1.25), LiveTurn("a2,b1", 0.1)], anew=True)
    yield match, key, lease
    live_turns().remove([key])


class TestAGame:
    def test_shows_new_turns_as_the_server_does_and_restarts_with_a_new_attempt(self, look, at_play):
        match, key, lease = at_play
        page = look.at(f"/matches/{match.pk}/1/")
        count = page.locator("[data-count]")
        expect(count).to_have_text("3 / 3")
        live_turns().append(key, [LiveTurn("d4,d5", 2.5), LiveTurn("f6,f5", 0.3)], anew=False)
        expect(count).to_have_text("5 / 5")
        shown = """root => [root.querySelector('.stones').innerHTML, root.querySelector('[data-text]').textContent,
            [...root.querySelectorAll('.turns a[data-turn]')].map(
                a => [a.getAttribute('href'), a.textContent.replace(/\\s/g, ''), a.className]),
            [...root.querySelectorAll('.turns li')].map(li => [...li.children].map(part => part.tagName).join()),
            [...root.querySelectorAll('[data-bar]')].map(i => [i.dataset.bar, i.className.trim(),
                                                               Number(i.style.getPropertyValue('--t'))]),
            [...root.querySelectorAll('.lead a')].map(a => a.getAttribute('href')),
            root.querySelector('.lead .now').getAttribute('x'),
            root.querySelector('.lead .s0').getAttribute('d'), root.querySelector('[data-slider]').max,
            root.querySelector('[data-caption]').textContent]"""
        assert page.evaluate(f"() => ({shown})(document)") == page.evaluate(
            f"async () => ({shown})(new DOMParser().parseFromString("
            # Its styles carry another page's nonce.
            "(await (await fetch('')).text()).replace(/<style[^]*?<\\/style>/g, ''), 'text/html'))")
        page.get_by_role("link", name="First turn").click()
        live_turns().append(key, [LiveTurn("e1,e2", 0.2)], anew=False)
        expect(count).to_have_text("0 / 6")
        matches.void(lease, "the host lost power", START)
        match.refresh_from_db()
        matches.claim(match_id=match.pk, worker="test:2", tier=FULL_TIER, now=match.due_at)
        live_turns().append(key._replace(attempt=2), [LiveTurn("c3", 0.2)], anew=True)
        expect(count).to_have_text("0 / 1")
        expect(page.locator(".turns a[data-turn]")).to_have_count(1)

    def test_stays_at_an_earlier_turn_when_the_game_ends(self, look, at_play):
        match, _, lease = at_play
        page = look.at(f"/matches/{match.pk}/1/?turn=1")
        expect(page.locator("[data-count]")).to_have_text("1 / 3")
        # In one step: between two attempts, the page would show the start position.
        play_match(match, lease=lease)
        page.wait_for_url(re.compile(r"/games/\d+/\?turn=1$"))

    def test_can_be_followed_without_scripts(self, look, at_play):
        match, key, _ = at_play
        page = look.at(f"/matches/{match.pk}/1/", java_script_enabled=False)
        expect(page.locator("[data-count]")).to_have_text("3 / 3")
        live_turns().append(key, [LiveTurn("d4,d5", 2.5)], anew=False)
        page.get_by_role("link", name="Check for new turns").click()
        expect(page.locator("[data-count]")).to_have_text("4 / 4")


class TestWatchPage:
    def test_updates_its_boards_and_links_to_the_game(self, look, at_play):
        match, key, _ = at_play
        page = look.at("/watch/")
        board = page.locator(f"#board-{match.pk}")
        expect(board).to_contain_text("turn 3")
        live_turns().append(key, [LiveTurn("d4,d5", 2.5)], anew=False)
        expect(board).to_contain_text("turn 4")
        board.get_by_role("link").click()
        page.wait_for_url(f"**/matches/{match.pk}/1/")


class _Framing(BaseHTTPRequestHandler):
    """A page on another origin that frames the address in its query."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        address = self.path.partition("?")[2]
        self.wfile.write(f"<!doctype html><title>x</title><link rel=icon href=data:,>"
                         f"<iframe src='{address}' width=480 height=640></iframe>".encode())

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@pytest.fixture
def elsewhere() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), _Framing)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


class TestEmbed:
    @pytest.fixture
    def game(self):
        event = make_event([make_version("Alder"), make_version("Basalt")], ruleset="scware", size=6)
        return play_match(Match.objects.get(event=event), seed=11).games.first()

    def test_steps_in_a_frame_on_another_site(self, look, live_server, elsewhere, game):
        page = look.at(f"{elsewhere}?{live_server.url}/games/{game.pk}/embed/?turn=1")
        frame = page.frame_locator("iframe")
        expect(frame.locator("[data-count]")).to_have_text(f"1 / {game.plies}")
        frame.get_by_role("link", name="Next turn").click()
        expect(frame.locator("[data-count]")).to_have_text(f"2 / {game.plies}")

    def test_autoplays_on_request_but_not_with_reduced_motion(self, look, game):
        # `look` asks for reduced motion by default.
        page = look.at(f"/games/{game.pk}/embed/?turn=0&autoplay=1")
        page.wait_for_function("customElements.get('replay-viewer') !== undefined")
        assert page.locator(".playing").count() == 0
        page.emulate_media(reduced_motion="no-preference")
        page.reload()
        expect(page.locator("[data-count]")).to_have_text(re.compile(r"^[1-9]\d* /"))
