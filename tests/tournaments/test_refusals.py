"""Refusals, which have the same message in every interface: what is refused, and what to do about it.

The interfaces are the pages, the API, the operator's commands and the admin, where they support the action.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from rest_framework.test import APIClient

from tests.factories import make_user, make_version, play_event
from tests.tournaments.api import contract
from tests.tournaments.conftest import make_archive
from tournaments.models import Event, Version
from tournaments.services.events.entries import enter_event
from tournaments.services.events.events import create_event, start_event
from tournaments.services.ladders.ladders import create_ladder

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)
Interface = Callable[..., str]


@pytest.fixture
def event() -> Event:
    """An event that everyone may enter now."""
    now = timezone.now()
    ladder = create_ladder(ruleset="square-grid-hex", size=3, base_seconds=5.0)
    return create_event(name="Open", ladder=ladder, registration_opens_at=now - 2 * HOUR, starts_at=now + HOUR,
                        created_by=make_user("organiser", staff=True), now=now - 3 * HOUR, seed=7)


def api(who: str, path: str, data: dict[str, Any], form: str = "json") -> str:
    client = APIClient()
    client.force_authenticate(make_user(who))
    answer = client.post(path, data, format=form)
    status, sentence = contract.problem(answer)
    assert status in {403, 409}
    return sentence


def page(who: str, name: str, *args: object, **data: object) -> str:
    """Return the message of the page after the POST, or the form's error."""
    client = Client()
    client.force_login(make_user(who))
    answer = client.post(reverse(name, args=args), data)
    if answer.status_code == 409:
        [[sentence]] = answer.context["form"].errors.values()
        return str(sentence)
    assert answer.status_code == 302
    [message] = get_messages(answer.wsgi_request)
    assert message.level_tag == "error"
    return str(message)


def admin(name: str, data: dict[str, Any]) -> str:
    """Return the error of the admin's form."""
    client = Client()
    client.force_login(make_user("admin", staff=True))
    answer = client.post(reverse(f"admin:tournaments_{name}_add"), data)
    return answer.context["adminform"].form.non_field_errors()[0]


def command(*words: object) -> str:
    with pytest.raises(CommandError) as refused:
        call_command(*map(str, words))
    return str(refused.value)


def enter_by_page(event: Event, version: Version) -> str:
    return page("mia", "event-enter", event.slug, version=version.pk)


def enter_by_api(event: Event, version: Version) -> str:
    return api("mia", f"/api/events/{event.slug}/enter/", {"version": version.pk})


ENTERING = pytest.mark.parametrize("enter", [enter_by_page, enter_by_api], ids=["page", "API"])


@ENTERING
class TestEnteringAnEvent:
    def test_is_refused_past_the_deadline(self, event: Event, enter: Interface) -> None:
        closed = timezone.now().replace(microsecond=0) - HOUR
        Event.objects.update(registration_closes_at=closed)
        assert enter(event, make_version("ant")) == (
            f"Registration for Open closed at {closed:%Y-%m-%d %H:%M} UTC: until the event starts, only its organiser "
            "can enter bots.")

    def test_is_refused_the_second_time(self, event: Event, enter: Interface) -> None:
        enter_event(event=event, version=make_version("ant"), actor=make_user("mia"), now=timezone.now())
        assert enter(event, make_version("ant")) == (
            "ant is already entered, with version 1: leave the event first to enter another version.")

    def test_is_refused_for_a_bot_of_another_ruleset(self, event: Event, enter: Interface) -> None:
        assert enter(event, make_version("ant", rulesets=["squ"])) == (
            "ant v1 does not play square-grid-hex, only squ: enter a version that does.")

    def test_is_refused_when_the_event_is_over(self, event: Event, enter: Interface) -> None:
        for name in ("bee", "cat"):
            enter_event(event=event, version=make_version(name), actor=make_user("mia"), now=timezone.now())
        start_event(event=event, now=timezone.now())
        play_event(event)
        assert enter(event, make_version("ant")) == "Open is finished: entries are closed."

    def test_is_refused_for_another_users_bot(self, event: Event, enter: Interface) -> None:
        assert enter(event, make_version("ant", owner="noor")) == (
            "ant is not your bot: only its owner and its team can enter it.")


