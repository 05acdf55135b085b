from django.db.migrations import Migration as BaseMigration
from django.db.models import Index, Q

from tournaments.platform.migrating import AddIndexConcurrently


class Migration(BaseMigration):

    atomic = False

    dependencies = [
        ('tournaments', '0005_rules_of_releases'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='match',
            index=Index(condition=Q(('due_at__isnull', False), ('held', False), ('status', 'queued')), fields=['due_at'], name='match_postponed'),
        ),
    ]
