import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('ratings', '0004_fill_rated_games'),
        ('tournaments', '0001_first_release'),
    ]

    operations = [
        migrations.CreateModel(
            name='ReportedChances',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('bin', models.PositiveSmallIntegerField(help_text='Number of the bin: 0 for chances below 10 %, 9 from 90 % on.')),
                ('turns', models.PositiveIntegerField(help_text='Number of turns.')),
                ('games', models.PositiveIntegerField(help_text='Number of games with such a turn.')),
                ('squares', models.PositiveBigIntegerField(help_text='Sum over these games of the squared number of such turns.')),
                ('chance', models.PositiveBigIntegerField(help_text='Sum of the reported chances, in units of 1/10000.')),
                ('halves', models.PositiveIntegerField(help_text='Sum over the turns of the half points that the game brought.')),
                ('ladder', models.ForeignKey(db_index=False, help_text='Ladder.', on_delete=django.db.models.deletion.CASCADE, related_name='reported_chances', to='tournaments.ladder')),
                ('version', models.ForeignKey(help_text='Version that reported the chances.', on_delete=django.db.models.deletion.PROTECT, related_name='reported_chances', to='tournaments.version')),
            ],
            options={
                'verbose_name_plural': 'reported chances',
                'ordering': ['ladder', 'version', 'bin'],
                'constraints': [models.UniqueConstraint(fields=('ladder', 'version', 'bin'), name='a_bin_is_counted_once_for_a_version'), models.CheckConstraint(condition=models.Q(('bin__lt', 10)), name='a_bin_of_chances_is_known'), models.CheckConstraint(condition=models.Q(('games__gte', 1), ('turns__gte', models.F('games'))), name='a_counted_bin_has_turns_and_games')],
            },
        ),
    ]
