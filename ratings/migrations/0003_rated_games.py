import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('ratings', '0002_transitivity'),
        ('tournaments', '0001_first_release'),
    ]

    operations = [
        migrations.CreateModel(
            name='RatedGame',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('level', models.FloatField(help_text='Mean of both ratings in Elo.')),
                ('chance', models.FloatField(help_text='Expected score of the winner, 0 to 1; empty for a draw.', null=True)),
                ('game', models.OneToOneField(help_text='Game.', on_delete=django.db.models.deletion.PROTECT, related_name='rated', to='tournaments.game')),
                ('period', models.ForeignKey(help_text='Rating period.', on_delete=django.db.models.deletion.CASCADE, related_name='rated_games', to='ratings.period')),
            ],
            options={
                'ordering': ['period', 'game'],
                'indexes': [models.Index(fields=['-level', '-game'], name='rated_game_level'), models.Index(condition=models.Q(('chance__isnull', False)), fields=['chance', '-game'], name='rated_game_upset')],
                'constraints': [models.CheckConstraint(condition=models.Q(('chance__isnull', True), models.Q(('chance__gte', 0), ('chance__lte', 1)), _connector='OR'), name='the_chance_of_a_winner_is_from_zero_to_one')],
            },
        ),
    ]
