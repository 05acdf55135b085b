"""Add a nullable column, and a check of rows written from now on."""

from django.db import migrations, models

from tests.tournaments.next_release import NEWEST
from tournaments.platform.migrating import AddCheckNotValid


class Migration(migrations.Migration):
    dependencies = [("tournaments", NEWEST)]
    operations = [
        migrations.AddField("match", "stake", models.IntegerField(null=True)),
        AddCheckNotValid("match", models.CheckConstraint(
            condition=models.Q(stake=None) | models.Q(stake__gte=0), name="a_stake_is_not_negative")),
    ]
