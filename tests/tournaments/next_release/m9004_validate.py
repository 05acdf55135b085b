"""Validate the check for existing rows."""

from django.db import migrations

from tournaments.platform.migrating import ValidateCheck


class Migration(migrations.Migration):
    dependencies = [("tournaments", "m9003_index")]
    operations = [ValidateCheck("match", "a_stake_is_not_negative")]
