from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0030_arena_series'),
    ]

    operations = [
        migrations.AddField(
            model_name='round',
            name='known',
            field=models.JSONField(editable=False, help_text='In an arena, what was known when the wave was paired: the places of the free entrants, the number of open matches, and the seconds since the start.', null=True),
        ),
    ]
