"""Shared pages: rendered once for all signed-out readers, but never for signed-in ones."""

import gzip
import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from django.core.cache import caches
from django.db import OperationalError, connection
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from frontend.web import shared_pages
from frontend.web.shared_pages import SharedPagesMiddleware
from tests.factories import make_event, make_version, play_event
from tests.frontend.visits import signed_in
from tests.waiting import PATIENCE_SECONDS, wait_for
from tournaments.models import Event
from tournaments.services.ladders.ladders import create_ladder

pytestmark = pytest.mark.django_db
NONCE = re.compile(r'nonce="([^"]+)"')


class Clock:
    """The clock by which pages grow old."""

    now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def clock(settings, monkeypatch) -> Iterator[Clock]:
    """Share pages for two seconds of a clock that only tests move, and let readers wait as long as necessary."""
    clock = Clock()
    monkeypatch.setattr(shared_pages, "time", clock)
    monkeypatch.setattr(shared_pages, "PATIENCE_SECONDS", PATIENCE_SECONDS)
    settings.SHARED_PAGE_SECONDS = 2
    # Parts of pages are cached as long, and rolled-back tests reuse ids, so they need a cache of their own.
    settings.CACHES = {**settings.CACHES, "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache",
                                                      "LOCATION": "parts of shared pages"}}
    _clear_cache()
    yield clock
    _clear_cache()


def _clear_cache() -> None:
    for cache in caches.all():
        cache.clear()


@pytest.fixture(scope="module")
def event(module_db) -> Event:
    """A finished event; its ladder is the only one."""
    return play_event(make_event([make_version(name) for name in ("ant", "bee")], ruleset="square-grid-hex", size=3))


class TestAPage:
    def test_is_rendered_once_for_all_signed_out_readers_until_it_is_old(
            self, client, event, clock, django_assert_num_queries):
        first = client.get("/ladders/")
        clock.now += 1.9
        with django_assert_num_queries(0):
            second = Client().get("/ladders/")
        assert (second.status_code, second.content) == (200, first.content)
        nonces = set(NONCE.findall(second.content.decode()))
        assert len(nonces) == 1
        assert f"'nonce-{nonces.pop()}'" in second["Content-Security-Policy"]
        create_ladder(ruleset="scware", size=9, base_seconds=5.0)
        clock.now += 0.2
        assert "Scware 9×9" in client.get("/ladders/").content.decode()

    def test_is_rendered_separately_by_language_host_and_compression(self, client, event, settings):
        settings.ALLOWED_HOSTS = ["*"]
        kinds = [{}, {"accept-language": "de"}, {"host": "other.example"}, {"accept-encoding": "gzip"}]
        for _ in range(2):
            english, german, elsewhere, compressed = (client.get("/bots/", headers=headers) for headers in kinds)
            assert 'lang="en"' in english.content.decode()
            assert 'lang="de"' in german.content.decode()
            assert english.content != elsewhere.content
            assert 'lang="en"' in gzip.decompress(compressed.content).decode()
            assert (compressed["Content-Encoding"], english.has_header("Content-Encoding")) == ("gzip", False)

    def test_is_counted_by_its_name_even_from_the_cache(self, client, event):
        assert [client.get("/ladders/").wsgi_request.resolver_match is None for _ in range(2)] == [False, True]
        staff = signed_in("organiser", staff=True)
        assert 'squarefield_request_seconds_count{method="GET",status="2xx",view="ladders"}' in (
            staff.get("/metrics").content.decode())

    def test_with_an_etag_is_sent_only_to_readers_without_it(self, client, event, django_assert_num_queries):
        path = f"/events/{event.slug}/live/"
        tag = client.get(path)["ETag"]
        with django_assert_num_queries(0):
            assert Client().get(path, headers={"if-none-match": tag}).status_code == 304
            assert Client().get(path, headers={"if-none-match": '"another"'}).status_code == 200
        _clear_cache()
        # The reader who already has the page may be the one it is rendered for.
        assert client.get(path, headers={"if-none-match": tag}).status_code == 304
        with django_assert_num_queries(0):
            assert Client().get(path).status_code == 200

    def test_may_be_framed_from_the_cache_if_it_may_when_rendered(self, client, event):
        game = event.matches.first().games.first()
        for _ in range(2):
            answer = client.get(f"/games/{game.pk}/embed/")
            assert not answer.has_header("X-Frame-Options")
            assert "frame-ancestors *" in answer["Content-Security-Policy"]


