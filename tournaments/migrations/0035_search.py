from django.db.migrations import Migration as BaseMigration
from django.db.models import Index, Q

from tournaments.platform.migrating import AddIndexConcurrently


class Migration(BaseMigration):

    atomic = False

    dependencies = [
        ('tournaments', '0034_validate_league_limits'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='game',
            index=Index(fields=['-plies', '-id'], name='game_length'),
        ),
        AddIndexConcurrently(
            model_name='game',
            index=Index(condition=Q(('event__isnull', False)), fields=['event', '-plies', '-id'], name='game_length_in_event'),
        ),
    ]
