from django.db import migrations, models

from tournaments.platform.migrating import AddCheckNotValid


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0011_regulations'),
    ]

    operations = [
        migrations.AddField(
            model_name='bye',
            name='points',
            field=models.FloatField(db_default=1.0, default=1.0, help_text='Points in a Swiss: 1, or if the entrant requested the bye or entered late, 0.5 or 0.'),
        ),
        AddCheckNotValid(
            model_name='bye',
            constraint=models.CheckConstraint(condition=models.Q(('points__in', [0.0, 0.5, 1.0])), name='a_bye_is_worth_a_win_or_less'),
        ),
    ]
