"""Refusals, which have the same message in every interface: what is refused, and what to do about it.

The interfaces are the pages, the API, the operator's commands and the admin, where they support the action.
"""

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

from tests.factories import make_user, make_version
from tests.tournaments.api import contract
from tests.tournaments.conftest import make_archive
from tournaments.models import Bot, Event, Version
from tournaments.services.events.events import create_event
from tournaments.services.ladders.ladders import create_ladder

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


@pytest.fixture(scope="module")
def event(module_db: None) -> Event:
    """An event that everyone may enter now."""
    now = timezone.now()
    ladder = create_ladder(ruleset="square-grid-hex", size=3, base_seconds=5.0)
    return create_event(name="Open", ladder=ladder, registration_opens_at=now - 2 * HOUR, starts_at=now + HOUR,
                        created_by=make_user("organiser", staff=True), now=now - 3 * HOUR, seed=7)


@pytest.fixture(scope="module")
def ant(module_db: None) -> Version:
    """Mia's bot."""
    return make_version("ant", owner="mia")


@pytest.fixture(scope="module")
def wasp(module_db: None) -> Version:
    """Another author's bot."""
    wasp = make_version("wasp", owner="noor")
    # As an upload sets it.
    Bot.objects.filter(pk=wasp.bot_id).update(slug="wasp")
    wasp.bot.refresh_from_db()
    return wasp


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


def archive_of(name: str) -> SimpleUploadedFile:
    return SimpleUploadedFile(f"{name}.zip", make_archive(name))


class TestEnteringAnEvent:
    def doors(self, event: Event, version: Version) -> set[str]:
        return {page("mia", "event-enter", event.slug, version=version.pk),
                api("mia", f"/api/events/{event.slug}/enter/", {"version": version.pk})}

    def test_is_refused_past_the_deadline(self, event: Event, ant: Version) -> None:
        closed = timezone.now().replace(microsecond=0) - HOUR
        Event.objects.update(registration_closes_at=closed)
        sentence = (f"Registration for Open closed at {closed:%Y-%m-%d %H:%M} UTC: until the event starts, only its "
                    "organiser can enter bots.")
        assert self.doors(event, ant) == {sentence}

    def test_is_refused_for_another_users_bot(self, event: Event, wasp: Version) -> None:
        assert self.doors(event, wasp) == {"wasp is not your bot: only its owner and its team can enter it."}


class TestUploading:
    def test_is_refused_over_the_quota(self, ant: Version, settings: Any, tmp_path: Any) -> None:
        settings.UPLOADS_PER_DAY = 0
        path = tmp_path / "ant.zip"
        path.write_bytes(make_archive("ant"))
        sentence = "Your account may not upload: its quota is 0 uploads in 24 hours. Ask the site's staff."
        assert page("mia", "upload", archive=archive_of("ant")) == sentence
        assert api("mia", "/api/submissions/", {"archive": archive_of("ant")}, "multipart") == sentence
        assert command("upload_bot", path, "--owner", "mia") == sentence

    def test_is_refused_under_another_authors_name(self, wasp: Version, tmp_path: Any) -> None:
        path = tmp_path / "wasp.zip"
        path.write_bytes(make_archive("wasp"))
        sentence = "The name wasp belongs to another author: choose another name in bot.toml."
        assert api("mia", "/api/submissions/", {"archive": archive_of("wasp")}, "multipart") == sentence
        assert admin("submission", {"archive": archive_of("wasp")}) == sentence
        assert command("upload_bot", path, "--owner", "mia") == f"{path}: {sentence}"


class TestChallenging:
    def test_is_refused_over_the_quota_of_games(
        self, event: Event, ant: Version, wasp: Version, settings: Any
    ) -> None:
        settings.GAMES_PER_DAY = 3
        facts = {"ladder": event.ladder.slug, "first": ant.pk, "second": wasp.pk, "matches": 2}
        sentence = ("2 matches mean 4 games, but the owner of ant has 3 left of a 24-hour quota: request fewer "
                    "matches, or try again later.")
        assert api("mia", "/api/challenges/", facts) == sentence
        client = Client()
        client.force_login(make_user("mia"))
        answer = client.post(reverse("challenge-new"), {**facts, "second": "wasp", "match_count": 2})
        assert (answer.status_code, sentence in answer.content.decode()) == (409, True)
