"""Migrations of a site in use: forbidden operations, and waiting for locks without blocking others."""

from collections.abc import Iterator

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection, migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.migrations.state import ProjectState

from tests import databases
from tests.factories import make_event, make_version, play_match
from tests.tournaments.dangers import dangers, dangers_of_code, of_migrations
from tournaments.models import Match
from tournaments.platform.migrating import (
    AddCheckNotValid,
    AddIndexConcurrently,
    RemoveIndexConcurrently,
    ValidateCheck,
)

# The newest migrations of the first release. They never ran on a site in use.
FIRST_RELEASE = {"tournaments": 3, "ratings": 1, "frontend": 0}
# Later migrations that may do something forbidden, with the reason.
EXCUSED = {
    "ratings.0007_one_rating": "The live Elo goes with its tables: the site is stopped for this upgrade.",
    "tournaments.0027_league_of_events": "The table of events is small: its index is built in milliseconds.",
    "tournaments.0044_swiss_without_requests": "Requested byes are gone: until the last old process has restarted, no "
                                               "entry can be deleted by it.",
}


@pytest.fixture
def new_database(transactional_db: None) -> Iterator[None]:
    """Let Django use a new, empty database instead."""
    usual, new = connection.settings_dict["NAME"], "squarefield_from_before"
    with databases._maintenance() as cursor:
        cursor.execute(f"DROP DATABASE IF EXISTS {new}")
        cursor.execute(f"CREATE DATABASE {new}")
    databases._use(new)
    yield
    databases._use(usual)
    with databases._maintenance() as cursor:
        cursor.execute(f"DROP DATABASE {new}")


@pytest.mark.needs_servers
@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
class TestMigrationsAfterTheFirstRelease:
    def test_neither_lock_out_others_nor_break_the_previous_release(self, settings):
        """Nor do those of the example for a next release."""
        settings.MIGRATION_MODULES = {"tournaments": "tests.tournaments.next_release"}
        checked = dict(of_migrations(self.is_later))
        assert sum(".m9" in name for name in checked) == 5
        found = {name: harm for name, harm in checked.items() if harm}
        assert {name: harm for name, harm in found.items() if name not in EXCUSED} == {}
        assert not EXCUSED.keys() - found.keys(), "excused without reason"

    def is_later(self, name: str) -> bool:
        app, _, number = name.partition("_")[0].partition(".")
        return app in FIRST_RELEASE and int(number.lstrip("m")) > FIRST_RELEASE[app]


@pytest.mark.needs_servers
@pytest.mark.django_db(transaction=True)
class TestTheDatabase:
    def test_has_every_constraint_and_index_of_the_models(self):
        with connection.cursor() as cursor:
            missing = {
                f"{model._meta.label}: {named.name}"
                for app in FIRST_RELEASE for model in apps.get_app_config(app).get_models()
                for named in (*model._meta.constraints, *model._meta.indexes)
                if named.name not in connection.introspection.get_constraints(cursor, model._meta.db_table)}
        assert missing == set()

    @pytest.mark.slow
    @pytest.mark.thorough
    def test_from_before_the_first_release_is_upgraded_with_its_index(self, new_database):
        for app in ("tournaments", "ratings"):
            call_command("migrate", app, "0001", verbosity=0)
        loader, recorder = MigrationLoader(connection, replace_migrations=False), MigrationRecorder(connection)
        squashed = {key: migration for key, migration in loader.disk_migrations.items() if migration.replaces}
        assert len(squashed) == 2
        for (app, _), migration in squashed.items():
            recorder.migration_qs.filter(app=app).delete()
            for replaced in migration.replaces:
                recorder.record_applied(*replaced)
        with connection.cursor() as cursor:
            cursor.execute("DROP INDEX one_attempt_of_a_match_counts")
        call_command("migrate", verbosity=0)
        with connection.cursor() as cursor:
            assert "one_attempt_of_a_match_counts" in connection.introspection.get_constraints(
                cursor, "tournaments_attempt")
        assert squashed.keys() <= recorder.applied_migrations().keys()

    def test_with_only_some_of_the_old_migrations_is_refused(self):
        recorder = MigrationRecorder(connection)
        kept = list(recorder.migration_qs.filter(app="tournaments").values_list("name", flat=True))
        recorder.migration_qs.filter(app="tournaments").delete()
        recorder.record_applied("tournaments", "0004_service")
        try:
            with pytest.raises(CommandError, match="created before the first release"):
                call_command("migrate", verbosity=0)
        finally:
            recorder.migration_qs.filter(app="tournaments").delete()
            for name in kept:
                recorder.record_applied("tournaments", name)


