"""Teams, their members and their bots."""

import pytest

from tests.factories import make_user, make_version, ready_version
from tests.tournaments.conftest import make_archive
from tournaments.models import AuditEntry, Bot, Team
from tournaments.selectors.shared.permissions import Forbidden, acts_for, manager_ids
from tournaments.services.accounts import teams
from tournaments.services.accounts.teams import (
    TeamRefused,
    add_member,
    appoint_captain,
    found_team,
    give_bot,
    remove_member,
)
from tournaments.services.bots.submissions import SubmissionRefused, accept_upload

pytestmark = pytest.mark.django_db


@pytest.fixture
def mia(db):
    return make_user("mia")


@pytest.fixture
def ann(db):
    return make_user("ann")


@pytest.fixture
def team(mia, now):
    return found_team(name="  Lutra  lutra ", founder=mia, now=now)


def _members(team):
    return {membership.user.username: membership.role for membership in team.memberships.all()}


class TestFoundTeam:
    def test_makes_its_founder_captain(self, team, now):
        assert (team.name, team.slug, team.created_at) == ("Lutra lutra", "lutra-lutra", now)
        assert _members(team) == {"mia": "captain"}

    @pytest.mark.database
    def test_refuses_names_in_use_or_invalid_and_too_many_teams(self, team, mia, ann, now, monkeypatch):
        with pytest.raises(TeamRefused, match="A team with the name LUTRA LUTRA already exists"):
            found_team(name="LUTRA LUTRA", founder=ann, now=now)
        with pytest.raises(TeamRefused, match="looks like that of the team Lutra lutra"):
            found_team(name="Lutr\u0430 lutra", founder=ann, now=now)
        assert found_team(name="Lutra-Lutra", founder=ann, now=now).slug == "lutra-lutra-2"
        for name in ("", "   ", "x" * 51, "a\0b", "a\u202eb"):
            with pytest.raises(TeamRefused, match="1 to 50 visible characters"):
                found_team(name=name, founder=mia, now=now)
        monkeypatch.setattr(teams, "MOST_TEAMS", 1)
        with pytest.raises(TeamRefused, match="leave one first"):
            found_team(name="Another", founder=mia, now=now)


class TestMembers:
    def test_are_added_once_by_captains_up_to_the_limit(self, team, mia, ann, now, monkeypatch):
        with pytest.raises(Forbidden, match="Only captains of Lutra lutra"):
            add_member(team=team, user=make_user("bob"), actor=ann, now=now)
        add_member(team=team, user=ann, actor=mia, now=now)
        assert _members(team) == {"mia": "captain", "ann": "member"}
        assert AuditEntry.objects.first().detail == {"member": "ann"}
        with pytest.raises(Forbidden, match="Only captains of Lutra lutra"):
            add_member(team=team, user=make_user("bob"), actor=ann, now=now)
        with pytest.raises(TeamRefused, match="ann is already in Lutra lutra"):
            add_member(team=team, user=ann, actor=mia, now=now)
        monkeypatch.setattr(teams, "MOST_MEMBERS", 2)
        with pytest.raises(TeamRefused, match="2 members, the most allowed"):
            add_member(team=team, user=make_user("bob"), actor=mia, now=now)

    def test_leave_or_are_removed_by_captains(self, team, mia, ann, now):
        bob = make_user("bob")
        for user in (ann, bob):
            add_member(team=team, user=user, actor=mia, now=now)
        with pytest.raises(Forbidden):
            remove_member(team=team, user=bob, actor=ann, now=now)
        remove_member(team=team, user=ann, actor=ann, now=now)
        remove_member(team=team, user=bob, actor=mia, now=now)
        assert _members(team) == {"mia": "captain"}
        with pytest.raises(TeamRefused, match="bob is not in Lutra lutra"):
            remove_member(team=team, user=bob, actor=mia, now=now)

    def test_always_include_a_captain(self, team, mia, ann, now):
        add_member(team=team, user=ann, actor=mia, now=now)
        with pytest.raises(TeamRefused, match="mia is the only captain of Lutra lutra: appoint another"):
            remove_member(team=team, user=mia, actor=mia, now=now)
        appoint_captain(team=team, user=ann, actor=mia, now=now)
        remove_member(team=team, user=mia, actor=mia, now=now)
        assert _members(team) == {"ann": "captain"}

    def test_disband_the_team_when_the_last_one_leaves(self, team, mia, now):
        give_bot(bot=make_version("Otter").bot, team=team, actor=mia, now=now)
        remove_member(team=team, user=mia, actor=mia, now=now)
        assert not Team.objects.exists()
        assert Bot.objects.get().team is None
        with pytest.raises(TeamRefused, match="has been disbanded"):
            add_member(team=team, user=mia, actor=make_user("staff", staff=True), now=now)


class TestABotOfATeam:
    def test_is_given_to_a_team_of_its_owner_and_taken_back_only_by_them(self, team, mia, ann, now):
        bot = make_version("Otter").bot
        with pytest.raises(TeamRefused, match="mia is not in Meles"):
            give_bot(bot=bot, team=found_team(name="Meles", founder=ann, now=now), actor=mia, now=now)
        add_member(team=team, user=ann, actor=mia, now=now)
        give_bot(bot=bot, team=team, actor=mia, now=now)
        assert acts_for(ann, bot)
        assert manager_ids(bot) == {mia.pk, ann.pk}
        with pytest.raises(Forbidden, match="only its owner, mia, can"):
            give_bot(bot=bot, team=None, actor=ann, now=now)
        give_bot(bot=bot, team=None, actor=mia, now=now)
        assert not acts_for(ann, bot)

    def test_gets_versions_only_from_members(self, enter, team, mia, ann, now, staff):
        bot = enter("Otter", mia).bot
        second = {"archive": make_archive("Otter", code="# 2"), "filename": "o.zip", "now": now}
        for stranger in (ann, staff):
            with pytest.raises(SubmissionRefused, match="belongs to another author"):
                accept_upload(uploader=stranger, **second)
        add_member(team=team, user=ann, actor=mia, now=now)
        give_bot(bot=bot, team=team, actor=mia, now=now)
        version = ready_version(accept_upload(uploader=ann, **second))
        assert (version.bot, version.number, version.submission.uploader, version.bot.owner) == (bot, 2, ann, mia)
