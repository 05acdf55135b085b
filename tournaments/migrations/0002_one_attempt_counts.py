"""Put back an index that databases made before 0001_first_release have lost.

Django's AlterField drops the index of a foreign key when it loses `db_index`, and takes a conditional unique constraint
on the same column for that index. So on PostgreSQL `one_attempt_of_a_match_counts` was gone.
"""

from django.db import migrations


def _put_back(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(
            "CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS one_attempt_of_a_match_counts "
            "ON tournaments_attempt (match_id) WHERE status = 'counted'")


class Migration(migrations.Migration):

    atomic = False

    dependencies = [("tournaments", "0001_first_release")]

    operations = [migrations.RunPython(_put_back, migrations.RunPython.noop)]
