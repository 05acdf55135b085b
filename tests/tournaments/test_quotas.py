"""Quotas of authors per 24 hours, and what remains of them."""

from datetime import timedelta
from math import inf

import pytest

from tests.factories import make_user, make_version
from tests.tournaments.conftest import make_archive
from tournaments.models import Candidacy, Challenge, Match, Submission
from tournaments.models.lifecycle import MatchKind
from tournaments.selectors.shared.permissions import Forbidden
from tournaments.selectors.shared.quotas import OverQuota, games_left, quota_of
from tournaments.services.accounts.accounts import set_quotas
from tournaments.services.bots.submissions import SubmissionRefused, accept_upload

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


@pytest.fixture
def upload(author, now):
    """Return a function that uploads the n-th bot, some hours after `now`."""
    def upload(n, hours=0, uploader=author):
        return accept_upload(archive=make_archive(f"Otter {n}"), filename="otter.zip", uploader=uploader,
                             now=now + hours * HOUR)
    return upload


@pytest.fixture
def give(hex_ladder, now, author):
    """Return a function that pairs two versions, some hours before `now`."""
    def give(first, second, *, kind=MatchKind.LADDER, hours=1, **facts):
        if kind == MatchKind.CHALLENGE:
            facts = {**facts, "rated": False, "challenge": Challenge.objects.create(
                ladder=hex_ladder, first=first, second=second, created_by=author, created_at=now)}
        if kind == MatchKind.TRIAL:
            facts = {**facts, "rated": False, "number": 1, "candidacy": Candidacy.objects.create(
                ladder=hex_ladder, bot=first.bot, candidate=first, current=make_version(first.bot.name), elo0=0,
                elo1=30, alpha=0.05, beta=0.05, most_pairs=400, seed=1, started_at=now)}
        return Match.objects.create(kind=kind, ladder=hex_ladder, first=first, second=second, seed=1,
                                    ruleset=hex_ladder.ruleset, created_at=now - hours * HOUR, **facts)
    return give


class TestUploads:
    def test_are_counted_over_the_last_24_hours(self, upload, author, now, settings):
        settings.UPLOADS_PER_DAY = 2
        upload(1)
        upload(2, hours=5)
        with pytest.raises(OverQuota, match="is used up: you can upload again at "
                                            "2026-11-21 12:00 UTC"):
            upload(3, hours=23)
        assert Submission.objects.count() == 2
        upload(3, hours=24)
        with pytest.raises(OverQuota, match="again at 2026-11-21 17:00 UTC"):
            upload(4, hours=28)

    def test_count_even_if_refused(self, author, now, settings):
        settings.UPLOADS_PER_DAY = 1
        for refusal in (SubmissionRefused, OverQuota):
            with pytest.raises(refusal):
                accept_upload(archive=b"none", filename="x", uploader=author, now=now)
        assert Submission.objects.count() == 1

    def test_are_limited_per_author(self, upload, author, staff, now):
        set_quotas(user=author, actor=staff, now=now, uploads_per_day=0, archive_bytes=None, games_per_day=None)
        with pytest.raises(OverQuota, match="0 uploads in 24 hours"):
            upload(1)
        upload(2, uploader=make_user("mia"))

    def test_are_not_limited_for_staff(self, upload, staff, settings, now):
        settings.UPLOADS_PER_DAY = 0
        upload(1, uploader=staff)
        assert quota_of(staff, now).uploads_left is None

    def test_have_a_size_limit_that_staff_may_change_per_author(self, upload, author, staff, now, settings):
        settings.MAX_ARCHIVE_BYTES = 10
        with pytest.raises(SubmissionRefused, match="at most 10 are allowed"):
            upload(1)
        set_quotas(user=author, actor=staff, now=now, uploads_per_day=None, archive_bytes=5000, games_per_day=None)
        upload(1)
        assert quota_of(author, now).archive_bytes == 5000


class TestGamesLeft:
    def test_counts_two_per_match_and_charges_challenges_and_trials_to_one_owner(
            self, give, now, settings, django_assert_max_num_queries):
        settings.GAMES_PER_DAY = 100
        mine, other, yours = (make_version("A"), make_version("B"), make_version("C", owner="ann"))
        for _ in range(3):
            give(mine, yours)
        give(mine, other)
        give(yours, mine, kind=MatchKind.CHALLENGE)
        give(mine, yours, kind=MatchKind.TRIAL)
        owners = [mine.bot.owner_id, yours.bot.owner_id]
        with django_assert_max_num_queries(3):
            assert games_left(owners, now) == dict(zip(owners, (90, 92), strict=True))

    def test_counts_neither_old_nor_cancelled_matches(self, give, now, settings):
        settings.GAMES_PER_DAY = 100
        mine, yours = make_version("A"), make_version("C", owner="ann")
        give(mine, yours, hours=24)
        give(mine, yours, status="cancelled")
        give(mine, yours, hours=23)
        assert games_left([mine.bot.owner_id], now) == {mine.bot.owner_id: 98}

    def test_is_unlimited_for_staff_and_never_negative(self, give, now, settings, staff):
        settings.GAMES_PER_DAY = 1
        mine, theirs = make_version("A"), make_version("C", owner=staff.username)
        give(mine, theirs)
        assert games_left([mine.bot.owner_id, staff.pk], now) == {mine.bot.owner_id: 0, staff.pk: inf}

    def test_is_included_in_the_quotas(self, author, staff, now):
        set_quotas(user=author, actor=staff, now=now, uploads_per_day=3, archive_bytes=None, games_per_day=7)
        quota = quota_of(author, now)
        assert (quota.uploads_per_day, quota.uploads_left, quota.games_per_day, quota.games_left) == (3, 3, 7, 7)


class TestSetQuotas:
    def test_is_for_staff(self, author, now):
        with pytest.raises(Forbidden, match="staff"):
            set_quotas(user=author, actor=author, now=now, uploads_per_day=9, archive_bytes=None, games_per_day=None)
