from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0026_league_of_series'),
    ]

    operations = [
        migrations.AddField(
            model_name='event',
            name='division',
            field=models.PositiveSmallIntegerField(db_default=0, default=0, help_text='Division of a league, from 1 for the highest; 0 for other events, and before the season starts.'),
        ),
        migrations.RemoveConstraint(
            model_name='event',
            name='a_series_has_one_event_at_a_time',
        ),
        migrations.AddConstraint(
            model_name='event',
            constraint=models.UniqueConstraint(fields=('series', 'starts_at', 'division'), name='a_division_has_one_event_at_a_time'),
        ),
    ]
