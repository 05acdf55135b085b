"""An author's journey through the pages: account, upload of a trained bot, check, ladder, rated games."""

import re

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from engines.bots import REFERENCE_BOTS
from engines.sandbox.archives.unpack import pack
from ratings.models import Rating
from tests.training import trained_bot
from tournaments.models import Ladder, Match, Submission, Version
from tournaments.services.ladders.ladders import create_ladder

pytestmark = [pytest.mark.workers, pytest.mark.serial, pytest.mark.slow, pytest.mark.needs_servers]


def sign_up(client, name: str) -> None:
    answer = client.post(reverse("account_signup"), {"username": name, "password1": "a long pass phrase",
                                                     "password2": "a long pass phrase"})
    assert answer.status_code == 302, answer.content.decode()
    assert User.objects.filter(username=name).exists()


def upload(client, archive: bytes) -> Submission:
    answer = client.post(reverse("upload"), {"archive": SimpleUploadedFile("bot.zip", archive)})
    found = re.fullmatch(r"/submissions/(\d+)/", answer["Location"])
    assert found, answer["Location"]
    return Submission.objects.get(pk=found[1])


def ready(*submissions: Submission) -> bool:
    return Version.objects.filter(submission__in=submissions).count() == len(submissions)


class TestAnAuthor:
    def test_signs_up_uploads_qualifies_joins_a_ladder_and_gets_rated_games(self, client, site, staff, tmp_path):
        trained = pack(trained_bot(tmp_path, size=4, rounds=100))
        ladder: Ladder = create_ladder(ruleset="square-grid-hex", size=4, base_seconds=60.0)
        site.start("coordinator")
        site.start("worker", "--concurrency", "2")

        sign_up(client, "mia")
        mine = upload(client, trained)
        client.logout()
        sign_up(client, "noah")
        others = upload(client, pack(REFERENCE_BOTS["random"]))
        site.wait_for(lambda: ready(mine, others))

        for name, submission in (("mia", mine), ("noah", others)):
            client.force_login(User.objects.get(username=name))
            page = client.get(reverse("ladder", args=[ladder.slug])).content.decode()
            version = Version.objects.get(submission=submission)
            assert f'value="{version.pk}"' in page
            joined = client.post(reverse("ladder-join", args=[ladder.slug]), {"version": version.pk}, follow=True)
            assert f"{version} now plays on {ladder}." in joined.content.decode()

        # A period of ladder play closes at most half a minute after its first game.
        site.wait_for(lambda: Rating.objects.filter(ladder=ladder, games__gt=0).count() == 2)
        assert all(match.kind == "ladder" and match.rated for match in Match.objects.all())
        page = client.get(reverse("ladder", args=[ladder.slug])).content.decode()
        assert "Trained" in page
