from django.db import migrations

from tournaments.platform.migrating import ValidateCheck


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0033_league_limits'),
    ]

    operations = [
        ValidateCheck('event', 'a_season_has_few_divisions'),
    ]
