"""A row for each game that is already rated. Games that the previous release rates later: `rebuild_ratings`."""

from itertools import groupby

from django.db import migrations

from ratings import elo

_PERIODS = 20


def fill(apps, schema_editor):
    periods = list(apps.get_model('ratings', 'Period').objects.order_by('pk').values_list('pk', flat=True))
    for start in range(0, len(periods), _PERIODS):
        _fill(apps, periods[start:start + _PERIODS])


def _fill(apps, periods):
    rated = apps.get_model('ratings', 'RatedGame')
    changes = (apps.get_model('ratings', 'RatingChange').objects.filter(period__in=periods).order_by('game', 'pk')
               .values_list('game', 'period', 'bot', 'before', 'game__winner', 'game__seat0__bot'))
    rows = []
    for game, two in groupby(changes, key=lambda change: change[0]):
        first, second = sorted(two, key=lambda change: change[2] != change[5])
        score = 0.5 if first[4] is None else 1.0 - first[4]
        rows.append(rated(game_id=game, period_id=first[1], level=(first[3] + second[3]) / 2,
                          chance=elo.chance_of(score, first[3] - second[3])))
    # Repeatable: an interrupted try leaves rows.
    rated.objects.bulk_create(rows, ignore_conflicts=True)


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('ratings', '0003_rated_games'),
    ]

    operations = [
        migrations.RunPython(fill, migrations.RunPython.noop, elidable=True),
    ]
