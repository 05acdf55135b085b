"""The form to create an event: its fields, preview and refusals."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

import frontend
from frontend.forms.events import NEEDS
from frontend.forms.presets import PRESETS
from tests.factories import make_user, make_version
from tests.frontend.page_reader import Page
from tests.frontend.visits import part_of
from tournaments.models import AuditEntry, Event, Ladder, Series
from tournaments.services.ladders.ladders import create_ladder

PAGE = reverse("event-new")


@pytest.fixture(scope="module")
def made(module_db: None) -> dict[str, Any]:
    """The form's data for a valid event."""
    ladder = create_ladder(ruleset="squ", size=6, base_seconds=1)
    soon = timezone.now() + timedelta(days=1)
    return {"name": "Spring <b>Open</b>", "description": "", "ladder": ladder.slug, "format": "round-robin",
            "cycles": 2, "swiss_rounds": "", "versions": [make_version("Morphy").pk, make_version("Steinitz").pk],
            "registration": "on", "registration_closes_at": "", "max_entries": "8",
            "starts_at": f"{soon:%Y-%m-%dT%H:%M}", "seeding": "rating", "openings": "on"}


@pytest.fixture
def plan(made: dict[str, Any]) -> dict[str, Any]:
    return dict(made)


@pytest.fixture
def mia(made: dict[str, Any], client: Client, db: None) -> Client:
    client.force_login(make_user("mia"))
    return client


