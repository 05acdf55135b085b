"""The user's own account, tokens, teams and versions through the API."""

from datetime import timedelta
from typing import Any

from django.utils import timezone
from rest_framework.test import APIClient

from tests.factories import make_user, make_version
from tests.tournaments.api.contract import malformed, post, problem, read
from tournaments.models import Token, Version
from tournaments.services.accounts.tokens import make_token, use_token


class TestMe:
    def test_shows_the_account_and_its_remaining_quotas(
        self, author: APIClient, organiser: APIClient, settings: Any
    ) -> None:
        settings.UPLOADS_PER_DAY, settings.MAX_ARCHIVE_BYTES, settings.GAMES_PER_DAY = 3, 1000, 8
        shown = read(author, "me/")
        assert (shown["username"], shown["is_staff"], shown["teams"]) == ("mia", False, [])
        assert shown["quotas"] == {"uploads_per_day": 3, "uploads_left": 3, "next_upload_at": None,
                                   "archive_bytes": 1000, "games_per_day": 8, "games_left": 8}
        assert read(organiser, "me/")["quotas"]["uploads_left"] is None

    def test_changes_only_the_given_fields(self, author: APIClient) -> None:
        author.patch("/api/me/", {"about": "<b>Bots</b>"}, format="json")
        shown = author.patch("/api/me/", {"link": "https://example.org/"}, format="json").json()
        assert (shown["about"], shown["link"]) == ("<b>Bots</b>", "https://example.org/")
        for change in ({"about": "x" * 2001}, {"about": "\0"}, {"mail_on": "x"}):
            assert malformed(author.patch("/api/me/", change, format="json")) == list(change)
        assert problem(author.patch("/api/me/", {"link": "javascript:alert(1)"}, format="json"))[0] == 409


class TestAToken:
    def test_authenticates_a_request_in_either_form(self, anyone: APIClient, author: APIClient) -> None:
        _, text = make_token(user=make_user("mia"), name="n", now=timezone.now())
        for header in (f"Token {text}", f"Bearer {text}", f"token  {text}"):
            anyone.credentials(HTTP_AUTHORIZATION=header)
            assert read(anyone, "me/")["username"] == "mia"

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
            status, said = problem(answer)
            assert (status, sentence in said, answer["WWW-Authenticate"]) == (401, True, "Token"), said

    def test_is_listed_without_its_text_and_revoked(self, author: APIClient, organiser: APIClient) -> None:
        [mine] = read(author, "tokens/")["results"]
        assert set(mine) == {"id", "name", "prefix", "scope", "created_at", "last_used_at", "expires_at", "revoked_at"}
        theirs = Token.objects.get(user__username="organiser")
        assert author.get(f"/api/tokens/{theirs.pk}/").status_code == 404
        assert author.delete(f"/api/tokens/{mine['id']}/").status_code == 204
        assert "was revoked" in problem(author.get("/api/tokens/"))[1]

    def test_is_created_in_a_session_and_shown_once(self, author: APIClient) -> None:
        assert problem(post(author, "tokens/", name="spare")) == (
            403, "A token cannot create tokens: sign in and create one on your account page.")
        client = APIClient()
        client.force_login(make_user("mia"))
        answer = post(client, "tokens/", name="spare")
        assert answer.status_code == 201
        assert use_token(text=answer.json()["token"], now=timezone.now()).name == "spare"
        assert "token" not in read(client, f"tokens/{answer.json()['id']}/")


class TestTeams:
    def test_are_founded_joined_and_left(self, author: APIClient) -> None:
        make_user("ann")
        assert post(author, "teams/", name="Lutra").status_code == 201
        assert malformed(post(author, "teams/lutra/add-member/", username="nobody")) == ["username"]
        for verb, role in (("add-member", "member"), ("appoint-captain", "captain")):
            members = post(author, f"teams/lutra/{verb}/", username="ann").json()["members"]
            assert [(one["username"], one["role"]) for one in members] == [("mia", "captain"), ("ann", role)]
        slug = make_version("Otter").bot.slug
        assert post(author, f"bots/{slug}/give/", team="lutra").json()["team"] == "lutra"
        assert read(author, "bots/", team="lutra")["results"][0]["slug"] == slug
        assert post(author, f"bots/{slug}/give/", team=None).json()["team"] is None
        assert malformed(post(author, f"bots/{slug}/give/", team="x")) == ["team"]
        assert post(author, "teams/lutra/remove-member/", username="mia").status_code == 204
        assert problem(post(author, "teams/lutra/add-member/", username="mia")) == (
            403, "Only captains of Lutra can change its members.")


class TestVersions:
    def test_are_listed_and_filtered(self, anyone: APIClient) -> None:
        make_version("Otter")
        version = make_version("Beaver", owner="ann")
        Version.objects.filter(pk=version.pk).update(status="rested")
        assert len(read(anyone, "versions/")["results"]) == 2
        for query in ({"bot": version.bot.slug}, {"owner": "ann"}, {"status": "rested"}):
            assert [one["id"] for one in read(anyone, "versions/", **query)["results"]] == [version.pk]

    def test_are_suspended_withdrawn_and_brought_back_by_their_author(self, author: APIClient) -> None:
        path = f"versions/{make_version('Otter').pk}"
        for verb, status in (("rest", "rested"), ("withdraw", "withdrawn"), ("bring-back", "active")):
            assert post(author, f"{path}/{verb}/").json()["status"] == status
        assert problem(post(author, f"{path}/bring-back/"))[0] == 409
