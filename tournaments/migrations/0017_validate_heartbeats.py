from django.db.migrations import Migration as BaseMigration

from tournaments.platform.migrating import ValidateCheck


class Migration(BaseMigration):

    dependencies = [
        ('tournaments', '0016_precision_of_series'),
    ]

    operations = [
        ValidateCheck('worker', 'only_a_heartbeat_that_is_due_is_overdue'),
    ]
