from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0012_points_of_byes'),
    ]

    operations = [
        migrations.AddField(
            model_name='round',
            name='apart_relaxed',
            field=models.BooleanField(db_default=False, default=False, help_text='Whether bots of one owner or team could not be kept apart.'),
        ),
    ]
