"""The pages in Chromium: replaying, keeping up to date, themes, and what everybody must be able to use."""

import json
import re
from datetime import timedelta

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from tests.factories import make_event, make_user, make_version, play_event, play_match, spoil_match
from tests.tournaments.trials.play import play_out
from tournaments.models import Delivery, Game, Match
from tournaments.services import outbox
from tournaments.services.challenges import challenge
from tournaments.services.entries import invite
from tournaments.services.events import create_event, start_event
from tournaments.services.ladder_play import join
from tournaments.services.series import create_series
from tournaments.services.teams import found_team
from tournaments.services.trials import enter
from tournaments.services.webhooks import create_webhook

pytestmark = [pytest.mark.browser, pytest.mark.once, pytest.mark.serial, pytest.mark.slow,
              pytest.mark.django_db(transaction=True)]

# What the viewer shows of the turn it is at, and what the server draws for the same address.
SHOWN = """root => ({
    stones: root.querySelector('.stones').innerHTML,
    text: root.querySelector('[data-text]').textContent,
    label: root.querySelector('svg.board').getAttribute('aria-label'),
    count: root.querySelector('[data-count]').textContent,
    now: [...root.querySelectorAll('a.now')].map(a => a.getAttribute('href')),
    bars: [...root.querySelectorAll('i.now')].map(i => i.dataset.bar),
    picture: root.querySelector('[data-picture]').getAttribute('href').replace(/.*[?]/, '?'),
})"""
FROM_VIEWER = f"() => ({SHOWN})(document)"
FROM_SERVER = f"""async turn => ({SHOWN})(new DOMParser().parseFromString(
    await (await fetch('?turn=' + turn)).text(), 'text/html'))"""
TAGS = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}}
LONG = "W" * 40


def _game(ruleset: str, size: int, *, most_plies: int = 60) -> Game:
    event = make_event([make_version("Alder"), make_version("Basalt")], ruleset=ruleset, size=size)
    return play_match(Match.objects.get(event=event), seed=11, most_plies=most_plies).games.first()


def _at_turn(page: Page, turn: int) -> None:
    expect(page.locator("[data-count]")).to_have_text(re.compile(rf"^{turn} /"))


def _viewer(page: Page) -> None:
    page.wait_for_function("customElements.get('replay-viewer') !== undefined")
    page.locator(".pane").focus()


class TestReplay:
    @pytest.mark.parametrize(("ruleset", "size"), [("ooscg-w", 6), ("squaresquared", 4), ("squ", 4)])
    def test_draws_every_turn_as_the_server_does(self, look, ruleset, size):
        game = _game(ruleset, size)
        page = look.at(f"/games/{game.pk}/?turn=0")
        _viewer(page)
        for turn in range(1, game.plies + 1):
            page.keyboard.press("ArrowRight")
            assert page.evaluate(FROM_VIEWER) == page.evaluate(FROM_SERVER, turn)

    def test_is_stepped_by_keys_slider_strip_list_and_buttons(self, look):
        game = _game("scware", 8)
        page = look.at(f"/games/{game.pk}/")
        last = game.plies
        _viewer(page)
        for key, turn in [("Home", 0), ("PageDown", 10), ("PageUp", 0), ("ArrowRight", 1), ("ArrowDown", 2),
                          ("ArrowUp", 1), ("ArrowLeft", 0), ("ArrowLeft", 0), ("End", last), ("ArrowRight", last)]:
            page.keyboard.press(key)
            _at_turn(page, turn)
        page.locator("[data-slider]").fill("4")
        _at_turn(page, 4)
        page.locator("[data-slider]").press("ArrowRight")
        _at_turn(page, 5)
        page.locator('a[data-turn="7"]').click()
        _at_turn(page, 7)
        page.get_by_role("link", name="Previous turn").click()
        _at_turn(page, 6)
        page.locator("[data-strip]").click(position={"x": 2, "y": 20})
        _at_turn(page, 1)
        assert page.evaluate(FROM_VIEWER) == page.evaluate(FROM_SERVER, 1)
        page.wait_for_url("**/?turn=1")

    def test_plays_by_itself_on_space_and_leaves_keys_outside_alone(self, look):
        game = _game("scware", 8)
        page = look.at(f"/games/{game.pk}/?turn=0")
        _viewer(page)
        page.locator("[data-speed]").select_option("4")
        page.locator(".pane").focus()
        page.keyboard.press("Space")
        expect(page.locator("[data-count]")).not_to_have_text(re.compile("^[01] /"))
        page.keyboard.press("Space")
        assert page.get_by_role("button", name="Play").count() == 1
        page.keyboard.press("Home")
        page.locator(".brand").focus()
        page.keyboard.press("ArrowRight")
        _at_turn(page, 0)

    def test_can_be_stepped_without_scripts(self, look):
        game = _game("scware", 8)
        page = look.at(f"/games/{game.pk}/?turn=3", java_script_enabled=False)
        expect(page.get_by_role("button", name="Copy link")).to_be_hidden()
        page.get_by_role("link", name="Next turn").click()
        _at_turn(page, 4)
        page.locator('a[data-turn="2"]').click()
        _at_turn(page, 2)