class TestPersonalPages:
    def test_are_not_shared(self, client, event):
        mia = signed_in("mia")
        assert "mia" in mia.get("/ladders/").content.decode()
        assert "mia" not in client.get("/ladders/").content.decode()
        assert "mia" in mia.get("/ladders/").content.decode()

    def test_include_pages_with_a_csrf_token(self):
        assert len({Client().get("/account/login/").cookies["csrftoken"].value for _ in range(3)}) == 3

    def test_include_pages_that_set_a_cookie(self, rf):
        drawn = []

        def draw(request: HttpRequest) -> HttpResponse:
            drawn.append(request)
            answer = HttpResponse("yours")
            answer.set_cookie("visitor", str(len(drawn)))
            return answer

        middleware = SharedPagesMiddleware(draw)
        assert [middleware(asked(rf)).cookies["visitor"].value for _ in range(3)] == ["1", "2", "3"]

    def test_include_errors_and_pages_marked_private(self, rf):
        for number, view in enumerate((numbered(status=404), numbered(**{"Cache-Control": "private"}),
                                       numbered(**{"Cache-Control": "no-store"}))):
            middleware = SharedPagesMiddleware(view)
            assert [middleware(asked(rf, f"/{number}/")).content for _ in range(2)] == [b"1", b"2"]

    def test_include_pages_rendered_for_a_reader_with_a_csrf_cookie(self, rf):
        middleware = SharedPagesMiddleware(numbered())
        request = asked(rf)
        request.COOKIES["csrftoken"] = "theirs"
        assert middleware(request).content == b"1"
        assert middleware(asked(rf)).content == b"2"
        # The page is shared, and this reader also gets it once it is rendered for another one.
        assert middleware(asked(rf)).content == b"2"
        assert middleware(request).content == b"2"

    def test_include_pages_requested_with_a_personal_cookie(self, rf):
        middleware = SharedPagesMiddleware(numbered())
        middleware(asked(rf))
        for number, cookie in enumerate(("sessionid", "visitor", "messages"), start=2):
            request = asked(rf)
            request.COOKIES[cookie] = "theirs"
            assert middleware(request).content == str(number).encode()
            assert middleware(asked(rf)).content == b"1"


def numbered(*, status: int = 200, **headers: str) -> Callable[[HttpRequest], HttpResponse]:
    """Return a view that responds with the number of its calls."""
    asked_for = 0

    def view(request: HttpRequest) -> HttpResponse:
        nonlocal asked_for
        asked_for += 1
        return HttpResponse(str(asked_for), status=status, headers=headers)

    return view


def asked(rf: RequestFactory, path: str = "/page/") -> HttpRequest:
    request = rf.get(path)
    request.csp_nonce = "by lot"
    return request


class Rendering:
    """A view that renders when `go` is set."""

    def __init__(self, status: int = 200) -> None:
        self.go = threading.Event()
        self.times, self.status = 0, status

    def __call__(self, request: HttpRequest) -> HttpResponse:
        self.times += 1
        assert self.go.wait(PATIENCE_SECONDS)
        return HttpResponse(str(self.times), status=self.status)


@contextmanager
def crowd(middleware: SharedPagesMiddleware, view: Rendering, rf: RequestFactory, *,
          waiting: int) -> Iterator[list[Future]]:
    """Yield the responses of a reader for whom a page is being rendered, and of `waiting` more who wait for it."""
    with ThreadPoolExecutor(waiting + 1) as pool:
        answers = [pool.submit(middleware, asked(rf)) for _ in range(waiting + 1)]
        try:
            wait_for(lambda: middleware._waiting == waiting, f"{waiting} readers wait for the page")
            yield answers
        finally:
            view.go.set()


class TestConcurrentReaders:
    def test_wait_for_one_rendering(self, rf):
        view = Rendering()
        with crowd(SharedPagesMiddleware(view), view, rf, waiting=5) as answers:
            view.go.set()
            assert ({answer.result().content for answer in answers}, view.times) == ({b"1"}, 1)

    def test_get_the_last_page_while_it_is_rerendered(self, rf, clock):
        view = Rendering()
        view.go.set()
        middleware = SharedPagesMiddleware(view)
        middleware(asked(rf))
        view.go.clear()
        clock.now += 3
        with crowd(middleware, view, rf, waiting=0) as (first,):
            wait_for(lambda: view.times == 2, "the page is rendered again")
            assert middleware(asked(rf)).content == b"1"
            view.go.set()
            assert (first.result().content, middleware(asked(rf)).content) == (b"2", b"2")

    def test_are_refused_when_too_many_wait(self, rf, monkeypatch):
        monkeypatch.setattr(shared_pages, "STANDING_BY", 2)
        view = Rendering()
        middleware = SharedPagesMiddleware(view)
        with crowd(middleware, view, rf, waiting=2) as answers:
            refused = middleware(asked(rf))
            view.go.set()
            assert (refused.status_code, {answer.result().status_code for answer in answers}) == (503, {200})
        assert int(refused["Retry-After"]) > 0

    def test_render_for_themselves_if_the_page_is_personal(self, rf):
        view = Rendering(status=404)
        with crowd(SharedPagesMiddleware(view), view, rf, waiting=3) as answers:
            view.go.set()
            assert {answer.result().status_code for answer in answers} == {404}
        assert view.times == 4

    def test_do_not_wait_for_a_failed_rendering(self, rf):
        def fail(request: HttpRequest) -> HttpResponse:
            raise RuntimeError("rendering failed")

        middleware = SharedPagesMiddleware(fail)
        for _ in range(2):
            with pytest.raises(RuntimeError):
                middleware(asked(rf))


class TestASiteThatCannotRender:
    def test_shows_old_pages_for_a_minute_and_then_an_error(self, client, event, clock, monkeypatch):
        before = client.get("/ladders/")

        def refuse(*_: object) -> None:
            raise OperationalError("away")

        monkeypatch.setattr(connection, "cursor", refuse)
        clock.now += 59
        shown = client.get("/ladders/")
        assert (shown.status_code, shown.content) == (200, before.content)
        clock.now += 1
        assert client.get("/ladders/").status_code == 503
