"""Add a non-null column, which the database fills for a release that does not know it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tournaments", "m9001_column")]
    operations = [migrations.AddField("game", "weight", models.IntegerField(db_default=1))]
