from django.db.migrations import Migration as BaseMigration

from tournaments.platform.migrating import ValidateCheck


class Migration(BaseMigration):

    dependencies = [
        ('tournaments', '0024_series_regulations'),
    ]

    operations = [
        ValidateCheck('series', 'a_series_policy_for_withdrawals_is_known'),
        ValidateCheck('series', 'a_bye_of_a_series_is_worth_half_or_nothing'),
        ValidateCheck('series', 'a_series_with_a_book_has_openings'),
    ]