class TestCreatingAnEvent:
    def test_asks_for_the_ladder_unless_the_link_names_it(self, mia: Client, plan: dict[str, Any]) -> None:
        assert Client().get(PAGE).status_code == 302
        for query, selected in (({"ladder": plan["ladder"]}, plan["ladder"]), ({}, "")):
            shown = mia.get(PAGE, query).content.decode()
            assert f'value="{selected}" selected' in part_of(shown, 'name="ladder"', "</select>")
            assert "Rated: games count towards the ladder" not in shown, "only organisers can create rated events"
        for ladder in ("", "nothing"):
            answer = mia.post(PAGE, {**plan, "ladder": ladder})
            assert answer.context["form"].errors["ladder"] == [
                f"Choose the ladder that the event is played on: {Ladder.objects.get()}."]

    def test_accepts_a_name_and_a_ladder_minutes_after_opening_the_form(self, mia: Client, plan, monkeypatch) -> None:
        drawn_at = timezone.now() - timedelta(minutes=10)
        with monkeypatch.context() as earlier:
            earlier.setattr(timezone, "now", lambda: drawn_at)
            drawn = Page(mia.get(PAGE).content.decode())
        fields = next(form.fields for form in drawn.forms if form.posts and form.action == PAGE)
        chosen = {name: plan[name] for name in ("ladder", "format", "seeding")}
        answer = mia.post(PAGE, {**fields, **chosen, "name": "Spring Open", "create": "1"})
        assert answer["Location"] == reverse("event", args=["spring-open"])

    def test_shows_a_preview_and_schedules_it_with_its_hidden_fields(self, mia: Client, plan: dict[str, Any]) -> None:
        page = mia.post(PAGE, plan)
        shown = page.content.decode()
        assert "2 matches (4 games), with the bots entered now" in shown
        assert "unrated, random openings" in " ".join(shown.split())
        assert "<b>Open" not in shown
        assert not Event.objects.exists()
        shown = mia.post(PAGE, {**plan, "back": "1"}).content.decode()
        assert 'value="Spring &lt;b&gt;Open&lt;/b&gt;"' in shown
        carried = {name: value for name, value in page.context["form"].data.lists() if name in plan}
        answer = mia.post(PAGE, {**carried, "create": "1"})
        event = Event.objects.get()
        assert answer["Location"] == reverse("event", args=[event.slug])
        assert (event.cycles, event.rated, event.max_entries, event.entries.count()) == (2, False, 8, 2)
        assert event.registration_opens_at is not None
        assert event.created_by.username == "mia"

    @pytest.mark.slow
    def test_shows_invalid_input_at_its_field_and_refusals_of_the_service(self, mia: Client, plan) -> None:
        rival = make_version("Rival", owner="bob").pk
        for change, fields in (({"cycles": "many", "starts_at": "tomorrow"}, {"cycles", "starts_at"}),
                               ({"versions": [rival]}, {"versions"})):
            answer = mia.post(PAGE, {**plan, **change})
            assert (answer.status_code, set(answer.context["form"].errors)) == (400, fields)
        answer = mia.post(PAGE, {**plan, "registration": "", "versions": []})
        assert answer.status_code == 409
        assert "An event needs at least two bots, but none is entered" in answer.content.decode()

    def test_carries_an_opening_book_through_the_preview_and_warns_of_repeats(self, mia: Client, plan) -> None:
        answer = mia.post(PAGE, {**plan, "create": "1", "book": "\r\na1\r\nz1\r\na1"})
        assert answer.status_code == 400
        assert [error.split(":")[0] for error in answer.context["form"].errors["book"]] == ["Line 3", "Line 4"]
        assert not Event.objects.exists()
        page = mia.post(PAGE, {**plan, "book": "\r\na1 # corner"})
        shown = " ".join(page.content.decode().split())
        assert "book: 1 distinct opening, at most 2 matches per pair" in shown
        assert "Openings repeat: bots that always play the same way" in shown
        carried = next(form.fields for form in Page(page.content.decode()).forms if form.posts and form.action == PAGE)
        assert carried["book"] == "\r\na1 # corner"
        answer = mia.post(PAGE, {**plan, "book": carried["book"], "create": "1"})
        assert Event.objects.get().book.openings == [["a1"]]
        assert "Openings repeat" in mia.get(answer["Location"]).content.decode()

    def test_ignores_fields_that_the_format_does_not_have(self, mia: Client, plan: dict[str, Any]) -> None:
        mia.post(PAGE, {**plan, "swiss_rounds": "-1", "target": "first", "target_value": 3, "apart_rounds": 2,
                        "runners": plan["versions"], "create": "1"})
        event = Event.objects.get()
        assert (event.swiss_rounds, event.target, event.apart_rounds, event.cycles) == (None, "", 0, 2)

    def test_reads_the_start_in_the_chosen_zone(self, mia: Client, plan: dict[str, Any]) -> None:
        mia.post(PAGE, {**plan, "time_zone": "Europe/Berlin", "starts_at": "2040-07-01T18:00", "create": "1"})
        assert Event.objects.get().starts_at == datetime(2040, 7, 1, 16, 0, tzinfo=UTC)
        for field, value, sentence in (
                ("starts_at", "2040-03-25T02:30", "does not exist in Europe/Berlin"),
                ("starts_at", "2040-10-28T02:30", "occurs twice in Europe/Berlin"),
                ("time_zone", "Europe/Atlantis", "Unknown time zone")):
            answer = mia.post(PAGE, {**plan, "time_zone": "Europe/Berlin", field: value})
            assert sentence in answer.context["form"].errors[field][0]

    @pytest.mark.slow
    def test_creates_a_weekly_series_that_its_owner_edits_and_ends(self, mia: Client, plan: dict[str, Any]) -> None:
        weekly = {**plan, "time_zone": "Europe/Berlin", "starts_at": "2040-07-06T18:00", "weekly": "on"}
        for missing in ({"starts_at": ""}, {"registration": ""}, {"registration_closes_at": "2040-07-01T18:00"}):
            assert set(mia.post(PAGE, {**weekly, **missing}).context["form"].errors) == set(missing)
        assert "every Friday at 18:00, Europe/Berlin" in mia.post(PAGE, weekly).content.decode()
        assert not Series.objects.exists()
        page = mia.post(PAGE, {**weekly, "create": "1"})["Location"]
        series, event = Series.objects.get(), Event.objects.get()
        assert (series.cron, event.starts_at, event.entries.count()) == (
            "0 18 * * FRI", datetime(2040, 7, 6, 16, 0, tzinfo=UTC), 2)
        edit = reverse("series-edit", args=[series.slug])
        assert edit in mia.get(page).content.decode()
        shown = mia.get(edit).context["form"]
        values = {name: shown[name].value() for name in shown.fields if shown[name].value() is not None}
        assert mia.post(edit, {**values, "cron": "0 19 * * FRI"})["Location"] == page
        assert Series.objects.get().cron == "0 19 * * FRI"
        answer = mia.post(edit, {**values, "cron": "0 19 * * *"})
        assert (answer.status_code, "one event per week" in answer.content.decode()) == (409, True)
        mia.force_login(make_user("noor"))
        assert mia.post(edit, {**values, "name": "Mine"})["Location"] == page
        assert Series.objects.get().name == series.name

    @pytest.mark.slow
    def test_starts_from_each_preset(self, mia: Client, plan: dict[str, Any]) -> None:
        for preset in PRESETS:
            initial = mia.get(PAGE, {"preset": preset.slug}).context["form"]
            values = {name: value for name in initial.fields if (value := initial[name].value()) not in (None, False)}
            values["starts_at"] = f"{values['starts_at']:%Y-%m-%dT%H:%M}"
            answer = mia.post(PAGE, {"format": preset.format, "seeding": "rating", **values, "ladder": plan["ladder"]})
            assert answer.status_code == 200, (preset.slug, answer.context["form"].errors)

    def test_has_a_style_for_each_feature_of_formats(self) -> None:
        style = (Path(frontend.__file__).parent / "static/frontend/site.css").read_text()
        for feature in {*NEEDS.values(), "regulations"}:
            assert f'[data-needs="{feature}"]' in style


class TestChangingAnEvent:
    def test_changes_only_the_edited_fields_by_its_organiser_only(self, mia: Client, plan: dict[str, Any]) -> None:
        event = schedule(mia, plan)
        page, event_page = (reverse(name, args=[event.slug]) for name in ("event-edit", "event"))
        assert page in mia.get(event_page).content.decode()
        form = mia.get(page).context["form"]
        answers = {name: value for name in form.fields if (value := form[name].value()) not in (None, False)}
        answers["starts_at"] = plan["starts_at"]
        assert mia.post(page, {**answers, "cycles": 3}).status_code == 302
        changed = Event.objects.get()
        assert (changed.cycles, changed.name, changed.starts_at) == (3, event.name, event.starts_at)
        assert AuditEntry.objects.get(verb="edit").detail == {"changed": {"cycles": [2, 3]}}
        refused = mia.post(page, {**plan, "starts_at": "2020-01-01T00:00"})
        assert (refused.status_code, "is in the past" in refused.content.decode()) == (409, True)
        mia.force_login(make_user("noor"))
        assert mia.get(page)["Location"] == event_page
        assert mia.post(page, {**plan, "name": "Mine"}).status_code == 302
        assert Event.objects.get().name == event.name


def schedule(client: Client, plan: dict[str, Any]) -> Event:
    client.post(PAGE, {**plan, "create": "1"})
    return Event.objects.get()
