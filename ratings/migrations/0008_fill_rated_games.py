"""A row for each game that is already rated, with the ratings of the last fit of the previous release.

That fit is stored, so nothing is fitted here. Its ratings are better than those before each game, which the live Elo
gave. The coordinator's next step fits all ladders again; openings, which depend on the ratings, are counted again.
"""

from django.db import migrations
from django.utils import timezone

from ratings.chances import decided

_BATCH = 1000
_INITIAL = 1500.0


def fill(apps, schema_editor):
    def model(name, app='ratings'):
        return apps.get_model(app, name).objects

    facts = {ladder: {'eta': eta, 'nu': nu}
             for ladder, eta, nu in model('OfficialTable').values_list('ladder', 'eta', 'nu')}
    ratings = {(ladder, version): rating for ladder, version, rating in
               model('OfficialLine').values_list('table__ladder', 'version', 'rating')}
    rated = apps.get_model('ratings', 'RatedGame')
    games = (model('Game', 'tournaments').filter(match__rating_period__isnull=False)
             .exclude(attempt__tier='unsafe-local').order_by('pk')
             .values_list('pk', 'match__ladder', 'match__rating_period', 'ended_at', 'winner', 'seat0', 'seat1'))
    last = 0
    while found := list(games.filter(pk__gt=last)[:_BATCH]):
        rows = []
        for game, ladder, period, at, winner, *seats in found:
            first, second = (ratings.get((ladder, version), _INITIAL) for version in seats)
            first_wins = decided(first - second, **facts.get(ladder, {}))
            rows.append(rated(game_id=game, ladder_id=ladder, period=period, rated_at=at, level=(first + second) / 2,
                              lead=first - second,
                              chance=None if winner is None else first_wins if winner == 0 else 1.0 - first_wins))
        # Repeatable: an interrupted try leaves rows.
        rated.objects.bulk_create(rows, ignore_conflicts=True)
        last = found[-1][0]
    model('OpeningCount').update(clearing=True)
    model('Statistics').filter(games__gt=0).update(due_at=timezone.now())


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('ratings', '0007_one_rating'),
    ]

    operations = [
        migrations.RunPython(fill, migrations.RunPython.noop, elidable=True),
    ]
