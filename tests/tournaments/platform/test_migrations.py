"""Migrations of a site in use: forbidden operations, and waiting for locks without blocking others."""

from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection, migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.migrations.state import ProjectState
from django.utils import timezone

from tests.factories import make_event, make_version, play_match
from tests.tournaments.dangers import dangers, dangers_of_code, of_every_migration
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
    "tournaments.0027_league_of_events": "The table of events is small: its index is built in milliseconds.",
}


@pytest.mark.needs_servers
@pytest.mark.django_db(transaction=True)
class TestExistingMigrations:
    def test_neither_lock_out_others_nor_break_the_previous_release(self):
        found = {name: harm for name, harm in of_every_migration(FIRST_RELEASE) if harm}
        later = {name: harm for name, harm in found.items() if self.number(name) > FIRST_RELEASE[name.split(".")[0]]}
        assert {name: harm for name, harm in later.items() if name not in EXCUSED} == {}
        assert not EXCUSED.keys() - later.keys(), "excused without reason"

    def test_of_the_example_do_neither(self, settings):
        settings.MIGRATION_MODULES = {"tournaments": "tests.tournaments.next_release"}
        example = {name: harm for name, harm in of_every_migration(["tournaments"]) if ".m9" in name}
        assert len(example) == 5
        assert not any(example.values())

    def number(self, name: str) -> int:
        return int(name.split(".")[1].split("_", maxsplit=1)[0])


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

    def test_from_before_the_first_release_is_upgraded_with_its_index(self):
        loader, recorder = MigrationLoader(connection, replace_migrations=False), MigrationRecorder(connection)
        squashed = {key: migration for key, migration in loader.disk_migrations.items() if migration.replaces}
        recorder.migration_qs.filter(app="tournaments").delete()
        recorder.migration_qs.filter(app="ratings").delete()
        for migration in squashed.values():
            for app, name in migration.replaces:
                recorder.record_applied(app, name)
        with connection.cursor() as cursor:
            cursor.execute("DROP INDEX one_attempt_of_a_match_counts")
            cursor.execute("ALTER TABLE tournaments_delivery DROP COLUMN subscription_id")
            cursor.execute("ALTER TABLE tournaments_delivery ADD CONSTRAINT a_webhook_s_delivery_names_it CHECK (true)")
            for table in ("tournaments_match", "tournaments_question"):
                cursor.execute(f"ALTER TABLE {table} DROP COLUMN due_at")
            for table in ("tournaments_event", "tournaments_series"):
                cursor.execute(f"ALTER TABLE {table} DROP COLUMN book_id")
            for table in ("tournaments_standstill", "tournaments_release", "tournaments_byerequest",
                          "tournaments_disqualification", "tournaments_contender", "tournaments_openingbook",
                          "tournaments_changedpairing", "ratings_ratedgame", "tournaments_stories",
                          "tournaments_follow", "tournaments_pushsubscription", "tournaments_personalfeed",
                          "ratings_openingturn", "ratings_openingcount", "tournaments_analysis",
                          "ratings_reportedchances"):
                cursor.execute(f"DROP TABLE {table}")
            target = ("target", "target_value", "max_matches", "max_hours")
            for table, columns in (
                    ("tournaments_worker", ("rules", "beat_by", "overdue_since")),
                    ("tournaments_event", (*target, "withdrawals", "late_rounds", "byes_allowed", "bye_points",
                                           "apart_rounds", "confirm_rounds", "division", "minutes", "streaks")),
                    ("tournaments_series", (*target, "description", "withdrawals", "late_rounds",
                                            "byes_allowed", "bye_points", "apart_rounds", "confirm_rounds",
                                            "division_size", "division_moves", "minutes", "streaks")),
                    ("tournaments_bot", ("judges",)),
                    ("tournaments_bye", ("points",)),
                    ("tournaments_round", ("apart_relaxed", "awaits_confirmation", "known")),
                    ("tournaments_candidacy", ("offset",)),
                    ("ratings_officialtable", ("transitivity",))):
                for column in columns:
                    cursor.execute(f'ALTER TABLE {table} DROP COLUMN "{column}"')
            cursor.execute("ALTER TABLE tournaments_event ADD CONSTRAINT a_series_has_one_event_at_a_time "
                           "UNIQUE (series_id, starts_at)")
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
    @pytest.mark.parametrize(("statement", "harm"), [
        ('CREATE INDEX "i" ON "game" ("plies");', "creates an index with writers locked out (game)"),
        ('CREATE UNIQUE INDEX "i" ON "game" ("plies") WHERE "plies" > 1;',
         "creates an index with writers locked out (game)"),
        ('ALTER TABLE "game" ADD CONSTRAINT "c" UNIQUE ("plies");',
         "creates an index with all others locked out (game)"),
        ('ALTER TABLE "game" ADD CONSTRAINT "c" CHECK ("plies" > 0);',
         "reads the table with all others locked out (game)"),
        ('ALTER TABLE "game" ADD CONSTRAINT "c" FOREIGN KEY ("a_id") REFERENCES "a" ("id") DEFERRABLE;',
         "reads the table with writers locked out (game)"),
        ('ALTER TABLE "game" ADD COLUMN "n" integer NOT NULL;',
         "adds a column that the old release does not fill (game)"),
        ('ALTER TABLE "game" ALTER COLUMN "n" DROP DEFAULT;', "removes a default that the old release needs (game)"),
        ('ALTER TABLE "game" ALTER COLUMN "n" SET NOT NULL;', "reads the table with all others locked out (game)"),
        ('ALTER TABLE "game" ALTER COLUMN "n" TYPE bigint USING "n"::bigint;', "may rewrite the table (game)"),
        ('ALTER TABLE "game" ADD COLUMN "u" uuid DEFAULT gen_random_uuid() NULL;', "rewrites the table (game)"),
        ('ALTER TABLE "game" ADD COLUMN "u" integer GENERATED ALWAYS AS ("plies" / 2) STORED;',
         "rewrites the table (game)"),
        ('ALTER TABLE "game" DROP COLUMN "plies" CASCADE;', "removes what the old release uses (game)"),
        ('ALTER TABLE "game" RENAME COLUMN "plies" TO "turns";', "removes what the old release uses (game)"),
        ('DROP TABLE "game" CASCADE;', "removes what the old release uses (game)"),
    ])
    def test_is_detected(self, statement, harm):
        assert dangers([statement]) == {harm}

    @pytest.mark.parametrize("statement", [
        'CREATE INDEX CONCURRENTLY "i" ON "game" ("plies");',
        'ALTER TABLE "game" ADD COLUMN "n" integer NULL;',
        'ALTER TABLE "game" ADD COLUMN "n" integer DEFAULT 0 NOT NULL;',
        'ALTER TABLE "game" ADD COLUMN "a_id" bigint NULL CONSTRAINT "c" REFERENCES "a"("id") DEFERRABLE;',
        'ALTER TABLE "game" ADD CONSTRAINT "c" CHECK ("plies" > 0) NOT VALID;',
        'ALTER TABLE "game" VALIDATE CONSTRAINT "c";',
        'ALTER TABLE "game" DROP CONSTRAINT "c";',
        "-- Raw Python operation",
    ])
    def test_is_not_detected_in_harmless_statements(self, statement):
        assert dangers([statement]) == set()

    def test_is_not_detected_in_a_new_table(self):
        assert dangers(['CREATE TABLE "new" ("id" bigint NOT NULL PRIMARY KEY);', 'CREATE INDEX "i" ON "new" ("id");',
                        'ALTER TABLE "new" ADD CONSTRAINT "c" FOREIGN KEY ("a") REFERENCES "game" ("id");']) == set()

    def test_includes_the_lock_of_a_second_table(self):
        one, other = (f'ALTER TABLE "{table}" ADD COLUMN "n" integer NULL;' for table in ("game", "match"))
        assert dangers([one, other]) == {"locks several tables at once (game, match)"}

    def test_includes_code_in_one_transaction_or_next_to_other_changes(self):
        code = migrations.RunPython(migrations.RunPython.noop)
        field = migrations.AddField("game", "n", models.IntegerField())
        assert dangers_of_code([code], atomic=False) == set()
        assert dangers_of_code([code], atomic=True) == {"changes rows in one long transaction"}
        assert dangers_of_code([code, field], atomic=False) == {"changes rows and tables in one migration"}


@pytest.mark.django_db(transaction=True)
class TestOperationsOnTablesInUse:
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


@pytest.mark.django_db
class TestBackOff:
    def test_of_the_previous_release_is_carried_over(self):
        """The previous release set `published_at` to a time in the future."""
        bots = [make_version(f"bot {number}") for number in range(3)]
        make_event(bots, ruleset="square-grid-hex", size=3)
        waiting, published, _ = Match.objects.order_by("pk")
        now = timezone.now()
        Match.objects.filter(pk=waiting.pk).update(published_at=now + timedelta(minutes=1))
        Match.objects.filter(pk=published.pk).update(published_at=now - timedelta(seconds=1))
        *_, operation = MigrationLoader(connection).disk_migrations["tournaments", "0003_due_at"].operations
        operation.code(apps, SimpleNamespace(connection=connection))
        wait = timedelta(minutes=1, seconds=settings.REPUBLISH_SECONDS)
        assert list(Match.objects.order_by("pk").values_list("published_at", "due_at")) == [
            (None, now + wait), (now - timedelta(seconds=1), None), (None, None)]
