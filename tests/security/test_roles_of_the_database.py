"""Database roles for each kind of process in PostgreSQL: each can do its work and nothing else."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import ProgrammingError, connection
from django.test import Client
from django.utils import timezone

from tests.factories import make_user, make_version
from tests.tournaments.conftest import make_archive
from tests.tournaments.site import Site, finished
from tournaments.models import AuditEntry, CasualGame, Delivery, Game, LadderEntry, Question, Submission, Version
from tournaments.operations.grants import ROLES
from tournaments.services.accounts.visitors import Asker
from tournaments.services.bots.submissions import accept_upload
from tournaments.services.casual.games import Terms, begin
from tournaments.services.ladders.ladder_play import join
from tournaments.services.ladders.ladders import create_ladder
from tournaments.services.notices.webhooks import create_webhook
from tournaments.setup.embedded import EmbeddedRedis

Act = Callable[[], object]
ON_POSTGRESQL = [pytest.mark.needs_servers, pytest.mark.serial, pytest.mark.slow]
WORKERS_MAY_NOT = [
    "SELECT password FROM auth_user", "SELECT email FROM auth_user", "SELECT * FROM auth_user",
    "SELECT session_data FROM django_session", "SELECT digest FROM tournaments_token",
    "SELECT secret FROM tournaments_webhook", "SELECT url FROM tournaments_webhook",
    "SELECT about FROM tournaments_profile", "SELECT email FROM account_emailaddress",
    "SELECT data FROM mfa_authenticator", "DELETE FROM mfa_authenticator",
    "SELECT key FROM account_emailconfirmation", "SELECT detail FROM tournaments_auditentry",
    "SELECT payload FROM tournaments_delivery", "SELECT auth FROM tournaments_pushsubscription",
    "SELECT key FROM tournaments_personalfeed", "SELECT codename FROM auth_permission",
    "UPDATE auth_user SET is_superuser = true", "INSERT INTO django_session VALUES ('a', 'b', now())",
    "UPDATE tournaments_game SET winner = 0", "DELETE FROM tournaments_game", "UPDATE tournaments_side SET score = 1",
    "UPDATE tournaments_bot SET owner_id = 1", "UPDATE tournaments_version SET trusted = true",
    "UPDATE tournaments_event SET status = 'finished'", "DELETE FROM tournaments_match",
    "UPDATE tournaments_match SET first_id = 1", "UPDATE tournaments_submission SET uploader_id = 1",
    "UPDATE ratings_rating SET value = 3000", "SELECT * FROM ratings_rating",
    "INSERT INTO tournaments_ban DEFAULT VALUES",
    "DELETE FROM tournaments_ladderentry", "UPDATE tournaments_ladderentry SET bot_id = 1",
    "UPDATE tournaments_ladderentry SET on_trial = true", "UPDATE tournaments_candidacy SET candidate_id = 1",
    "UPDATE tournaments_delivery SET payload = '{}'", "UPDATE tournaments_auditentry SET verb = 'x'",
    "DELETE FROM tournaments_auditentry", "TRUNCATE tournaments_game CASCADE", "DROP TABLE tournaments_game",
    "CREATE TABLE mine (id int)", "COPY tournaments_game TO PROGRAM 'true'", "CREATE ROLE mine",
]
OTHERS_MAY_NOT = {
    "web": ["DROP TABLE tournaments_game", "ALTER TABLE auth_user ADD mine int", "CREATE TABLE mine (id int)",
            "TRUNCATE tournaments_game CASCADE", "DELETE FROM django_migrations", "CREATE ROLE mine",
            "SELECT rolpassword FROM pg_authid"],
    "coordinator": ["DROP TABLE tournaments_game", "SELECT session_data FROM django_session",
                    "SELECT digest FROM tournaments_token", "SELECT data FROM mfa_authenticator",
                    "UPDATE auth_user SET is_superuser = true",
                    "UPDATE tournaments_auditentry SET verb = 'x'", "DELETE FROM tournaments_auditentry"],
}


@pytest.fixture
def roles(transactional_db: None) -> Iterator[dict[str, str]]:
    """Create the three roles and grant their rights; yield their names, also their passwords, by kind."""
    # Roles belong to the whole cluster, so other test processes use other names.
    names = {role: f"{connection.settings_dict['NAME']}_{role}" for role in ROLES}
    # Remove the roles that a killed run has left.
    drop(names.values())
    with connection.cursor() as cursor:
        for name in names.values():
            cursor.execute(f"CREATE ROLE {name} LOGIN PASSWORD '{name}'")
    call_command("grant_roles", **names)
    yield names
    drop(names.values())


def drop(names: Iterable[str]) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT rolname FROM pg_roles WHERE rolname = ANY(%s)", [list(names)])
        for (name,) in cursor.fetchall():
            cursor.execute(f"DROP OWNED BY {name}")
            cursor.execute(f"DROP ROLE {name}")


@contextmanager
def signed_in_as(role: str) -> Iterator[None]:
    """Restrict this process's connection to the rights of the role."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET ROLE {role}")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET ROLE")


def address_for(url: str, role: str) -> str:
    """Return the database URL with another role."""
    parts = urlsplit(url)
    return url.replace(parts.netloc, f"{role}:{role}@{parts.netloc.rpartition('@')[2]}", 1)


class TestTheCommand:
    @pytest.mark.database
    @pytest.mark.django_db
    def test_explains_why_it_cannot_run(self) -> None:
        why = "Name at least one" if connection.vendor == "postgresql" else "Only PostgreSQL has roles"
        with pytest.raises(CommandError, match=why):
            call_command("grant_roles")