class TestADanger:
    def test_is_detected(self):
        assert dangers(['CREATE INDEX "i" ON "game" ("plies");']) == {"creates an index with writers locked out (game)"}
        for change, harm in (
            ('ADD CONSTRAINT "c" UNIQUE ("plies")', "creates an index with all others locked out"),
            ('ADD CONSTRAINT "c" CHECK ("plies" > 0)', "reads the table with all others locked out"),
            ('ADD CONSTRAINT "c" FOREIGN KEY ("a_id") REFERENCES "a"', "reads the table with writers locked out"),
            ('ADD COLUMN "n" integer NOT NULL', "adds a column that the old release does not fill"),
            ('ALTER COLUMN "n" DROP DEFAULT', "removes a default that the old release needs"),
            ('ALTER COLUMN "n" SET NOT NULL', "reads the table with all others locked out"),
            ('ALTER COLUMN "n" TYPE bigint USING "n"::bigint', "may rewrite the table"),
            ('ADD COLUMN "u" uuid DEFAULT gen_random_uuid() NULL', "rewrites the table"),
            ('DROP COLUMN "plies" CASCADE', "removes what the old release uses"),
        ):
            assert dangers([f'ALTER TABLE "game" {change};']) == {f"{harm} (game)"}, change

    def test_includes_the_lock_of_a_second_table(self):
        one, other = (f'ALTER TABLE "{table}" ADD COLUMN "n" integer NULL;' for table in ("game", "match"))
        assert dangers([one, other]) == {"locks several tables at once (game, match)"}

    def test_includes_code_in_one_transaction_or_next_to_other_changes(self):
        code = migrations.RunPython(migrations.RunPython.noop)
        field = migrations.AddField("game", "n", models.IntegerField())
        assert dangers_of_code([code], atomic=False) == set()
        assert dangers_of_code([code], atomic=True) == {"changes rows in one long transaction"}
        assert dangers_of_code([code, field], atomic=False) == {"changes rows and tables in one migration"}


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
class TestOperationsOnTablesInUse:
    @pytest.mark.slow
    def test_work_like_the_plain_ones_on_either_database(self):
        index = models.Index(fields=["plies"], name="in_use_index")
        check = models.CheckConstraint(condition=models.Q(plies__gte=0), name="in_use_check")
        steps = [AddIndexConcurrently("game", index), AddCheckNotValid("game", check),
                 ValidateCheck("game", "in_use_check")]
        states = [self.state()]
        for step in steps:
            states.append(states[-1].clone())
            step.state_forwards("tournaments", states[-1])
            with connection.schema_editor(atomic=step.atomic) as editor:
                step.database_forwards("tournaments", editor, states[-2], states[-1])
        assert {"in_use_index", "in_use_check"} <= self.constraints()
        # Repeat it, as after an interrupted attempt.
        if connection.vendor == "postgresql":
            with connection.schema_editor(atomic=False) as editor:
                steps[0].database_forwards("tournaments", editor, states[0], states[1])
        remove = RemoveIndexConcurrently("game", "in_use_index")
        without = states[-1].clone()
        remove.state_forwards("tournaments", without)
        with connection.schema_editor(atomic=False) as editor:
            remove.database_forwards("tournaments", editor, states[-1], without)
        with connection.schema_editor() as editor:
            steps[1].database_backwards("tournaments", editor, without, states[0])
        assert not {"in_use_index", "in_use_check"} & self.constraints()

    def state(self) -> ProjectState:
        return MigrationLoader(connection).project_state()

    def constraints(self) -> set[str]:
        with connection.cursor() as cursor:
            return set(connection.introspection.get_constraints(cursor, "tournaments_game"))


@pytest.mark.needs_servers
@pytest.mark.django_db(transaction=True)
class TestAPreparedStatement:
    def test_of_a_worker_still_works_after_a_later_release_added_a_column(self):
        event = make_event([make_version(f"bot {number}") for number in range(5)], ruleset="square-grid-hex", size=3)
        first, *middle, last = Match.objects.filter(event=event)
        for match in (first, *middle):
            # The statement is prepared from the third time on.
            play_match(match)
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE tournaments_match ADD COLUMN stake integer")
        try:
            assert play_match(last).status == "finished"
        finally:
            with connection.cursor() as cursor:
                cursor.execute("ALTER TABLE tournaments_match DROP COLUMN stake")
