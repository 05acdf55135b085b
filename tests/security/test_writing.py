"""Every role calls every writing operation and every undefined method of the API, and writes only what it may."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.test import APIClient

from tests.factories import make_user
from tests.security import surface
from tests.security.planted import clients
from tests.tournaments.api.roles import CASES, Case, World
from tournaments.models import Event
from tournaments.services.accounts.bans import ban
from tournaments.services.accounts.tokens import make_token

pytestmark = [pytest.mark.slow, pytest.mark.django_db, pytest.mark.xdist_group("the planted site")]
WRITE = re.compile(r'(?:INSERT INTO|UPDATE|DELETE FROM) "(\w+)"')
# Sessions hold messages; a refused upload is recorded; a token records its last use.
IGNORED = {"django_session", "tournaments_submission", "tournaments_token"}
# Allowed during a ban: the user's own account and teams, ending what they have begun, and leaving.
FOR_THE_BANNED = {
    "PATCH /api/me/", "POST /api/tokens/", "DELETE /api/tokens/{id}/",
    "PATCH /api/webhooks/{id}/", "DELETE /api/webhooks/{id}/", "POST /api/webhooks/{id}/secret/",
    "POST /api/webhooks/{id}/test/", "POST /api/follows/", "DELETE /api/follows/{id}/",
    "POST /api/bots/{slug}/give/", "POST /api/candidacies/{id}/withdraw/",
    "POST /api/casual-games/{token}/resign/", "POST /api/casual-games/{token}/turns/",
    "POST /api/events/{slug}/cancel/", "POST /api/events/{slug}/leave/", "POST /api/events/{slug}/pause/",
    "POST /api/events/{slug}/uninvite/", "POST /api/series/{slug}/end/", "POST /api/series/{slug}/pause/",
    "POST /api/teams/", "POST /api/teams/{slug}/add-member/", "POST /api/teams/{slug}/appoint-captain/",
    "POST /api/teams/{slug}/remove-member/", "POST /api/versions/{id}/rest/", "POST /api/versions/{id}/withdraw/",
}
# Allowed to members of the team for the bots of a banned owner: ending their games.
FOR_THEIR_TEAM = {
    "POST /api/candidacies/{id}/withdraw/", "POST /api/events/{slug}/leave/", "POST /api/versions/{id}/rest/",
    "POST /api/versions/{id}/withdraw/", "POST /api/ladders/{slug}/take-over/",
}
NOT_THERE = {401, 403, 404, 405, 415}


@contextmanager
def written() -> Iterator[set[str]]:
    """Yield the set of tables that are written to in this block."""
    tables: set[str] = set()
    with CaptureQueriesContext(connection) as queries:
        yield tables
    tables |= {match[1] for query in queries if (match := WRITE.match(query["sql"]))} - IGNORED


def ask(client: APIClient, operation: str, case: Case, world: World) -> tuple[int, set[str]]:
    """Return the response's status and the tables written to; undo the writes."""
    method, path = operation.split()
    key = str(world.of.get(case.key))
    if case.status:
        Event.objects.filter(slug=key).update(status=case.status)
    with transaction.atomic():
        body = case.body(world)
        with written() as tables:
            answer = getattr(client, method.lower())(path.format(slug=key, id=key, token=key), body, format=case.format)
        transaction.set_rollback(True)
    return answer.status_code, tables


def all_of(client: APIClient, world: World) -> dict[str, list[tuple[Case, int]]]:
    """Return the responses to every writing operation, and check that refused ones write nothing."""
    answers: dict[str, list[tuple[Case, int]]] = {}
    for operation, case in CASES:
        status, tables = ask(client, operation, case, world)
        # 409 reports a conflict, which may take an update that matches no row.
        assert status < 400 or status == 409 or tables == set(), (operation, case.key, status)
        answers.setdefault(operation, []).append((case, status))
    return answers


def excess(answers: dict[str, list[tuple[Case, int]]], column: int) -> list[tuple[str, str, int]]:
    """Return the operations that succeeded although the table refuses them to the role in this column."""
    return [(operation, case.key, status) for operation, tried in answers.items() for case, status in tried
            if status < 400 <= case.answers[column]]


