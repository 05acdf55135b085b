from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0021_pairings_by_hand'),
    ]

    operations = [
        migrations.AddField(
            model_name='round',
            name='awaits_confirmation',
            field=models.BooleanField(db_default=False, default=False, help_text='Whether its matches wait until the organiser has confirmed the pairings.'),
        ),
    ]