class TestARole:
    pytestmark = ON_POSTGRESQL

    def test_of_workers_cannot_read_or_write_anything_else(self, roles: dict[str, str]) -> None:
        assert [statement for statement in WORKERS_MAY_NOT if not refused(roles["worker"], statement)] == []

    def test_of_workers_writes_only_the_rows_of_what_workers_do(self, roles: dict[str, str]) -> None:
        now, versions = timezone.now(), [make_version(name) for name in ("Alder", "Birch")]
        ladder = create_ladder(ruleset="squ", size=4, base_seconds=5.0)
        user = versions[0].bot.owner
        entry = join(actor=user, ladder=ladder, version=versions[0], now=now)
        rows = LadderEntry.objects.filter(pk=entry.pk)

        def audit(verb: str, actor: Any = None) -> Act:
            return lambda: AuditEntry.objects.create(at=now, actor=actor, verb=verb, kind="ladder entry", target="1",
                                                     name="x", detail={})

        def notice(kind: str) -> Act:
            return lambda: Delivery.objects.create(kind=kind, channel="mail", user=user, payload={}, due_at=now,
                                                   created_at=now)

        def place(**values: Any) -> Act:
            return lambda: rows.update(**values)

        forbidden = [audit("rest", user), audit("ban"), notice("account.changed"), notice("event.finished"),
                     place(active=False), place(version=versions[1])]
        permitted = [audit("rest"), notice("version.rested"), place(faults=1), place(probe_at=now, rests=1)]
        assert [denied(roles["worker"], act) for act in forbidden + permitted] == [True] * 6 + [False] * 4
        assert [denied(roles[kind], act) for kind in ("web", "coordinator") for act in forbidden[:5]] == [False] * 10

    @pytest.mark.parametrize("kind", list(OTHERS_MAY_NOT))
    def test_of_web_or_coordinator_owns_nothing(self, roles: dict[str, str], kind: str) -> None:
        assert [statement for statement in OTHERS_MAY_NOT[kind] if not refused(roles[kind], statement)] == []

    def test_loses_rights_that_it_should_not_have(self, roles: dict[str, str]) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"GRANT ALL ON auth_user TO {roles['worker']}")
        assert not refused(roles["worker"], "SELECT password FROM auth_user")
        call_command("grant_roles", worker=roles["worker"])
        assert refused(roles["worker"], "SELECT password FROM auth_user")

    def test_of_web_serves_pages(self, roles: dict[str, str], client: Client) -> None:
        with signed_in_as(roles["web"]):
            answer = client.post("/account/signup/", {
                "username": "otto", "email": "otto@example.org", "password1": "correct horse 42",
                "password2": "correct horse 42"})
            assert answer["Location"] == "/account/"
            assert client.post("/teams/", {"name": "Ants"})["Location"] == "/teams/ants/"
            assert client.get("/health/ready").status_code == 200


def denied(role: str, act: Act) -> bool:
    """Return whether PostgreSQL denies these writes to the role."""
    with signed_in_as(role):
        try:
            act()
        except ProgrammingError as error:
            if not isinstance(error.__cause__, psycopg.errors.InsufficientPrivilege):
                raise
            return True
        return False


def refused(role: str, statement: str) -> bool:
    """Return whether PostgreSQL denies the statement to the role."""
    with signed_in_as(role), connection.connection.cursor() as cursor:
        try:
            cursor.execute(statement)
        except psycopg.errors.InsufficientPrivilege:
            return True
        except psycopg.Error as error:
            raise AssertionError(f"{statement}: {error}") from error
        return False


class TestTheProcesses:
    pytestmark = [*ON_POSTGRESQL, pytest.mark.workers]

    def test_do_their_work_under_their_roles(
        self, roles, site_environment, broker: EmbeddedRedis, archives, tmp_path, staff, schedule
    ) -> None:
        environment = {**site_environment, "REDIS_URL": broker.url, "SQUAREFIELD_ARCHIVES": str(archives)}
        url = site_environment["DATABASE_URL"]
        site, now = Site(environment, tmp_path), timezone.now()
        mia = make_user("mia")
        create_webhook(owner=mia, url="https://example.org/hook", kinds=[], now=now)
        event = schedule({"Alder": None, "Birch": None})
        known = Version.objects.get(bot__name="Alder")
        join(actor=staff, ladder=event.ladder, version=known, now=now)
        submission = accept_upload(archive=make_archive("Otter", rulesets='["squ"]'), filename="o.zip", uploader=mia,
                                   now=now)
        begin(asker=Asker(mia), version=known, terms=Terms("squ", 4, "quick", 1), seed=1, now=now)
        try:
            site.environment = {**environment, "DATABASE_URL": address_for(url, roles["coordinator"])}
            site.start("coordinator")
            site.environment = {**environment, "DATABASE_URL": address_for(url, roles["worker"])}
            site.start("worker", "--concurrency", "1")
            site.wait_for(lambda: finished(event) and not Submission.objects.filter(
                pk=submission.pk, status__in=["received", "checking"]).exists() and not Question.objects.filter(
                    status__in=["received", "asking"]).exists())
        finally:
            site.stop()
        for child in site.children:
            assert "permission denied" not in child.log.read_text(), child.log.read_text()
        assert Game.objects.filter(event=event).count() == 2
        submission.refresh_from_db()
        assert (submission.status, submission.refusal) == ("accepted", "")
        assert CasualGame.objects.get().status == "playing"
