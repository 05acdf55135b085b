"""GNU Go, an unmodified external program, is uploaded through the API and meets `searcher` in an event."""

import io
import zipfile
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone
from rest_framework.test import APIClient

from engines.bots import REFERENCE_BOTS
from engines.records.record import GameRecord, verify
from engines.sandbox.archives.unpack import pack
from tests.tournaments.site import finished
from tournaments.models import Attempt, Event, Game
from tournaments.models.lifecycle import AttemptStatus
from tournaments.services.ladders.ladders import create_ladder

GNUGO = Path("/usr/games/gnugo")
MANIFEST = f"""name = "GNU Go"
command = "{GNUGO} --mode gtp --level 1 --positional-superko --allow-suicide"
rulesets = ["squaresquared"]
"""

pytestmark = [
    pytest.mark.workers,
    pytest.mark.serial,
    pytest.mark.slow,
    pytest.mark.thorough,
    pytest.mark.skipif(not GNUGO.exists(), reason="GNU Go is not installed: apt-get install gnugo"),
]


def gnugo_archive() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("bot.toml", MANIFEST)
    return packed.getvalue()


@pytest.fixture
def api(staff) -> APIClient:
    client = APIClient()
    client.force_authenticate(staff)
    return client


def upload(api: APIClient, archive: bytes) -> str:
    """Upload through the API and return the address of the submission."""
    answer = api.post(reverse("submission-list"), {"archive": SimpleUploadedFile("bot.zip", archive)})
    assert answer.status_code == 202, answer.json()
    return answer["Location"]


def judged(api: APIClient, place: str) -> bool:
    """Return whether the submission has been accepted or refused."""
    return api.get(place).json()["status"] in {"accepted", "refused"}


class TestGnuGo:
    def test_plays_complete_games_against_searcher_as_an_uploaded_bot(self, api, site):
        ladder = create_ladder(ruleset="squaresquared", size=7, base_seconds=3.0, increment_seconds=0.05)
        site.start("coordinator")
        site.start("worker", "--concurrency", "2", "--rulesets", "squaresquared")
        places = [upload(api, gnugo_archive()), upload(api, pack(REFERENCE_BOTS["searcher"]))]
        site.wait_for(lambda: all(judged(api, place) for place in places))
        submissions = [api.get(place).json() for place in places]
        assert [submission["refusal"] for submission in submissions] == ["", ""]
        versions = [submission["version"]["id"] for submission in submissions]
        answer = api.post(reverse("event-list"), {"name": "Go and MCTS", "ladder": ladder.slug, "versions": versions},
                          format="json")
        assert answer.status_code == 201, answer.json()
        event = Event.objects.get(slug=answer.json()["slug"])
        assert timezone.now() - event.starts_at < timedelta(minutes=1)

        site.wait_for(lambda: finished(event))

        games = list(Game.objects.order_by("number"))
        assert [str(game.seat0.bot) for game in games] != [str(game.seat1.bot) for game in games]
        for game in games:
            record = GameRecord.from_dict(game.record)
            verify(record)
            # A losing side may continue until the turn limit; neither side broke the protocol or the rules.
            assert record.fault is None
            assert game.ended_by in {"rule", "policy"}
            assert game.plies > 20
            assert any(seat.program.startswith("GNU Go 3") for seat in record.seats)
        assert len(games) == 2
        assert not Attempt.objects.filter(status=AttemptStatus.VOID).exists()