class TestCreatingAnEvent:
    """The organiser names the entrants, through the API or by command. The admin's wizard has its own tests."""

    @pytest.fixture(autouse=True)
    def _bots(self, event: Event) -> None:
        make_user("organiser", staff=True)
        for name, rulesets in (("ant", ["square-grid-hex"]), ("bee", ["square-grid-hex"]), ("cat", ["squ"])):
            make_version(name, rulesets=rulesets)

    def by_api(self, event: Event, *names: str) -> str:
        versions = [Version.objects.get(bot__name=name).pk for name in names]
        return api("organiser", "/api/events/", {"name": "Cup", "ladder": event.ladder.slug, "versions": versions})

    def by_command(self, event: Event, *names: str) -> str:
        return command("create_event", event.ladder.slug, *(
            Version.objects.get(bot__name=name).bot.slug for name in names))

    @pytest.mark.parametrize("hold", [by_api, by_command], ids=["API", "command"])
    @pytest.mark.parametrize(("names", "sentence"), [
        (("ant", "bee", "ant"), "ant is entered twice: choose one version."),
        (("ant", "bee", "cat"), "cat v1 does not play square-grid-hex, only squ: enter a version that does."),
    ])
    def test_is_refused(self, event: Event, hold: Interface, names: tuple[str, ...], sentence: str) -> None:
        assert hold(self, event, *names) == sentence


class TestJoiningALadder:
    @pytest.mark.parametrize(("owner", "rulesets", "sentence"), [
        ("mia", ["squ"], "ant v1 does not play square-grid-hex, only squ: choose a version that does."),
        ("noor", ["square-grid-hex"], "ant is not your bot: only its owner and its team can manage it."),
    ])
    def test_is_refused(self, event: Event, owner: str, rulesets: list[str], sentence: str) -> None:
        version, ladder = make_version("ant", owner=owner, rulesets=rulesets), event.ladder.slug
        assert page("mia", "ladder-join", ladder, version=version.pk) == sentence
        assert api("mia", f"/api/ladders/{ladder}/join/", {"version": version.pk}) == sentence


class TestUploading:
    def test_is_refused_over_the_quota(self, settings: Any, tmp_path: Any) -> None:
        settings.UPLOADS_PER_DAY = 0
        make_user("mia")
        archive = tmp_path / "ant.zip"
        archive.write_bytes(make_archive("ant"))
        sentence = "Your account may not upload: its quota is 0 uploads in 24 hours. Ask the site's staff."
        assert page("mia", "upload", archive=SimpleUploadedFile("ant.zip", archive.read_bytes())) == sentence
        assert api("mia", "/api/submissions/", {"archive": SimpleUploadedFile("ant.zip", archive.read_bytes())},
                   "multipart") == sentence
        assert command("upload_bot", archive, "--owner", "mia") == sentence

    def test_is_refused_under_another_authors_name(self, tmp_path: Any) -> None:
        bot = make_version("ant", owner="noor").bot
        bot.slug = "ant"
        bot.save()
        make_user("mia")
        archive = tmp_path / "ant.zip"
        archive.write_bytes(make_archive("ant"))
        sentence = "The name ant belongs to another author: choose another name in bot.toml."
        assert api("mia", "/api/submissions/", {"archive": SimpleUploadedFile("ant.zip", archive.read_bytes())},
                   "multipart") == sentence
        assert admin("submission", {"archive": SimpleUploadedFile("ant.zip", archive.read_bytes())}) == sentence
        assert command("upload_bot", archive, "--owner", "mia") == f"{archive}: {sentence}"


class TestChallenging:
    def test_is_refused_over_the_quota_of_games(self, event: Event, settings: Any) -> None:
        settings.GAMES_PER_DAY = 3
        first, second = make_version("ant"), make_version("bee", owner="noor")
        facts = {"ladder": event.ladder.slug, "first": first.pk, "second": second.pk, "matches": 2}
        sentence = ("2 matches mean 4 games, but the owner of ant has 3 left of a 24-hour quota: request fewer "
                    "matches, or try again later.")
        assert api("mia", "/api/challenges/", facts) == sentence
        client = Client()
        client.force_login(make_user("mia"))
        answer = client.post(reverse("challenge-new"), {**facts, "second": "bee", "match_count": 2})
        assert (answer.status_code, sentence in answer.content.decode()) == (409, True)
