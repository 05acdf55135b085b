"""The second factor and the staff: required of them if the operator says so, and removed by them for other users."""

import re
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import Permission, User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.factories import make_user
from tests.security import surface
from tests.security.accounts.codes import Clock, is_in, post, secret_on, signed_in, switched_on
from tournaments import settings as site_settings
from tournaments.models import AuditEntry, Delivery
from tournaments.selectors.shared.permissions import Forbidden
from tournaments.services.accounts import second_factor as verbs
from tournaments.services.accounts.tokens import make_token
from tournaments.services.notices import mailing

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_counters")]


@pytest.fixture
def staff(clock: Clock) -> Client:
    return signed_in(make_user("organiser", staff=True))


class TestRemovalByStaff:
    @staticmethod
    def take(client: Client, user: User) -> Any:
        rows = Authenticator.objects.filter(user=user).values_list("pk", flat=True)
        return client.post(reverse("admin:mfa_authenticator_changelist"), {
            "action": "take_away", "_selected_action": list(rows)}, follow=True)

    def test_is_done_in_the_admin_with_audit_entry_and_mail(self, staff: Client, mia: User) -> None:
        self.take(staff, mia)
        assert not Authenticator.objects.exists()
        entry = AuditEntry.objects.latest("pk")
        assert (entry.actor.username, entry.verb, entry.name) == ("organiser", "take away the second factor of", "mia")
        notice = Delivery.objects.get()
        assert (notice.user, notice.channel, notice.kind) == (mia, "mail", "second_factor.taken")
        assert "/account/second-factor/" in mailing.text(notice.kind, {})[1]

    def test_requires_the_permission(self, mia: User) -> None:
        looker = make_user("looker")
        User.objects.filter(pk=looker.pk).update(is_staff=True)
        looker.user_permissions.set(Permission.objects.filter(codename="view_authenticator"))
        client = signed_in(looker)
        assert client.get(reverse("admin:mfa_authenticator_changelist")).status_code == 200
        self.take(client, mia)
        assert verbs.is_on(mia)

    def test_from_a_superuser_requires_a_superuser(self, clock: Clock) -> None:
        boss, helper = make_user("organiser", staff=True), make_user("helper")
        switched_on(boss, clock)
        with pytest.raises(Forbidden):
            verbs.take_away(user=boss, actor=helper, now=timezone.now())
        assert verbs.is_on(boss)

    def test_shows_staff_no_secret(self, staff: Client, mia: User) -> None:
        for row in Authenticator.objects.all():
            page = staff.get(reverse("admin:mfa_authenticator_change", args=[row.pk])).content.decode()
            assert not re.search(r"secret|hashes|gAAAA|md5\$", page)

    def test_is_done_by_command_for_the_only_organiser(self, clock: Clock) -> None:
        boss = make_user("organiser", staff=True)
        switched_on(boss, clock)
        call_command("take_second_factor", "organiser")
        assert not verbs.is_on(boss)
        assert AuditEntry.objects.latest("pk").actor is None
        with pytest.raises(CommandError, match="organiser has no second factor"):
            call_command("take_second_factor", "organiser")


class TestTheStaffRequirement:
    @pytest.fixture(autouse=True)
    def _required(self, settings: Any, clock: Clock) -> None:
        settings.STAFF_SECOND_FACTOR = True

    @pytest.mark.slow
    def test_applies_to_all_but_four_pages_and_gives_a_reason(self, staff: Client) -> None:
        every = [way for way in (*surface.pages(), *surface.admin_pages()) if "{" not in way]
        open_ones = {way for way in every if staff.get(way).headers.get("Location") != reverse("second-factor")}
        assert open_ones == {"/account/second-factor/", "/account/password/change/", "/language/", "/account/logout/"}
        assert staff.post("/admin/")["Location"] == reverse("second-factor")
        assert "requires a second factor for its staff" in staff.get(reverse("second-factor")).content.decode()

    def test_refuses_api_calls_by_session_with_a_reason(self, staff: Client) -> None:
        for answer in (staff.get("/api/me/"), staff.post("/api/teams/", {"name": "Ants"})):
            assert (answer.status_code, answer["Content-Type"]) == (403, "application/problem+json")
            assert "requires a second factor for its staff" in answer.json()["detail"]

    def test_does_not_apply_to_tokens_authors_or_visitors(self, clock: Clock) -> None:
        _, text = make_token(user=make_user("organiser", staff=True), name="script", now=timezone.now())
        answer = Client().get("/api/me/", headers={"Authorization": f"Token {text}"})
        assert (answer.status_code, answer.json()["username"]) == (200, "organiser")
        assert is_in(signed_in(make_user("ann")))
        assert Client().get("/ladders/").status_code == 200

    def test_is_met_once_it_is_on(self, staff: Client, clock: Clock) -> None:
        secret = secret_on(staff.get(reverse("second-factor")))
        post(staff, "second-factor", password="organiser", code=clock.code(secret))
        assert staff.get("/admin/").status_code == 200

    def test_causes_no_redirect_loop_after_a_session_ends(self, staff: Client) -> None:
        user = make_user("organiser")
        user.set_password("another")
        user.save()
        assert staff.get("/admin/", follow=True).redirect_chain[-1][0].startswith(reverse("account_login"))

    def test_is_off_by_default(self, staff: Client, settings: Any) -> None:
        assert site_settings.STAFF_SECOND_FACTOR is False
        settings.STAFF_SECOND_FACTOR = False
        assert staff.get("/admin/").status_code == 200
