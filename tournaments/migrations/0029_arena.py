from django.db import migrations, models

from tournaments.platform.migrating import AddCheckNotValid


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0028_validate_league'),
    ]

    operations = [
        migrations.AddField(
            model_name='event',
            name='minutes',
            field=models.PositiveIntegerField(db_default=0, default=0, help_text='Minutes for which an arena pairs its entrants; 0 for other formats.'),
        ),
        migrations.AddField(
            model_name='event',
            name='streaks',
            field=models.BooleanField(db_default=False, default=False, help_text='Whether an arena doubles points after two wins in a row.'),
        ),
        AddCheckNotValid(
            model_name='event',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('minutes', 0), ('streaks', False)), models.Q(('minutes__gte', 1), ('minutes__lte', 10080)), _connector='OR'), name='an_event_with_streaks_has_a_duration'),
        ),
    ]
