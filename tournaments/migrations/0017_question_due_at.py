from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0016_match_due_at'),
    ]

    operations = [
        migrations.AddField(
            model_name='question',
            name='due_at',
            field=models.DateTimeField(help_text='Not to be claimed before; empty for at once. Later after each attempt that was void.', null=True),
        ),
        # Words alone: nothing of these changes in the database.
        migrations.AlterField(
            model_name='attempt',
            name='number',
            field=models.PositiveSmallIntegerField(help_text="The row's attempt number when it was claimed."),
        ),
        migrations.AlterField(
            model_name='check',
            name='number',
            field=models.PositiveSmallIntegerField(help_text="The row's attempt number when it was claimed."),
        ),
        migrations.AlterField(
            model_name='check',
            name='status',
            field=models.CharField(choices=[('running', 'Running'), ('counted', 'Counted'), ('void', 'Void')], default='running', help_text='Running, counted, or void: spoiled by the infrastructure, never a result.', max_length=10),
        ),
        migrations.AlterField(
            model_name='question',
            name='published_at',
            field=models.DateTimeField(help_text='When its id was last put on its queue.', null=True),
        ),
        migrations.AlterField(
            model_name='submission',
            name='attempt',
            field=models.PositiveSmallIntegerField(default=0, help_text='How often it has been claimed: the fencing token.'),
        ),
        migrations.AlterField(
            model_name='submission',
            name='due_at',
            field=models.DateTimeField(help_text='Not to be claimed before; empty for at once. Later after each attempt that was void.', null=True),
        ),
        migrations.AlterField(
            model_name='submission',
            name='published_at',
            field=models.DateTimeField(help_text='When its id was last put on its queue.', null=True),
        ),
    ]