class TestWriting:
    @pytest.mark.parametrize("role", ["olga", "pia", "quinn", "anyone"])
    def test_is_no_wider_for_these_roles_than_for_any_user(self, planted: World, role: str) -> None:
        # A user invited to an event sees it, but can enter only their own bots.
        assert excess(all_of(clients(role)[1], planted), 0) == []

    def test_is_refused_to_a_reading_token(self, planted: World) -> None:
        answers = all_of(clients("script")[1], planted)
        assert {status for tried in answers.values() for _, status in tried} == {403}

    def test_is_limited_to_the_teams_bots_for_a_member(self, planted: World) -> None:
        answers = all_of(clients("otto")[1], planted)
        # Some of the owner's requests are refused only because the owner has as much as a user can have.
        assert [each for each in excess(answers, 1) if each in excess(answers, 0)] == []
        theirs = {operation for operation, _, _ in excess(answers, 0)}
        assert {operation.split("/")[2] for operation in theirs} == {
            "bots", "candidacies", "challenges", "events", "ladders", "submissions", "versions",
            # Leaving the team.
            "teams"}

    def test_excludes_administration_for_staff_without_permissions(self, planted: World) -> None:
        answers = all_of(clients("looker")[1], planted)
        assert excess(answers, 2) == []
        ruled = {operation: [status for case, status in tried if case.answers[:2] == (403, 403)]
                 for operation, tried in answers.items()}
        assert {status for statuses in ruled.values() for status in statuses} == {403}

    def test_leaves_a_banned_user_only_their_account_and_exits(self, planted: World) -> None:
        ban(actor=make_user("organiser"), user=make_user("mia"), reason="x", now=timezone.now())
        answers = all_of(clients("mia")[1], planted)
        done = {operation for operation, tried in answers.items() for _, status in tried if status < 400}
        assert done == FOR_THE_BANNED

    def test_lets_no_team_member_keep_a_banned_users_bots_playing(self, planted: World) -> None:
        before = excess(all_of(clients("otto")[1], planted), 0)
        ban(actor=make_user("organiser"), user=make_user("mia"), reason="x", now=timezone.now())
        after = excess(all_of(clients("otto")[1], planted), 0)
        assert {operation for operation, _, _ in before} >= {"POST /api/ladders/{slug}/join/", "POST /api/challenges/"}
        assert {operation for operation, _, _ in after} <= FOR_THEIR_TEAM | {"POST /api/teams/{slug}/remove-member/"}


class TestAnUndefinedMethod:
    def test_does_nothing_even_for_staff(self, planted: World) -> None:
        client, nouns = clients("organiser")[1], surface.nouns()
        known = set(surface.operations())
        for path in sorted({path for _, path in known}):
            for method in surface.METHODS:
                if (method, path) in known:
                    continue
                with written() as tables:
                    answer = getattr(client, method)(surface.fill(path, nouns)[0], {}, format="json")
                assert (answer.status_code in NOT_THERE, tables) == (True, set()), (method, path, answer.status_code)


class TestAToken:
    @pytest.fixture
    def uploader(self, planted: World) -> APIClient:
        client = APIClient()
        _, text = make_token(user=make_user("mia"), name="ci", now=timezone.now(), scope="uploads")
        client.credentials(HTTP_AUTHORIZATION=f"Token {text}")
        return client

    def test_for_uploads_can_only_upload(self, planted: World, uploader: APIClient) -> None:
        answers = all_of(uploader, planted)
        assert [operation for operation, tried in answers.items() for _, status in tried if status != 403] == [
            "POST /api/submissions/"]
        assert answers["POST /api/submissions/"][0][1] == 202

    def test_with_a_limited_scope_says_so_when_refused(self, planted: World, uploader: APIClient) -> None:
        answer = uploader.post("/api/teams/", {"name": "x"}, format="json")
        assert "has the scope uploads: create one with the scope everything" in answer.json()["detail"]

    def test_of_a_closed_account_is_refused(self, planted: World, uploader: APIClient) -> None:
        User.objects.filter(username="mia").update(is_active=False)
        assert uploader.get("/api/me/").status_code == 401
