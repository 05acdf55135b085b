from django.db.migrations import Migration as BaseMigration

from tournaments.platform.migrating import ValidateCheck


class Migration(BaseMigration):

    dependencies = [
        ('tournaments', '0014_validate_regulations'),
    ]

    operations = [
        ValidateCheck('bye', 'a_bye_is_worth_a_win_or_less'),
    ]
