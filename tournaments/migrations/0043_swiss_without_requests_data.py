"""Requested byes, late entries of a Swiss, and rounds that wait for a confirmation end: release what they hold."""

from typing import Any

from django.db import migrations


def release(apps: Any, _editor: Any) -> None:
    """Let held rounds be played, and keep processes of the previous release from granting or holding any more."""
    event, series, match, round_, request = (apps.get_model("tournaments", name) for name in (
        "Event", "Series", "Match", "Round", "ByeRequest"))
    for rows in (event.objects.filter(ended_at=None), series.objects.all()):
        rows.exclude(late_rounds=0, byes_allowed=0, confirm_rounds=False).update(
            late_rounds=0, byes_allowed=0, confirm_rounds=False)
    match.objects.filter(round__awaits_confirmation=True, event__status="running", status="queued").update(
        held=False, published_at=None)
    round_.objects.filter(awaits_confirmation=True).update(awaits_confirmation=False)
    request.objects.all().delete()


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ("tournaments", "0042_coordinators"),
    ]

    operations = [
        migrations.RunPython(release, migrations.RunPython.noop),
    ]
