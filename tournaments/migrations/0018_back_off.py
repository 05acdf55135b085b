from datetime import timedelta

from django.conf import settings
from django.db import migrations
from django.db.models import F
from django.utils import timezone


def date_back_off(apps, schema_editor):
    """Give the matches that wait after a void attempt a time when they are due.

    Until now `published_at` was dated into the future for that, and the id was published REPUBLISH_SECONDS after it.
    """
    matches = apps.get_model('tournaments', 'Match').objects.using(schema_editor.connection.alias)
    matches.filter(status='queued', published_at__gt=timezone.now()).update(
        due_at=F('published_at') + timedelta(seconds=settings.REPUBLISH_SECONDS), published_at=None)


class Migration(migrations.Migration):

    # A single statement, for a few rows.
    atomic = False

    dependencies = [
        ('tournaments', '0017_question_due_at'),
    ]

    operations = [
        migrations.RunPython(date_back_off, migrations.RunPython.noop, elidable=True),
    ]
