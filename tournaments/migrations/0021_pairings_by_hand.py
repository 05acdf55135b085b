from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0020_validate_opening_books'),
    ]

    operations = [
        migrations.AddField(
            model_name='event',
            name='confirm_rounds',
            field=models.BooleanField(db_default=False, default=False, help_text='Each round of a Swiss waits until the organiser has confirmed its pairings.'),
        ),
    ]