class TestEventPage:
    def test_keeps_itself_up_to_date_until_the_event_is_over(self, look):
        event = make_event([make_version(name) for name in ("Alder", "Basalt", "Cinder")])
        page = look.at(f"/events/{event.slug}/")
        answers: list[int] = []
        page.on("response", lambda response: answers.append(response.status) if "/live/" in response.url else None)
        done = page.locator(".facts dd").first
        expect(done).to_have_text("0 of 6")
        page.wait_for_event("response", lambda response: "/live/" in response.url)
        play_match(Match.objects.filter(status="queued").first())
        expect(done).to_have_text("2 of 6")
        expect(page.locator("a.cell")).to_have_count(2)
        play_event(event)
        expect(page.locator(".chip").first).to_have_text("Finished")
        expect(page.locator("#live")).not_to_have_attribute("hx-trigger", re.compile("."))
        asked = len(answers)
        page.wait_for_timeout(2500)
        assert len(answers) == asked
        assert answers[0] == 304
        assert set(answers) == {200, 304}


class TestTheme:
    def test_is_remembered_and_there_before_anything_is_painted(self, look):
        page = look.at("/")
        button = page.locator("[data-theme-button]")
        for theme in ("light", "dark"):
            button.click()
            expect(page.locator("html")).to_have_attribute("data-theme", theme)
        page.goto("/bots/", wait_until="commit")
        page.wait_for_selector("body", state="attached")
        assert page.evaluate("document.documentElement.dataset.theme") == "dark"
        assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(19, 20, 23)"


class TestEveryPage:
    @pytest.fixture
    def addresses(self):
        bots = [make_version(name) for name in ("Alder", "<b>Basalt</b>", LONG)]
        event = play_event(make_event(bots, name="Autumn Round Robin"), matches_to_play=1)
        waiting = Match.objects.filter(status="queued").order_by("id")
        spoil_match(waiting[1], "the worker <i>died</i>: " + "x" * 300)
        fault = play_match(waiting[0], fault_after=3, fault_line="\x00" + "long" * 200).games.get(number=1)
        points = _game("squaresquared", 4, most_plies=12)
        join(actor=bots[1].bot.owner, ladder=event.ladder, version=bots[1], now=timezone.now())
        asked = challenge(actor=bots[0].bot.owner, ladder=event.ladder, first=bots[0], second=bots[2], matches=1,
                          seed=1, now=timezone.now())
        trial = enter(actor=bots[1].bot.owner, ladder=event.ladder, version=make_version(bots[1].bot.name), seed=1,
                      elo1=100, now=timezone.now())
        play_out(trial, current=(1.0, 0.5), now=timezone.now(), rounds=4)
        cup = create_event(name="Cup", ladder=event.ladder, versions=[make_version(f"Elm {n}") for n in range(5)],
                           format="double knockout", starts_at=None, created_by=make_user("organiser"),
                           now=timezone.now(), seed=7)
        start_event(event=cup, now=timezone.now())
        series = create_series(name="Weekly", ladder=event.ladder, cron="0 14 * * sun", now=timezone.now(),
                               created_by=make_user("organiser"))
        team = found_team(name=LONG, founder=bots[0].bot.owner, now=timezone.now())
        return ["/", "/ladders/", f"/ladders/{event.ladder.slug}/", "/challenges/",
                f"/challenges/{asked.pk}/", f"/trials/{trial.pk}/", "/events/", f"/events/{event.slug}/",
                f"/events/{cup.slug}/",
                f"/events/{series.events.get().slug}/", f"/series/{series.slug}/", "/teams/", f"/teams/{team.slug}/",
                "/people/mia/", "/account/login/", "/account/signup/", "/account/password/reset/", "/bots/",
                f"/bots/{bots[2].bot.slug}/", "/games/", f"/games/{fault.pk}/", f"/games/{points.pk}/?turn=5"]

    @pytest.mark.parametrize("theme", ["light", "dark"])
    @pytest.mark.parametrize("width", [1280, 390])
    def test_can_be_used_by_everybody(self, look, addresses, theme, width):
        page = look.at("/bots/", width=width, theme=theme)
        for address in addresses:
            page.goto(address)
            found = Axe().run(page, options=TAGS).response["violations"]
            assert [(v["id"], [node["target"] for node in v["nodes"]]) for v in found] == [], address

    def test_does_not_scroll_sideways_on_a_narrow_screen(self, look, addresses):
        page = look.at("/bots/", width=320)
        for address in addresses:
            page.goto(address)
            assert page.evaluate("document.documentElement.scrollWidth") == 320, address


