from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0029_arena'),
    ]

    operations = [
        migrations.AddField(
            model_name='series',
            name='minutes',
            field=models.PositiveIntegerField(db_default=0, default=0, help_text='Minutes for which an arena pairs its entrants; 0 for other formats.'),
        ),
        migrations.AddField(
            model_name='series',
            name='streaks',
            field=models.BooleanField(db_default=False, default=False, help_text='Whether an arena doubles points after two wins in a row.'),
        ),
    ]
