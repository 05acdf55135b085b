"""The admin and the API's page in Chromium: the content security policy, small screens and dark mode."""

from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from tests.factories import make_user
from tests.tournaments.admin.buttons import at
from tests.tournaments.admin.conftest import fill_desk, played_event
from tests.tournaments.admin.test_dashboard import PAGES
from tests.tournaments.admin.test_pages import ADDABLE, MODELS
from tournaments.models import Event, Match

pytestmark = [pytest.mark.browser, pytest.mark.serial, pytest.mark.slow,
              pytest.mark.django_db(transaction=True)]


@pytest.fixture
def event(transactional_db: None) -> Event:
    return played_event()


def _signed_in(look: Any, path: str, **options: Any) -> Page:
    make_user("organiser", staff=True)
    page = look.at(f"{reverse('admin:login')}?next={path}", **options)
    page.locator("input[name=login]").fill("organiser")
    page.locator("input[name=password]").fill("organiser")
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"**{path}")
    return page


class TestTheAdmin:
    def test_obeys_the_policy_and_fits_the_screen_on_every_page(self, look: Any, event: Event) -> None:
        fill_desk(event)
        page = _signed_in(look, reverse("admin:index"), theme="dark")
        paths = [at(model, "changelist") for model in MODELS]
        paths += [at(model, "change", model.objects.first().pk) for model in MODELS]
        paths += [at(model, "add") for model in ADDABLE]
        paths += [reverse(f"admin:{name}") for name in PAGES]
        for path in paths:
            page.goto(path)
            for width in (1280, 390):
                page.set_viewport_size({"width": width, "height": 800})
                assert page.evaluate("document.documentElement.scrollWidth") <= width, path

    @pytest.mark.journey
    def test_schedules_and_runs_an_event_and_replays_a_void_match(self, look: Any, event: Event) -> None:
        """The staff's walk: the wizard, the buttons on a page, and an action of a list."""
        page = _signed_in(look, at(Event, "add"))
        page.get_by_label("Name:").fill("Spring")
        page.get_by_label("Ladder:").select_option(index=1)
        page.get_by_label("Cycles:").fill("2")
        page.get_by_role("button", name="Next").click()
        page.get_by_text("Choose all versions").click()
        for button in ("Next", "Back", "Next", "Preview"):
            page.get_by_role("button", name=button).click()
        expect(page.locator("#content-main")).to_contain_text("6 matches (12 games)")
        page.get_by_role("button", name="Schedule the event").click()
        expect(page.locator(".messagelist")).to_contain_text("was added successfully")

        page.goto(at(Event, "change", Event.objects.get(name="Spring").pk))
        for verb, done in (("Start", "started"), ("Pause", "paused")):
            page.get_by_role("button", name=verb).click()
            expect(page.locator(".messagelist")).to_contain_text(f"is {done}.")
        cancel = page.get_by_role("button", name="Cancel")
        expect(cancel).to_be_hidden()
        page.get_by_text("Cancel …").click()
        cancel.click()
        expect(page.locator(".messagelist")).to_contain_text("is cancelled.")
        expect(page.get_by_role("button", name="Pause")).to_be_hidden()

        page.goto(f"{at(Match, 'changelist')}?status=void")
        page.locator("input.action-select").check()
        page.get_by_label("Action:").select_option("Requeue")
        page.get_by_role("button", name="Run").or_(page.get_by_role("button", name="Go")).click()
        expect(page.locator(".messagelist")).to_contain_text("is queued again.")
