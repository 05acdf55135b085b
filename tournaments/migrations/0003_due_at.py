from datetime import timedelta

from django.conf import settings
from django.db import migrations, models
from django.db.models import F
from django.utils import timezone

_DUE_AT = models.DateTimeField(
    help_text="Not to be claimed before; empty for at once. Later after each attempt that was void.", null=True)


def _date_back_off(apps, schema_editor):
    """Give the matches that wait after a void attempt a time when they are due.

    Until now `published_at` was dated into the future for that, and the id was published REPUBLISH_SECONDS after it.
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
