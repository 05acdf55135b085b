from django.db.migrations import Migration as BaseMigration

from tournaments.platform.migrating import ValidateCheck


class Migration(BaseMigration):

    dependencies = [
        ('tournaments', '0017_validate_heartbeats'),
    ]

    operations = [
        ValidateCheck('series', 'a_target_of_a_series_is_complete'),
    ]
