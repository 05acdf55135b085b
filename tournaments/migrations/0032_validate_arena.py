from django.db import migrations

from tournaments.platform.migrating import ValidateCheck


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0031_arena_waves'),
    ]

    operations = [
        ValidateCheck('event', 'an_event_with_streaks_has_a_duration'),
    ]
