"""The user's own account, tokens, teams and versions through the API."""

from datetime import timedelta
from typing import Any

from django.utils import timezone
from rest_framework.test import APIClient

from tests.factories import make_user, make_version
from tests.tournaments.api import contract
from tournaments.models import Token, Version
from tournaments.services.accounts.teams import found_team
from tournaments.services.accounts.tokens import make_token, use_token


class TestMe:
    def test_shows_the_account_and_its_remaining_quotas(self, author: APIClient, settings: Any) -> None:
        settings.UPLOADS_PER_DAY, settings.MAX_ARCHIVE_BYTES, settings.GAMES_PER_DAY = 3, 1000, 8
        answer = author.get("/api/me/")
        shown = answer.json()
        assert (shown["username"], shown["is_staff"], shown["teams"]) == ("mia", False, [])
        assert shown["quotas"] == {"uploads_per_day": 3, "uploads_left": 3, "next_upload_at": None,
                                   "archive_bytes": 1000, "games_per_day": 8, "games_left": 8}

    def test_has_no_limits_for_staff(self, organiser: APIClient) -> None:
        answer = organiser.get("/api/me/")
        assert answer.json()["quotas"]["uploads_left"] is None

    def test_changes_only_the_given_fields(self, author: APIClient) -> None:
        author.patch("/api/me/", {"about": "<b>Bots</b>"}, format="json")
        answer = author.patch("/api/me/", {"link": "https://example.org/"}, format="json")
        assert (answer.json()["about"], answer.json()["link"]) == ("<b>Bots</b>", "https://example.org/")

    def test_names_the_malformed_field_or_says_why_it_refuses(self, author: APIClient) -> None:
        for change in ({"about": "x" * 2001}, {"about": "\0"}, {"mail_on": "x"}):
            assert contract.malformed(author.patch("/api/me/", change, format="json")) == list(change)
        answer = author.patch("/api/me/", {"link": "javascript:alert(1)"}, format="json")
        assert contract.problem(answer)[0] == 409


class TestAToken:
    def test_authenticates_a_request_in_either_form(self, anyone: APIClient, author: APIClient) -> None:
        _, text = make_token(user=make_user("mia"), name="n", now=timezone.now())
        for header in (f"Token {text}", f"Bearer {text}", f"token  {text}"):
            anyone.credentials(HTTP_AUTHORIZATION=header)
            assert anyone.get("/api/me/").json()["username"] == "mia"

    def test_is_refused_with_a_reason_when_invalid(self, anyone: APIClient) -> None:
        now = timezone.now()
        _, expired = make_token(user=make_user("mia"), name="n", now=now - timedelta(days=2),
                                expires_at=now - timedelta(days=1))
        for header, sentence in (
            ("Token", "must have the form `Token sqf_…`"), ("Token a b", "must have the form"),
            ("Bearer \xff", "Unknown token"), ("Token sqf_made_up", "Unknown token"),
            (f"Token {expired}", "expired at"),
        ):
            anyone.credentials(HTTP_AUTHORIZATION=header)
            answer = anyone.get("/api/games/")
            status, said = contract.problem(answer)
            assert (status, sentence in said, answer["WWW-Authenticate"]) == (401, True, "Token"), said

    def test_is_listed_without_its_text_and_revoked(self, author: APIClient) -> None:
        answer = author.get("/api/tokens/")
        mine = answer.json()["results"][0]
        assert set(mine) == {"id", "name", "prefix", "scope", "created_at", "last_used_at", "expires_at", "revoked_at"}
        assert author.delete(f"/api/tokens/{mine['id']}/").status_code == 204
        assert "was revoked" in contract.problem(author.get("/api/tokens/"))[1]

    def test_is_visible_only_to_its_owner(self, author: APIClient, organiser: APIClient) -> None:
        theirs = Token.objects.get(user__username="organiser")
        assert author.get(f"/api/tokens/{theirs.pk}/").status_code == 404
        assert author.delete(f"/api/tokens/{theirs.pk}/").status_code == 404

    def test_creates_no_other_token(self, author: APIClient) -> None:
        answer = author.post("/api/tokens/", {"name": "spare"}, format="json")
        assert contract.problem(answer) == (
            403, "A token cannot create tokens: sign in and create one on your account page.")

    def test_is_created_in_a_session_and_shown_once(self, db: None) -> None:
        client = APIClient()
        client.force_login(make_user("mia"))
        answer = client.post("/api/tokens/", {"name": "spare"}, format="json")
        assert answer.status_code == 201
        assert use_token(text=answer.json()["token"], now=timezone.now()).name == "spare"
        assert "token" not in client.get(f"/api/tokens/{answer.json()['id']}/").json()


class TestTeams:
    def test_are_founded_joined_and_left(self, author: APIClient) -> None:
        make_user("ann")
        answer = author.post("/api/teams/", {"name": "Lutra"}, format="json")
        assert answer.status_code == 201
        unknown = author.post("/api/teams/lutra/add-member/", {"username": "nobody"}, format="json")
        assert contract.malformed(unknown) == ["username"]
        for verb, role in (("add-member", "member"), ("appoint-captain", "captain")):
            answer = author.post(f"/api/teams/lutra/{verb}/", {"username": "ann"}, format="json")
            assert [(one["username"], one["role"]) for one in answer.json()["members"]] == [
                ("mia", "captain"), ("ann", role)]
        assert author.post("/api/teams/lutra/remove-member/", {"username": "mia"}, format="json").status_code == 204
        assert contract.problem(author.post("/api/teams/lutra/add-member/", {"username": "mia"}, format="json")) == (
            403, "Only captains of Lutra can change its members.")

    def test_receive_bots_and_return_them(self, author: APIClient, organiser: APIClient) -> None:
        slug = make_version("Otter").bot.slug
        found_team(name="Lutra", founder=make_user("mia"), now=timezone.now())
        answer = author.post(f"/api/bots/{slug}/give/", {"team": "lutra"}, format="json")
        assert answer.json()["team"] == "lutra"
        assert author.get("/api/bots/", {"team": "lutra"}).json()["results"][0]["slug"] == slug
        assert author.post(f"/api/bots/{slug}/give/", {"team": None}, format="json").json()["team"] is None
        assert contract.malformed(author.post(f"/api/bots/{slug}/give/", {"team": "x"}, format="json")) == ["team"]


class TestVersions:
    def test_are_listed_and_filtered(self, anyone: APIClient, db: None) -> None:
        make_version("Otter")
        version = make_version("Beaver", owner="ann")
        Version.objects.filter(pk=version.pk).update(status="rested")
        answer = anyone.get("/api/versions/")
        assert len(answer.json()["results"]) == 2
        for query in ({"bot": version.bot.slug}, {"owner": "ann"}, {"status": "rested"}):
            assert [one["id"] for one in anyone.get("/api/versions/", query).json()["results"]] == [version.pk]

    def test_are_suspended_withdrawn_and_brought_back_by_their_author(self, author: APIClient) -> None:
        version = make_version("Otter")
        for verb, status in (("rest", "rested"), ("withdraw", "withdrawn"), ("bring-back", "active")):
            answer = author.post(f"/api/versions/{version.pk}/{verb}/")
            assert answer.json()["status"] == status
        assert contract.problem(author.post(f"/api/versions/{version.pk}/bring-back/"))[0] == 409
