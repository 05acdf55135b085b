"""Suspending, withdrawing and bringing back versions, and permissions for it."""

from datetime import timedelta

import pytest

from tests.factories import make_user, make_version
from tournaments.models import AuditEntry, Ban, LadderEntry
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


@pytest.fixture
def entry(version, hex_ladder, now):
    return LadderEntry.objects.create(ladder=hex_ladder, bot=version.bot, version=version, joined_at=now,
                                      version_since=now, waiting_since=now)


class TestAVersion:
    def test_is_suspended_and_brought_back(self, version, mia, now, entry):
        assert versions.rest(version=version, actor=mia, now=now).status == "rested"
        entry.refresh_from_db()
        assert entry.active
        assert versions.bring_back(version=version, actor=mia, now=now).status == "active"

    def test_leaves_its_ladder_when_it_is_withdrawn(self, version, mia, now, entry):
        assert versions.withdraw(version=version, actor=mia, now=now).status == "withdrawn"
        entry.refresh_from_db()
        assert not entry.active

    def test_stays_on_ladders_where_another_version_plays(self, version, mia, now, entry):
        versions.withdraw(version=make_version("Otter"), actor=mia, now=now)
        entry.refresh_from_db()
        assert entry.active

    def test_refuses_changes_that_its_status_does_not_permit(self, version, mia, now):
        with pytest.raises(VersionRefused, match="Otter v1 is active: only a version that is suspended or withdrawn "
                                                 "can be brought back"):
            versions.bring_back(version=version, actor=mia, now=now)
        versions.withdraw(version=version, actor=mia, now=now)
        for verb in (versions.rest, versions.withdraw):
            with pytest.raises(VersionRefused, match="Otter v1 is withdrawn"):
                verb(version=version, actor=mia, now=now)

    def test_is_not_changed_again_from_a_stale_row(self, version, mia, now):
        stale = type(version).objects.get(pk=version.pk)
        versions.rest(version=version, actor=mia, now=now)
        with pytest.raises(VersionRefused):
            versions.rest(version=stale, actor=mia, now=now)

    def test_has_an_audit_log_of_its_changes(self, version, mia, now):
        versions.rest(version=version, actor=mia, now=now)
        versions.bring_back(version=version, actor=mia, now=now + timedelta(minutes=1))
        assert [(entry.actor, entry.verb, entry.name) for entry in AuditEntry.objects.all()] == [
            (mia, "bring back", "Otter v1"), (mia, "rest", "Otter v1")]


@pytest.mark.parametrize("verb", [versions.rest, versions.withdraw, versions.bring_back])
class TestPermissions:
    def test_are_refused_to_other_users(self, version, now, verb):
        with pytest.raises(Forbidden, match="Otter is not your bot"):
            verb(version=version, actor=make_user("ann"), now=now)

    def test_are_given_to_the_bots_team_and_to_staff(self, version, mia, now, verb, staff):
        ann = make_user("ann")
        team = found_team(name="Lutra", founder=mia, now=now)
        add_member(team=team, user=ann, actor=mia, now=now)
        give_bot(bot=version.bot, team=team, actor=mia, now=now)
        for who in (ann, staff):
            type(version).objects.update(status="rested" if verb is versions.bring_back else "active")
            verb(version=type(version).objects.get(), actor=who, now=now)


class TestABan:
    def test_prevents_bringing_back_a_version(self, version, mia, now, staff):
        versions.withdraw(version=version, actor=mia, now=now)
        Ban.objects.create(bot=version.bot, reason="it cheats", created_by=staff, created_at=now)
        with pytest.raises(Forbidden, match="Otter is banned: it cheats"):
            versions.bring_back(version=version, actor=mia, now=now)
