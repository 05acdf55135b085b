"""Add an index to a table in use."""

from django.db import migrations, models

from tournaments.platform.migrating import AddIndexConcurrently


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("tournaments", "m9002_default")]
    operations = [AddIndexConcurrently("game", models.Index(fields=["plies"], name="game_by_plies"))]
