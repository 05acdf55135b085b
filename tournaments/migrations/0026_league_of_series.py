from django.db import migrations, models
from django.db.models import F, Q

from tournaments.platform.migrating import AddCheckNotValid


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0025_validate_series_regulations'),
    ]

    operations = [
        migrations.AddField(
            model_name='series',
            name='division_size',
            field=models.PositiveSmallIntegerField(blank=True, help_text='Number of bots of each division of a league; empty for a series without divisions.', null=True),
        ),
        migrations.AddField(
            model_name='series',
            name='division_moves',
            field=models.PositiveSmallIntegerField(blank=True, help_text='Number of bots that move up, and down, between two divisions of a league after each season.', null=True),
        ),
        AddCheckNotValid(
            model_name='series',
            constraint=models.CheckConstraint(name='divisions_of_a_league_are_complete', condition=(
                Q(division_size__isnull=True, division_moves__isnull=True)
                | Q(division_size__isnull=False, division_moves__isnull=False, division_moves__gte=1,
                    division_size__gte=2 * F('division_moves')))),
        ),
    ]
