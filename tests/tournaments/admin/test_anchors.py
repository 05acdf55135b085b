"""Anchors in the admin."""

import pytest
from django.test import Client
from django.urls import reverse

from ratings.models import Anchor, Statistics
from tournaments.models import AuditEntry, Event

ADD = reverse("admin:ratings_anchor_add")


@pytest.fixture
def version(event: Event) -> int:
    return event.entries.order_by("pk")[0].version_id


class TestAnchors:
    def test_are_set_and_changed(self, desk: Client, event: Event, version: int) -> None:
        for rating in (1800, 1900):
            form = {"ladder": event.ladder_id, "version": version, "rating": rating}
            assert desk.post(ADD, form).status_code == 302
        anchor = Anchor.objects.get()
        assert (anchor.ladder, anchor.version_id, anchor.rating) == (event.ladder, version, 1900)
        assert Statistics.objects.get().due_at is not None
        assert AuditEntry.objects.filter(verb="anchor").count() == 2

    def test_are_refused_with_an_error_at_the_field(self, desk: Client, event: Event, version: int) -> None:
        for field, value in (("version", "999999"), ("version", "9" * 30), ("version", "x"), ("rating", "20000"),
                             ("rating", "nan"), ("ladder", "")):
            page = desk.post(ADD, {"ladder": event.ladder_id, "version": version, "rating": 1800, field: value})
            assert page.context["adminform"].form.errors[field], value
        assert not Anchor.objects.exists()

    def test_are_removed_by_the_button(self, desk: Client, event: Event, version: int) -> None:
        desk.post(ADD, {"ladder": event.ladder_id, "version": version, "rating": 1800})
        page = reverse("admin:ratings_anchor_change", args=[Anchor.objects.get().pk])
        assert "Remove" in desk.get(page).content.decode()
        answer = desk.post(page, {"verb": "remove"}, follow=True)
        assert "is removed" in answer.content.decode()
        assert not Anchor.objects.exists()

    def test_are_not_for_read_only_staff(self, desk: Client, looker: Client, event: Event, version: int) -> None:
        form = {"ladder": event.ladder_id, "version": version, "rating": 1800}
        assert looker.post(ADD, form).status_code == 403
        desk.post(ADD, form)
        page = reverse("admin:ratings_anchor_change", args=[Anchor.objects.get().pk])
        assert looker.post(page, {"verb": "remove"}).status_code == 403
        assert Anchor.objects.exists()
