"""Suspending, withdrawing and bringing back versions, and permissions for it."""

from datetime import timedelta

import pytest

from tests.factories import make_user, make_version
from tournaments.models import AuditEntry, Ban, LadderEntry, Version
from tournaments.selectors.shared.permissions import Forbidden
from tournaments.services.accounts.teams import add_member, found_team, give_bot
from tournaments.services.bots import versions
from tournaments.services.bots.versions import VersionRefused

pytestmark = pytest.mark.django_db


@pytest.fixture
def mia(db):
    return make_user("mia")


@pytest.fixture
def version(mia):
    return make_version("Otter")


class TestAVersion:
    def test_is_suspended_and_brought_back_and_leaves_its_ladder_when_it_is_withdrawn(self, version, mia, now,
                                                                                     hex_ladder):
        entry = LadderEntry.objects.create(ladder=hex_ladder, bot=version.bot, version=version, joined_at=now,
                                           version_since=now, waiting_since=now)

        def plays() -> bool:
            entry.refresh_from_db()
            return entry.active

        stale = Version.objects.get(pk=version.pk)
        assert (versions.rest(version=version, actor=mia, now=now).status, plays()) == ("rested", True)
        with pytest.raises(VersionRefused):
            versions.rest(version=stale, actor=mia, now=now)
        later = now + timedelta(minutes=1)
        assert versions.bring_back(version=version, actor=mia, now=later).status == "active"
        assert [(entry.actor, entry.verb, entry.name) for entry in AuditEntry.objects.all()] == [
            (mia, "bring back", "Otter v1"), (mia, "rest", "Otter v1")]
        # It stays where another version plays.
        versions.withdraw(version=make_version("Otter"), actor=mia, now=now)
        assert plays()
        assert (versions.withdraw(version=version, actor=mia, now=now).status, plays()) == ("withdrawn", False)

    def test_refuses_changes_that_its_status_or_a_ban_does_not_permit(self, version, mia, now, staff):
        with pytest.raises(VersionRefused, match="Otter v1 is active: only a version that is suspended or withdrawn "
                                                 "can be brought back"):
            versions.bring_back(version=version, actor=mia, now=now)
        versions.withdraw(version=version, actor=mia, now=now)
        for verb in (versions.rest, versions.withdraw):
            with pytest.raises(VersionRefused, match="Otter v1 is withdrawn"):
                verb(version=version, actor=mia, now=now)
        Ban.objects.create(bot=version.bot, reason="it cheats", created_by=staff, created_at=now)
        with pytest.raises(Forbidden, match="Otter is banned: it cheats"):
            versions.bring_back(version=version, actor=mia, now=now)

    @pytest.mark.parametrize("verb", [versions.rest, versions.withdraw, versions.bring_back])
    def test_is_changed_by_its_bots_team_and_by_staff_only(self, version, mia, now, verb, staff):
        ann = make_user("ann")
        with pytest.raises(Forbidden, match="Otter is not your bot"):
            verb(version=version, actor=ann, now=now)
        team = found_team(name="Lutra", founder=mia, now=now)
        add_member(team=team, user=ann, actor=mia, now=now)
        give_bot(bot=version.bot, team=team, actor=mia, now=now)
        for who in (ann, staff):
            Version.objects.update(status="rested" if verb is versions.bring_back else "active")
            verb(version=Version.objects.get(), actor=who, now=now)
