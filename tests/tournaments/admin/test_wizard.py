"""The wizard for scheduling an event: three steps, a preview, and the event."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.utils import timezone

from tests.factories import make_version
from tests.tournaments.admin.buttons import at
from tournaments.models import AuditEntry, Event, Version
from tournaments.services.ladders.ladders import create_ladder
from tournaments.services.matches.workers import Declaration, declare

TIME = {"seeding": "rating", "openings": "on", "rated": "on", "starts_at_0": "", "starts_at_1": ""}


@pytest.fixture(scope="module")
def plan(module_db: None) -> dict[str, Any]:
    """Valid values for all steps."""
    versions = [make_version("Morphy"), make_version("Steinitz", rulesets=["squ"]), make_version("<b>Anderssen</b>")]
    ladder = create_ladder(ruleset="squ", size=6, base_seconds=1)
    return {"name": "Spring", "description": "", "ladder": ladder.pk, "format": "round-robin", "cycles": 2,
            "swiss_rounds": "", "versions": [version.pk for version in versions], "max_entries": "", **TIME}


def press(client: Client, plan: dict[str, Any], button: str, step: int, **change: Any) -> Any:
    """Press a button on the page of that step, which carries the values entered so far."""
    return client.post(at(Event, "add"), {**plan, "at": step, "reached": step, button: "x", **change})


class TestTheWizard:
    def test_leads_through_its_steps_to_a_preview(self, desk: Client, plan: dict[str, Any]) -> None:
        page = desk.get(at(Event, "add"))
        for step in range(3):
            assert page.context["at"] == step
            assert page.context["form"] is not None
            page = press(desk, plan, "next", step)
        shown = " ".join(page.content.decode().split())
        assert page.context["at"] == 3
        assert "6 matches (12 games)" in shown
        assert "&lt;b&gt;Anderssen" in shown
        assert "no worker plays this ruleset now" in shown
        assert not Event.objects.exists()

    def test_carries_every_value_to_the_next_step(self, desk: Client, plan: dict[str, Any]) -> None:
        """The fields of each page suffice to reach the next one, and finally to create the event."""
        fields: dict[str, Any] = {"at": "0", "reached": "0"}
        for step, names in enumerate((("name", "ladder", "format", "cycles"), ("versions",), tuple(TIME))):
            page = desk.post(at(Event, "add"), {**fields, **{name: plan[name] for name in names}, "next": "Next"})
            assert page.context["at"] == step + 1
            fields = inputs(page.content.decode())
        desk.post(at(Event, "add"), {**fields, "create": "x"})
        event = Event.objects.get()
        assert (event.name, event.cycles, event.entries.count(), event.rated, event.openings) == (
            "Spring", 2, 3, True, True)

    def test_creates_the_event_and_records_who_did(self, desk: Client, plan: dict[str, Any]) -> None:
        soon = timezone.now() + timedelta(days=1)
        answer = press(desk, plan, "create", 3, starts_at_0=f"{soon:%Y-%m-%d}", starts_at_1=f"{soon:%H:%M:%S}")
        event = Event.objects.get()
        assert answer["Location"] == at(Event, "change", event.pk)
        assert (event.cycles, event.created_by.username, event.status) == (2, "organiser", "scheduled")
        assert event.starts_at == soon.replace(microsecond=0)
        assert LogEntry.objects.get().object_id == str(event.pk)
        assert AuditEntry.objects.get(verb="create").actor.username == "organiser"

    def test_estimates_the_duration(self, desk: Client, plan: dict[str, Any]) -> None:
        declare(Declaration(name="test:1", host="test", tier="standard", rulesets=["squ"], cores=2, concurrency=2,
                            software="0.2"), now=timezone.now())
        shown = " ".join(press(desk, plan, "next", 2).content.decode().split())
        assert "at most 12 s, with 2 matches at a time" in shown

    def test_goes_back_without_losing_values(self, desk: Client, plan: dict[str, Any]) -> None:
        page = press(desk, plan, "back", 2, max_entries="7")
        assert page.context["at"] == 1
        assert page.context["form"]["max_entries"].value() == "7"
        assert page.context["reached"] == 2

    def test_opens_registration(self, desk: Client, plan: dict[str, Any]) -> None:
        soon = timezone.now() + timedelta(days=1)
        press(desk, plan, "create", 3, versions=[], registration_opens_at_0="2026-01-01",
              registration_opens_at_1="00:00", max_entries="16", starts_at_0=f"{soon:%Y-%m-%d}",
              starts_at_1=f"{soon:%H:%M:%S}", private="on")
        event = Event.objects.get()
        assert (event.max_entries, event.private, event.entries.count()) == (16, True, 0)

    def test_asks_for_runners_only_in_a_gauntlet(self, desk: Client, plan: dict[str, Any]) -> None:
        assert "runners" not in press(desk, plan, "next", 0).context["form"].fields
        assert "runners" in press(desk, plan, "next", 0, format="gauntlet").context["form"].fields
        press(desk, plan, "create", 3, format="gauntlet", runners=plan["versions"][:1], cycles=1)
        assert Event.objects.get().entries.filter(runs_the_gauntlet=True).count() == 1

    def test_offers_the_newest_active_version_of_each_bot(self, desk: Client, plan: dict[str, Any]) -> None:
        newest, rested = make_version("Morphy"), make_version("Steinitz")
        Version.objects.filter(pk=rested.pk).update(status="rested")
        form = press(desk, plan, "next", 0).context["form"]
        assert [label for _, label in form.fields["versions"].choices] == [
            "<b>Anderssen</b> v1", "Morphy v2", "Steinitz v1 (squ)"]
        assert newest in form.fields["versions"].queryset

    def test_stays_at_the_step_with_an_error(self, desk: Client, plan: dict[str, Any]) -> None:
        for step, change, field in ((0, {"name": "   "}, "name"), (0, {"cycles": "many"}, "cycles"),
                                    (1, {"versions": ["x"]}, "versions"),
                                    (2, {"starts_at_0": "soon", "starts_at_1": "18:00"}, "starts_at")):
            for pressed in range(step, 3):
                page = press(desk, plan, "next", pressed, **change)
                assert page.context["at"] == step, field
                assert page.context["form"].errors[field]

    def test_shows_a_refusal_before_the_event_is_created(self, desk: Client, plan: dict[str, Any]) -> None:
        for change, sentence in (
            ({"starts_at_0": "2020-01-31", "starts_at_1": "18:00"}, "The start, 2020-01-31 18:00 UTC, is in the past"),
            ({"format": "gauntlet"}, "The format Gauntlet needs at least one runner"),
        ):
            for button in ("next", "create"):
                assert press(desk, plan, button, 3, **change).context["refusal"].startswith(sentence)
        assert not Event.objects.exists()

    def test_is_not_for_read_only_staff(self, looker: Client, plan: dict[str, Any]) -> None:
        assert press(looker, plan, "create", 3).status_code == 403
        assert not Event.objects.exists()

    def test_survives_made_up_step_numbers(self, desk: Client, plan: dict[str, Any]) -> None:
        for number in ("-1", "99999999999", "x", "", "2²"):
            assert desk.post(at(Event, "add"), {"at": number, "reached": number, "next": "x"}).status_code == 200


def inputs(page: str) -> dict[str, Any]:
    """The hidden fields of the wizard's form."""
    import re

    fields: dict[str, Any] = {}
    for tag in re.findall(r'<input type="hidden"[^>]*>', page[page.index('id="event_form"'):]):
        name, value = re.search(r'name="([^"]*)"', tag), re.search(r'value="([^"]*)"', tag)
        if name and name[1] != "csrfmiddlewaretoken":
            fields.setdefault(name[1], []).append(value[1] if value else "")
    return fields
