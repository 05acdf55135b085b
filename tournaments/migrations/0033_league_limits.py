from django.conf import settings
from django.db import migrations, models

from tournaments.platform.migrating import AddCheckNotValid


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0032_validate_arena'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name='event',
            name='left_out',
            field=models.PositiveIntegerField(db_default=0, default=0, help_text="Number of bots of the ladder or of a league's last season that the series did not enter because the event was full."),
        ),
        AddCheckNotValid(
            model_name='event',
            constraint=models.CheckConstraint(condition=models.Q(('division__lte', 50)), name='a_season_has_few_divisions'),
        ),
    ]
