"""One rating for each bot: the tables of the live Elo go. 0008 fills the rated games; the coordinator fits the ratings."""

import django.db.models.deletion
import django.db.models.expressions
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('ratings', '0006_openings'),
        ('tournaments', '0001_first_release'),
    ]

    operations = [
        migrations.DeleteModel(
            name='RatingChange',
        ),
        migrations.DeleteModel(
            name='RatedGame',
        ),
        migrations.DeleteModel(
            name='Rating',
        ),
        migrations.DeleteModel(
            name='Period',
        ),
        migrations.CreateModel(
            name='Rating',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ladder', models.ForeignKey(db_index=False, help_text='Ladder.', on_delete=django.db.models.deletion.CASCADE, related_name='ratings', to='tournaments.ladder')),
                ('bot', models.ForeignKey(help_text='Bot.', on_delete=django.db.models.deletion.PROTECT, related_name='ratings', to='tournaments.bot')),
                ('version', models.ForeignKey(help_text="Version that is rated: the one that plays there, or the bot's newest with a rated game.", on_delete=django.db.models.deletion.PROTECT, related_name='ratings', to='tournaments.version')),
                ('value', models.FloatField(help_text='Rating in Elo.')),
                ('low', models.FloatField(help_text="Lower end of the rating's 95 % interval.")),
                ('high', models.FloatField(help_text="Upper end of the rating's 95 % interval.")),
                ('error', models.FloatField(help_text='Standard error of the rating in Elo.')),
                ('games', models.PositiveIntegerField(help_text='Rated games of this version.')),
                ('wins', models.PositiveIntegerField(help_text='Rated games won.')),
                ('draws', models.PositiveIntegerField(help_text='Rated games drawn.')),
                ('losses', models.PositiveIntegerField(help_text='Rated games lost.')),
                ('rank', models.PositiveIntegerField(help_text='Rank among the bots from 1, unique on the ladder.')),
            ],
            options={
                'ordering': ['ladder', 'rank'],
                'constraints': [models.UniqueConstraint(fields=('ladder', 'bot'), name='a_bot_has_one_rating_on_a_ladder'), models.UniqueConstraint(fields=('ladder', 'rank'), name='a_ladder_has_each_rank_of_a_bot_once'), models.CheckConstraint(condition=models.Q(('games', django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(models.F('wins'), '+', models.F('draws')), '+', models.F('losses')))), name='a_rating_adds_up'), models.CheckConstraint(condition=models.Q(('high__gte', models.F('value')), ('low__lte', models.F('value'))), name='a_rating_is_within_its_interval')],
            },
        ),
        migrations.CreateModel(
            name='RatingPoint',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ladder', models.ForeignKey(db_index=False, help_text='Ladder.', on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.ladder')),
                ('bot', models.ForeignKey(db_index=False, help_text='Bot.', on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tournaments.bot')),
                ('at', models.DateTimeField(help_text='Time of the fit.')),
                ('version', models.PositiveIntegerField(help_text='Number of the version that was rated.')),
                ('value', models.FloatField(help_text='Rating in Elo.')),
                ('low', models.FloatField(help_text="Lower end of the rating's 95 % interval.")),
                ('high', models.FloatField(help_text="Upper end of the rating's 95 % interval.")),
            ],
            options={
                'ordering': ['ladder', 'bot', 'at'],
                'constraints': [models.UniqueConstraint(fields=('bot', 'ladder', 'at'), name='a_rating_has_one_point_at_a_time')],
            },
        ),
        migrations.CreateModel(
            name='RatedGame',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('game', models.OneToOneField(help_text='Game.', on_delete=django.db.models.deletion.PROTECT, related_name='rated', to='tournaments.game')),
                ('ladder', models.ForeignKey(db_index=False, help_text='Ladder.', on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.ladder')),
                ('period', models.PositiveIntegerField(help_text="Number of the ladder's rating period in which it was rated.")),
                ('rated_at', models.DateTimeField(help_text='Time at which it was rated.')),
                ('level', models.FloatField(help_text='Mean of both ratings in Elo.')),
                ('lead', models.FloatField(help_text='Rating of the first player minus that of the second, in Elo.')),
                ('chance', models.FloatField(help_text='Probability that the winner wins if one of the two wins, 0 to 1; empty for a draw.', null=True)),
            ],
            options={
                'ordering': ['ladder', 'period', 'game'],
                'indexes': [models.Index(fields=['ladder', 'period', 'game'], name='rated_game_of_a_period'), models.Index(fields=['-level', '-game'], name='rated_game_level'), models.Index(condition=models.Q(('chance__isnull', False)), fields=['chance', '-game'], name='rated_game_upset'), models.Index(condition=models.Q(('chance__lte', 0.25)), fields=['rated_at'], name='rated_game_recent_upset')],
                'constraints': [models.CheckConstraint(condition=models.Q(('chance__isnull', True), models.Q(('chance__gte', 0), ('chance__lte', 1)), _connector='OR'), name='the_chance_of_a_winner_is_from_zero_to_one')],
            },
        ),
    ]

