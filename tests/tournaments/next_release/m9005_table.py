"""Create a table that references a table in use."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tournaments", "m9004_validate")]
    operations = [migrations.CreateModel(name="Bet", fields=[
        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False)),
        ("match", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="tournaments.match")),
    ])]
