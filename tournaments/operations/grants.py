"""PostgreSQL privileges of each kind of process, which has a role of its own.

See docs/how-to/operator/database-roles.md.

The owner of the tables is a fourth role, which only `manage.py migrate` uses. Workers run untrusted code, so a worker
has no access to tables that are not listed here. Web and coordinator may use all of the service's tables.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from django.apps import apps
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg.sql import SQL, Composed, Identifier, Literal

from tournaments.platform.database import SESSION

ROLES: Final = ("web", "coordinator", "worker")
_ALL: Final = "SELECT, INSERT, UPDATE, DELETE"
# The columns of accounts that a worker needs: the owner of a bot, and whether staff uploaded it.
_USER: Final = "SELECT (id, username, is_staff, is_active)"
WORKER: Final[Mapping[str, str]] = {
    "auth_user": _USER,
    # Facts about what it plays, which it only reads.
    "tournaments_ladder": "SELECT", "tournaments_round": "SELECT", "tournaments_series": "SELECT",
    "tournaments_membership": "SELECT", "tournaments_team": "SELECT", "tournaments_ban": "SELECT",
    "tournaments_profile": "SELECT (id, user_id, mail_on)",
    "tournaments_webhook": "SELECT (id, owner_id, kinds, active)",
    # Matches: claimed, renewed, ended. Their games are inserted, and never changed.
    "tournaments_match": "SELECT, UPDATE (status, attempt, lease_until, published_at, due_at, ended_at)",
    "tournaments_attempt": "SELECT, INSERT, UPDATE (status, reason, ended_at)",
    "tournaments_game": "SELECT, INSERT", "tournaments_side": "SELECT, INSERT",
    "tournaments_starvedvoid": "SELECT, INSERT",
    "tournaments_event": "SELECT, UPDATE (revision)",
    # Faults suspend a bot on a ladder; a version that has qualified takes its bot's place there, or starts a trial.
    "tournaments_ladderentry": "SELECT, UPDATE (active, waiting_since, version_id, version_since, matches, firsts, "
                               "faults, probe_at, rests)",
    "tournaments_candidacy": "SELECT, INSERT, UPDATE (status, reason, ended_at)",
    "tournaments_contender": "SELECT",
    # Checks of submissions, and the bots and versions created from them.
    "tournaments_submission": "SELECT, UPDATE (status, attempt, lease_until, published_at, due_at, judged_at, step, "
                              "refusal, line, log, stderr)",
    "tournaments_check": "SELECT, INSERT, UPDATE (status, reason, ended_at, steps, log)",
    "tournaments_qualificationgame": "SELECT, INSERT, DELETE",
    "tournaments_bot": "SELECT, INSERT", "tournaments_version": "SELECT, INSERT",
    "tournaments_delivery": "INSERT, SELECT (id)", "tournaments_auditentry": "INSERT, SELECT (id)",
    # Questions, and the casual games that they belong to.
    "tournaments_question": "SELECT, INSERT, UPDATE", "tournaments_casualgame": "SELECT, UPDATE",
    # Analyses of games: claimed, filled, ended.
    "tournaments_analysis": "SELECT, UPDATE",
    "tournaments_worker": _ALL, "tournaments_release": "SELECT",
}
# The rows that a worker may write, of tables to which it writes on behalf of the service: what it does itself.
WORKER_ROWS: Final[Mapping[str, tuple[str, str]]] = {
    "tournaments_ladderentry": ("UPDATE", (
        "active AND EXISTS (SELECT FROM tournaments_version AS playing "
        "WHERE playing.id = version_id AND playing.bot_id = tournaments_ladderentry.bot_id)")),
    "tournaments_delivery": ("INSERT", (
        "kind IN ('submission.accepted', 'submission.refused', 'version.rested', 'version.well')")),
    "tournaments_auditentry": ("INSERT", (
        "actor_id IS NULL AND verb IN ('change version', 'supersede trial', 'try', 'rest', 'end rest')")),
}
# The coordinator may not read sessions and tokens, and may not change accounts.
COORDINATOR: Final[Mapping[str, str]] = {
    "auth_user": "SELECT", "tournaments_token": "", "tournaments_auditentry": "SELECT, INSERT",
    "tournaments_webhook": "SELECT, UPDATE",
}
_SERVICE: Final = ("tournaments", "ratings")


def login(name: str, password: str, connection: BaseDatabaseWrapper) -> Composed:
    """Return the statement that creates the PostgreSQL role `name`, or gives it this password if it exists."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [name])
        verb = "ALTER" if cursor.fetchone() else "CREATE"
    return SQL(verb + " ROLE {} LOGIN PASSWORD {}").format(Identifier(name), Literal(password))


def statements(role: str, name: str, connection: BaseDatabaseWrapper) -> Iterator[str]:
    """Yield statements that give the PostgreSQL role `name` exactly the privileges of this kind of process."""
    quote = connection.ops.quote_name
    grantee, tables = quote(name), connection.introspection.table_names()
    yield f"REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {grantee}"
    yield f"REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM {grantee}"
    yield f"REVOKE CREATE ON SCHEMA public FROM {grantee}"
    yield f"GRANT USAGE ON SCHEMA public TO {grantee}"
    yield f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {grantee}"
    for table in sorted(tables):
        if privileges := _privileges(role, table):
            yield f"GRANT {privileges} ON {quote(table)} TO {grantee}"
    if role == "worker":
        for table, (verb, rows) in WORKER_ROWS.items():
            yield from _row_policies(table, verb, rows, grantee)


def _row_policies(table: str, verb: str, rows: str, grantee: str) -> Iterator[str]:
    """Yield statements that restrict the rows which the worker's role may write; all others may write all rows."""
    yield f"DROP POLICY IF EXISTS everyone ON {table}"
    yield f"DROP POLICY IF EXISTS rows_of_workers ON {table}"
    yield f"CREATE POLICY everyone ON {table} USING (true) WITH CHECK (true)"
    using = "USING (true) " if verb == "UPDATE" else ""
    yield (f"CREATE POLICY rows_of_workers ON {table} AS RESTRICTIVE FOR {verb} TO {grantee} "
           f"{using}WITH CHECK ({rows})")
    yield f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY"


def session_settings(name: str, connection: BaseDatabaseWrapper) -> Iterator[str]:
    """Yield statements that set for the role `name` what direct connections set for themselves.

    A pooler refuses such settings from its clients.
    """
    quote, database = connection.ops.quote_name, connection.settings_dict["NAME"]
    for setting, value in SESSION.items():
        yield f"ALTER ROLE {quote(name)} IN DATABASE {quote(database)} SET {setting} = '{value}'"


def _privileges(role: str, table: str) -> str:
    if role == "worker":
        return WORKER.get(table, "")
    if table == "django_migrations":
        return "SELECT"
    if role == "coordinator":
        ours = {model._meta.db_table for app in _SERVICE  # noqa: SLF001 - Django's documented way to a model's facts
                for model in apps.get_app_config(app).get_models(include_auto_created=True)}
        return COORDINATOR.get(table, _ALL if table in ours else "")
    return _ALL
