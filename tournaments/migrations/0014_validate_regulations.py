from django.db.migrations import Migration as BaseMigration

from tournaments.platform.migrating import ValidateCheck


class Migration(BaseMigration):

    dependencies = [
        ('tournaments', '0013_apart_relaxed'),
    ]

    operations = [
        ValidateCheck('event', 'an_event_policy_for_withdrawals_is_known'),
        ValidateCheck('event', 'a_target_of_an_event_is_complete'),
        ValidateCheck('event', 'a_requested_bye_is_worth_half_or_nothing'),
    ]