class TestEveryPageOfOnesOwn:
    @pytest.fixture
    def addresses(self, settings, tmp_path):
        settings.STORAGES = {**settings.STORAGES, "default": {**settings.STORAGES["default"],
                                                              "OPTIONS": {"location": str(tmp_path)}}}
        version, other = make_version(LONG), make_version("Alder", owner="tom")
        event = make_event([version, other])
        mia, now = version.bot.owner, timezone.now()
        join(actor=mia, ladder=event.ladder, version=version, now=now)
        make_version(LONG)  # may be tried against the one that plays there
        mine = create_event(name="Friends", ladder=event.ladder, versions=[version], starts_at=now + timedelta(days=2),
                            registration_opens_at=now, private=True, created_by=mia, now=now, seed=1)
        invite(event=mine, user=other.bot.owner, actor=mia, now=now)
        webhook = create_webhook(owner=mia, url=f"https://example.org/{LONG}", kinds=[], now=now)
        outbox.emit("event.started", to=[mia.pk], payload={"event": "Cup"}, now=now)
        Delivery.objects.update(status="failed", attempts=9, answer="500\n" + "z" * 300, ended_at=now)
        found_team(name="Stones", founder=mia, now=now)
        return ["/account/", "/account/email/", "/account/password/change/", "/account/notices/",
                f"/account/webhooks/{webhook.pk}/", "/upload/", f"/submissions/{version.submission_id}/",
                f"/bots/{version.bot.slug}/", f"/ladders/{event.ladder.slug}/", f"/events/{mine.slug}/",
                "/challenges/new/", "/teams/stones/"]

    @pytest.fixture
    def signed_in(self, look, client, addresses):
        """Opens a page as mia."""
        def signed_in(**options):
            client.force_login(make_user("mia"))
            page = look.at("/bots/", **options)
            page.context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value,
                                       "url": page.url.removesuffix("bots/")}])
            return page
        return signed_in

    @pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (390, "dark")])
    def test_can_be_used_by_everybody(self, signed_in, addresses, width, theme):
        page = signed_in(width=width, theme=theme)
        for address in addresses:
            assert page.goto(address).status == 200, address
            # Axe asks a form for its `matches()`, and gets the field of that name.
            page.evaluate("document.querySelectorAll('[name=matches]').forEach(field => field.name = 'count')")
            found = Axe().run(page, options=TAGS).response["violations"]
            assert [(v["id"], [node["target"] for node in v["nodes"]]) for v in found] == [], address

    def test_does_not_scroll_sideways_on_a_narrow_screen(self, signed_in, addresses):
        page = signed_in(width=320)
        for address in addresses:
            page.goto(address)
            assert page.evaluate("document.documentElement.scrollWidth") == 320, address


class TestAdmin:
    def test_works_under_the_same_policy(self, look):
        make_user("boss", staff=True)
        event = make_event([make_version("Alder"), make_version("Basalt")])
        page = look.at("/admin/")
        page.get_by_label("Username").fill("boss")
        page.get_by_label("Password").fill("boss")
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("heading", name="Site administration")).to_be_visible()
        page.goto(reverse("admin:tournaments_event_changelist"))
        page.goto(reverse("admin:auth_user_change", args=[event.created_by_id]))
        expect(page.get_by_role("link", name="Today").first).to_be_visible()


class TestBudget:
    def test_of_a_first_view_is_kept(self, look):
        game = _game("scware", 8)
        page = look.at("/bots/")
        sizes = page.evaluate("""async address => {
            const squeezed = async url => {
                const stream = (await fetch(url)).body.pipeThrough(new CompressionStream('gzip'));
                return (await new Response(stream).arrayBuffer()).byteLength;
            };
            const html = new DOMParser().parseFromString(await (await fetch(address)).text(), 'text/html');
            const of = async (selector, name) => Promise.all(
                [...html.querySelectorAll(selector)].map(element => squeezed(element.getAttribute(name))));
            const sum = list => list.reduce((a, b) => a + b, 0);
            return {page: await squeezed(address), scripts: sum(await of('script[src]', 'src')),
                    styles: sum(await of('link[rel=stylesheet]', 'href')),
                    font: await squeezed('/static/vendor/inter-latin-wght-normal.woff2')};
        }""", f"/games/{game.pk}/")
        assert sizes["styles"] <= 10_240
        assert sizes["scripts"] <= 25_600
        assert sum(sizes.values()) <= 102_400, json.dumps(sizes)
