from django.db import migrations

from tournaments.platform.migrating import ValidateCheck


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0027_league_of_events'),
    ]

    operations = [
        ValidateCheck('series', 'divisions_of_a_league_are_complete'),
    ]
