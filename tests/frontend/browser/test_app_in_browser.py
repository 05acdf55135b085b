"""The site as an app in Chromium: the service worker, the page without a network, and push messages."""

import json
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.factories import make_user
from tests.frontend.browser.looking import THEMES, check_page, sign_in
from tests.waiting import wait_for
from tournaments.models import PushSubscription
from tournaments.platform.messaging import web_push

pytestmark = [pytest.mark.browser, pytest.mark.serial, pytest.mark.slow,
              pytest.mark.django_db(transaction=True)]
# A browser without Google's services cannot subscribe: a subscription with real keys takes its place.
SUBSCRIBE = """
const raw = (text) => atob(text.replaceAll("-", "+").replaceAll("_", "/"));
const bytes = (text) => Uint8Array.from(raw(text), (each) => each.charCodeAt(0));
const keys = { p256dh: bytes("%(p256dh)s").buffer, auth: bytes("%(auth)s").buffer };
PushManager.prototype.subscribe = async (options) => {
  if (options.applicationServerKey.length !== 65) throw new Error("not a key");
  return { endpoint: "https://push.example/made-up", getKey: (name) => keys[name] };
};
"""


def worker_is_ready(page: Page) -> str:
    return page.evaluate("navigator.serviceWorker.ready.then((found) => found.active.scriptURL)")


class TestTheServiceWorker:
    def test_shows_a_page_of_its_own_without_a_network_and_the_site_with_one(self, look: Any) -> None:
        page = look.at("/")
        assert worker_is_ready(page).endswith("/sw.js")
        page.wait_for_function("navigator.serviceWorker.controller !== null")
        page.context.set_offline(True)
        page.goto("/bots/")
        expect(page.get_by_role("heading", name="No network")).to_be_visible()
        for theme in THEMES:
            page.emulate_media(color_scheme=theme)
            assert Axe().run(page).response["violations"] == []
        page.context.set_offline(False)
        # The browser reports the request that had no network.
        assert [text.rpartition("net::")[2] for text in look.complaints] == ["ERR_INTERNET_DISCONNECTED"]
        look.complaints.clear()
        page.get_by_role("link", name="Reload").click()
        expect(page.get_by_role("heading", name="Bots", exact=True)).to_be_visible()
        assert page.evaluate("caches.keys().then((names) => Promise.all(names.map((name) => caches.open(name).then("
                             "(cache) => cache.keys()).then((found) => found.map((each) => new URL(each.url).pathname"
                             ")))))") == [["/offline/"]]

    def test_shows_a_push_message_with_its_link(self, look: Any, live_server: Any) -> None:
        page = look.at("/")
        page.context.grant_permissions(["notifications"])
        found: dict[str, Any] = {}
        devtools = page.context.new_cdp_session(page)
        devtools.on("ServiceWorker.workerRegistrationUpdated",
                    lambda event: found.update({each["scopeURL"]: each for each in event["registrations"]}))
        devtools.send("ServiceWorker.enable")
        worker_is_ready(page)
        # Playwright delivers events only while it waits.
        wait_for(lambda: page.wait_for_timeout(20) or f"{live_server.url}/" in found, "the registration of the worker")
        said = {"title": "Alder", "body": "Alder is now first on Squ.", "link": "/ladders/squ/", "tag": "notice-1"}
        devtools.send("ServiceWorker.deliverPushMessage", {
            "origin": live_server.url, "registrationId": found[f"{live_server.url}/"]["registrationId"],
            "data": json.dumps(said)})
        shown = """async () => (await (await navigator.serviceWorker.ready).getNotifications()).map(
            (each) => [each.title, each.body, each.data, each.tag])"""
        assert wait_for(lambda: page.evaluate(shown), "the notification") == [
            ["Alder", "Alder is now first on Squ.", "/ladders/squ/", "notice-1"]]


class TestThePageForFollowing:
    def test_adds_this_browser_only_when_asked_to(self, look: Any, settings: Any) -> None:
        settings.PUSH_KEY = web_push.make_key()
        point = web_push.point_of(web_push.private_key(web_push.make_key()))
        make_user("mia")
        page = look.at("/account/login/")
        sign_in(page)
        page.wait_for_url("**/account/")
        page.context.grant_permissions(["notifications"])
        page.add_init_script(SUBSCRIBE % {"p256dh": web_push.text_of(point), "auth": web_push.text_of(b"a" * 16)})
        page.goto("/account/following/")
        check_page(page)
        assert not PushSubscription.objects.exists()
        page.get_by_role("button", name="Show news in this browser").click()
        expect(page.get_by_text("This browser shows your news from now on.")).to_be_visible()
        assert PushSubscription.objects.get().p256dh == web_push.text_of(point)
