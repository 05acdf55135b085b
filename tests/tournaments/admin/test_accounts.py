"""Quotas, tokens and versions in the admin, and signing in to it."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.factories import make_user, make_version
from tests.tournaments.admin.buttons import at, choose, press
from tournaments.models import AuditEntry, Profile, Token, Version
from tournaments.services.accounts.accounts import change_profile, profile_of
from tournaments.services.accounts.tokens import make_token


class TestAProfile:
    def test_lets_staff_edit_only_the_quotas(self, desk: Client) -> None:
        mia = make_user("mia")
        profile = change_profile(user=mia, now=timezone.now(), about="I write bots.")
        answer = desk.post(at(Profile, "change", profile.pk), {
            "uploads_per_day": "3", "archive_bytes": "", "games_per_day": "0", "about": "defaced"})
        assert answer.status_code == 302
        profile.refresh_from_db()
        assert (profile.uploads_per_day, profile.archive_bytes, profile.games_per_day) == (3, None, 0)
        assert profile.about == "I write bots."
        entry = AuditEntry.objects.first()
        assert (entry.actor.username, entry.verb, entry.name) == ("organiser", "set quotas of", "mia")

    def test_is_not_changed_by_read_only_staff(self, looker: Client) -> None:
        profile = profile_of(make_user("mia"))
        assert looker.get(at(Profile, "change", profile.pk)).status_code == 200
        assert looker.post(at(Profile, "change", profile.pk), {"uploads_per_day": "3"}).status_code == 403


class TestAToken:
    @pytest.fixture
    def token(self, db: None) -> Token:
        return make_token(user=make_user("mia"), name="my laptop", now=timezone.now())[0]

    def test_is_revoked_from_the_list_but_not_by_read_only_staff(
            self, desk: Client, looker: Client, token: Token) -> None:
        for client, revoked in ((looker, False), (desk, True)):
            choose(client, token, "revoke")
            token.refresh_from_db()
            assert (token.revoked_at is not None) is revoked

    def test_shows_no_hash(self, desk: Client, token: Token) -> None:
        assert token.digest not in desk.get(at(Token, "change", token.pk)).content.decode()


class TestAVersion:
    def test_is_suspended_and_the_audit_log_names_the_organiser(self, desk: Client) -> None:
        version = make_version("Otter")
        press(desk, version, "rest")
        version.refresh_from_db()
        assert version.status == "rested"
        assert AuditEntry.objects.get(verb="rest").actor.username == "organiser"


class TestSigningIn:
    def test_uses_the_sites_page_and_returns_to_the_requested_one(self, client: Client, db: None) -> None:
        make_user("organiser", staff=True)
        wanted = at(Version, "changelist")
        door = client.get(client.get(wanted)["Location"])["Location"]
        assert door == f"{reverse('account_login')}?next={wanted}"
        answer = client.post(door, {"login": "organiser", "password": "organiser", "next": wanted})
        assert answer["Location"] == wanted
        assert client.get(reverse("admin:login"))["Location"] == reverse("admin:index")

    def test_is_closed_to_authors(self, client: Client, db: None) -> None:
        client.force_login(make_user("mia"))
        assert client.get(reverse("admin:login")).status_code == 403
