from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0015_worker_tools'),
    ]

    operations = [
        migrations.AddField(
            model_name='match',
            name='due_at',
            field=models.DateTimeField(help_text='Not to be claimed before; empty for at once. Later after each attempt that was void.', null=True),
        ),
    ]
