"""An index of a table that is written to."""

from django.db import migrations, models

from tournaments.platform.migrating import AddIndexConcurrently


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("tournaments", "m9002_default")]
    operations = [AddIndexConcurrently("game", models.Index(fields=["plies"], name="game_by_plies"))]
