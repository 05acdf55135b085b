from datetime import timedelta

from django.conf import settings
from django.db import migrations, models
from django.db.models import F
from django.utils import timezone

_DUE_AT = models.DateTimeField(
    null=True, help_text="Earliest time of the next claim; null for immediately. Moved back after every void attempt.")


def _date_back_off(apps, schema_editor):
    """Set the due time of matches that wait after a void attempt.

    Earlier releases set `published_at` to a future time and published the ID REPUBLISH_SECONDS after it.
    """
    matches = apps.get_model("tournaments", "Match").objects.using(schema_editor.connection.alias)
    matches.filter(status="queued", published_at__gt=timezone.now()).update(
        due_at=F("published_at") + timedelta(seconds=settings.REPUBLISH_SECONDS), published_at=None)


class Migration(migrations.Migration):

    dependencies = [("tournaments", "0002_one_attempt_counts")]

    operations = [
        migrations.AddField("match", "due_at", _DUE_AT),
        migrations.AddField("question", "due_at", _DUE_AT.clone()),
        migrations.RunPython(_date_back_off, migrations.RunPython.noop),
    ]
