from django.db.migrations import Migration as BaseMigration
from django.db.models import Index, Q

from tournaments.platform.migrating import AddIndexConcurrently, ValidateCheck


class Migration(BaseMigration):

    atomic = False

    dependencies = [
        ('tournaments', '0040_deliveries_to_followers'),
    ]

    operations = [
        ValidateCheck('delivery', 'a_delivery_names_its_receiver'),
        AddIndexConcurrently(
            model_name='delivery',
            index=Index(condition=Q(('subscription__isnull', False)), fields=['subscription'], name='delivery_of_subscription'),
        ),
        AddIndexConcurrently(
            model_name='delivery',
            index=Index(condition=Q(('channel', 'feed')), fields=['user', '-id'], name='delivery_of_feed'),
        ),
    ]
