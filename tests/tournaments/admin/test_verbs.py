"""Starting, pausing, resuming and cancelling events, and replaying void matches: by buttons and from lists."""


import pytest
from django.test import Client

from tests.factories import make_event, make_version
from tests.tournaments.admin.buttons import at, buttons, choose, press, said
from tournaments.models import Event, Match

LIFE = [("start", "running", "started"), ("pause", "paused", "paused"), ("resume", "running", "resumed"),
        ("cancel", "cancelled", "cancelled")]


@pytest.fixture
def scheduled(db: None) -> Event:
    return make_event([make_version("Morphy"), make_version("Steinitz")], name="Spring", size=5, started=False)


class TestAnEvent:
    def test_is_run_by_buttons(self, desk: Client, scheduled: Event) -> None:
        for verb, status, done in LIFE:
            assert verb in buttons(desk, scheduled)
            assert press(desk, scheduled, verb) == [f"Spring is {done}."]
            scheduled.refresh_from_db()
            assert scheduled.status == status
        assert buttons(desk, scheduled) == []
        history = desk.get(at(Event, "history", scheduled.pk)).content.decode()
        assert all(f"{done.capitalize()}." in history for _, _, done in LIFE)

    def test_is_run_from_the_list(self, desk: Client, scheduled: Event) -> None:
        for verb, status, done in LIFE:
            assert said(choose(desk, scheduled, verb))[-1] == f"Spring is {done}."
            scheduled.refresh_from_db()
            assert scheduled.status == status

    def test_shows_why_it_refuses(self, desk: Client, scheduled: Event) -> None:
        [sentence] = press(desk, scheduled, "pause")
        page = desk.get(at(Event, "change", scheduled.pk)).content.decode()
        assert f'<li class="error">{sentence}' in page

    def test_is_not_run_by_read_only_staff(self, looker: Client, scheduled: Event) -> None:
        assert buttons(looker, scheduled) == []
        for verb, _, _ in LIFE:
            assert looker.post(at(Event, "change", scheduled.pk), {"verb": verb}).status_code == 403
            choose(looker, scheduled, verb)
        scheduled.refresh_from_db()
        assert scheduled.status == "scheduled"

    def test_refuses_an_unknown_verb(self, desk: Client, scheduled: Event) -> None:
        assert desk.post(at(Event, "change", scheduled.pk), {"verb": "win"}).status_code == 403
        assert desk.post(at(Event, "change", scheduled.pk), {}).status_code == 403

    def test_needs_the_csrf_token(self, scheduled: Event, desk: Client) -> None:
        strict = Client(enforce_csrf_checks=True)
        strict.cookies = desk.cookies
        assert strict.post(at(Event, "change", scheduled.pk), {"verb": "start"}).status_code == 403


class TestAVoidMatch:
    def test_is_replayed(self, desk: Client, event: Event) -> None:
        match = Match.objects.get(status="void")
        assert buttons(desk, match) == ["requeue"]
        press(desk, match, "requeue")
        match.refresh_from_db()
        assert match.status == "queued"
        assert buttons(desk, match) == []

    def test_is_not_replayed_by_read_only_staff(self, looker: Client, event: Event) -> None:
        match = Match.objects.get(status="void")
        choose(looker, match, "requeue")
        assert looker.post(at(Match, "change", match.pk), {"verb": "requeue"}).status_code == 403
        match.refresh_from_db()
        assert match.status == "void"

    def test_shows_its_attempts(self, looker: Client, event: Event) -> None:
        shown = looker.get(at(Match, "change", Match.objects.get(status="void").pk)).content.decode()
        assert "the disk of &lt;worker&gt; was full" in shown
