import django.db.models.deletion
import django.db.models.expressions
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    # What nobody else's database has met: 0.1.0 was not released with them.
    replaces = [
        ('ratings', '0001_initial'),
        ('ratings', '0002_ladder_play'),
        ('ratings', '0003_official'),
    ]

    dependencies = [
        ('tournaments', '0001_first_release'),
    ]

    operations = [
        migrations.CreateModel(
            name='OfficialTable',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('revision', models.PositiveIntegerField(help_text='Revision, from 1, increased by each computation.')),
                ('model', models.CharField(help_text='Name and version of the model.', max_length=40)),
                ('input', models.CharField(help_text='SHA-256 of the counted games that it was computed from.', max_length=64)),
                ('anchors', models.JSONField(default=dict, help_text='Given ratings by version ID, which set the scale.')),
                ('period', models.PositiveIntegerField(help_text='Number of the last rating period whose games it includes.')),
                ('games', models.PositiveIntegerField(help_text='Number of games that it includes.')),
                ('computed_at', models.DateTimeField(help_text='Time of the computation.')),
                ('seconds', models.FloatField(help_text='Duration of the computation in seconds; the next one waits in proportion.')),
                ('exact', models.BooleanField(help_text='Whether errors come from the full covariance; otherwise from the second-order formula for large tables.')),
                ('advantage', models.FloatField(help_text='First-move advantage in Elo.')),
                ('advantage_low', models.FloatField(help_text="Lower end of the first-move advantage's 95 % interval.")),
                ('advantage_high', models.FloatField(help_text="Upper end of the first-move advantage's 95 % interval.")),
                ('draw_parameter', models.FloatField(help_text="Davidson's ν: 0 without draws, 1 if equals draw a third of games.")),
                ('draw_parameter_low', models.FloatField(help_text="Lower end of the draw parameter's 95 % interval.")),
                ('draw_parameter_high', models.FloatField(help_text="Upper end of the draw parameter's 95 % interval.")),
                ('draws', models.PositiveIntegerField(help_text='Number of these games that were drawn.')),
                ('pairs', models.PositiveIntegerField(help_text='Pairs of versions that have met.')),
                ('components', models.JSONField(help_text='Number of versions in each connected component, largest first. Ratings of different components are not comparable.')),
                ('eta', models.FloatField(help_text="First-move advantage in the model's units.")),
                ('nu', models.FloatField(help_text="Draw parameter in the model's units.")),
                ('ladder', models.OneToOneField(help_text='Ladder.', on_delete=django.db.models.deletion.CASCADE, related_name='official_table', to='tournaments.ladder')),
            ],
            options={
                'ordering': ['ladder'],
            },
        ),
        migrations.CreateModel(
            name='OfficialLine',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('rating', models.FloatField(help_text='Rating in Elo.')),
                ('low', models.FloatField(help_text="Lower end of the rating's 95 % interval.")),
                ('high', models.FloatField(help_text="Upper end of the rating's 95 % interval.")),
                ('error', models.FloatField(help_text='Standard error of the rating in Elo.')),
                ('games', models.PositiveIntegerField(help_text='Games played.')),
                ('wins', models.PositiveIntegerField(help_text='Games won.')),
                ('draws', models.PositiveIntegerField(help_text='Games drawn.')),
                ('losses', models.PositiveIntegerField(help_text='Games lost.')),
                ('rank', models.PositiveIntegerField(help_text='Rank from 1, unique in the table; larger components come first.')),
                ('rank_low', models.PositiveIntegerField(help_text='Best possible rank within its component at 95 % confidence.')),
                ('rank_high', models.PositiveIntegerField(help_text='Worst possible rank within its component at 95 % confidence.')),
                ('better_than_next', models.FloatField(help_text='Probability that it is stronger than the next line; empty for the last line of a component.', null=True)),
                ('games_for_25', models.PositiveIntegerField(help_text='Further games against equals needed for an interval of ±25 Elo.')),
                ('component', models.PositiveIntegerField(help_text='Number of its connected component, 0 for the largest.')),
                ('theta', models.FloatField(help_text="Strength in the model's units; starting point of the next fit.")),
                ('covariances', models.JSONField(default=list, help_text='Covariances with the next lines, in Elo²; for matchmaking.')),
                ('version', models.ForeignKey(help_text='Version.', on_delete=django.db.models.deletion.PROTECT, related_name='official_lines', to='tournaments.version')),
                ('table', models.ForeignKey(db_index=False, help_text='Official table.', on_delete=django.db.models.deletion.CASCADE, related_name='lines', to='ratings.officialtable')),
            ],
            options={
                'ordering': ['table', 'rank'],
            },
        ),
        migrations.CreateModel(
            name='PairCounts',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('low_first_wins', models.PositiveIntegerField(default=0, help_text='Wins of the lower version in seat 0.')),
                ('low_first_draws', models.PositiveIntegerField(default=0, help_text='Draws of the lower version in seat 0.')),
                ('low_first_losses', models.PositiveIntegerField(default=0, help_text='Losses of the lower version in seat 0.')),
                ('high_first_wins', models.PositiveIntegerField(default=0, help_text='Wins of the higher version in seat 0.')),
                ('high_first_draws', models.PositiveIntegerField(default=0, help_text='Draws of the higher version in seat 0.')),
                ('high_first_losses', models.PositiveIntegerField(default=0, help_text='Losses of the higher version in seat 0.')),
                ('moments', models.JSONField(help_text="Sums over the pair's clusters of the products of any two of a cluster's six counts: 21 numbers, the upper triangle row by row.")),
                ('high', models.ForeignKey(help_text='The version with the higher ID.', on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tournaments.version')),
                ('ladder', models.ForeignKey(db_index=False, help_text='Ladder.', on_delete=django.db.models.deletion.CASCADE, related_name='pair_counts', to='tournaments.ladder')),
                ('low', models.ForeignKey(db_index=False, help_text='The version with the lower ID.', on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tournaments.version')),
            ],
            options={
                'verbose_name_plural': 'pair counts',
                'ordering': ['ladder', 'low', 'high'],
            },
        ),
        migrations.CreateModel(
            name='ClusterCounts',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('low_first_wins', models.PositiveIntegerField(default=0, help_text='Wins of the lower version in seat 0.')),
                ('low_first_draws', models.PositiveIntegerField(default=0, help_text='Draws of the lower version in seat 0.')),
                ('low_first_losses', models.PositiveIntegerField(default=0, help_text='Losses of the lower version in seat 0.')),
                ('high_first_wins', models.PositiveIntegerField(default=0, help_text='Wins of the higher version in seat 0.')),
                ('high_first_draws', models.PositiveIntegerField(default=0, help_text='Draws of the higher version in seat 0.')),
                ('high_first_losses', models.PositiveIntegerField(default=0, help_text='Losses of the higher version in seat 0.')),
                ('opening', models.CharField(help_text="Digest of the opening's turns, also for the empty board.", max_length=16)),
                ('pair', models.ForeignKey(db_index=False, help_text='Pair of versions on a ladder.', on_delete=django.db.models.deletion.CASCADE, related_name='clusters', to='ratings.paircounts')),
            ],
            options={
                'verbose_name_plural': 'cluster counts',
                'ordering': ['pair', 'opening'],
            },
        ),
        migrations.CreateModel(
            name='Period',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField(help_text='Number within the ladder, from 1.')),
                ('closed_at', models.DateTimeField(help_text='Time at which the games were rated.')),
                ('ladder', models.ForeignKey(help_text='Ladder.', on_delete=django.db.models.deletion.CASCADE, related_name='periods', to='tournaments.ladder')),
                ('round', models.ForeignKey(help_text='Round that the games belong to; empty for ladder play.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='periods', to='tournaments.round')),
            ],
            options={
                'ordering': ['ladder', 'number'],
            },
        ),
        migrations.CreateModel(
            name='Rating',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('value', models.FloatField(help_text='Rating in Elo.')),
                ('information', models.FloatField(help_text='Fisher information of its games, per Elo²; determines the interval.')),
                ('games', models.PositiveIntegerField(help_text='Rated games.')),
                ('wins', models.PositiveIntegerField(help_text='Rated games won.')),
                ('draws', models.PositiveIntegerField(help_text='Rated games drawn.')),
                ('rank', models.PositiveIntegerField(help_text='Rank, 1 for the highest rating; equal ratings share a rank.')),
                ('bot', models.ForeignKey(help_text='Bot.', on_delete=django.db.models.deletion.PROTECT, related_name='ratings', to='tournaments.bot')),
                ('ladder', models.ForeignKey(help_text='Ladder.', on_delete=django.db.models.deletion.CASCADE, related_name='ratings', to='tournaments.ladder')),
            ],
            options={
                'ordering': ['ladder', '-value', 'bot'],
            },
        ),
        migrations.CreateModel(
            name='RatingChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('before', models.FloatField(help_text='Rating before the period in Elo, frozen while the period is rated.')),
                ('change', models.FloatField(help_text='Change by the game in Elo.')),
                ('bot', models.ForeignKey(db_index=False, help_text='Bot.', on_delete=django.db.models.deletion.PROTECT, related_name='rating_changes', to='tournaments.bot')),
                ('game', models.ForeignKey(db_index=False, help_text='Game.', on_delete=django.db.models.deletion.PROTECT, related_name='rating_changes', to='tournaments.game')),
                ('period', models.ForeignKey(help_text='Rating period.', on_delete=django.db.models.deletion.CASCADE, related_name='changes', to='ratings.period')),
            ],
            options={
                'ordering': ['period', 'game'],
            },
        ),
        migrations.CreateModel(
            name='Statistics',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('period', models.PositiveIntegerField(help_text='Number of the last counted rating period.')),
                ('games', models.PositiveIntegerField(help_text='Number of counted games.')),
                ('due_at', models.DateTimeField(help_text='Time at which the official table must be recomputed; empty if it is up to date.', null=True)),
                ('ladder', models.OneToOneField(help_text='Ladder.', on_delete=django.db.models.deletion.CASCADE, related_name='statistics', to='tournaments.ladder')),
            ],
            options={
                'verbose_name_plural': 'statistics',
                'ordering': ['ladder'],
            },
        ),
        migrations.CreateModel(
            name='Anchor',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('rating', models.FloatField(help_text='Given rating in Elo; several anchors match their given ratings on average.')),
                ('ladder', models.ForeignKey(db_index=False, help_text='Ladder.', on_delete=django.db.models.deletion.CASCADE, related_name='anchors', to='tournaments.ladder')),
                ('version', models.ForeignKey(help_text='Version.', on_delete=django.db.models.deletion.PROTECT, related_name='anchors', to='tournaments.version')),
            ],
            options={
                'ordering': ['ladder', 'version'],
                'constraints': [models.UniqueConstraint(fields=('ladder', 'version'), name='a_version_is_an_anchor_once_on_a_ladder'), models.CheckConstraint(condition=models.Q(('rating__gte', -10000), ('rating__lte', 10000)), name='an_anchor_is_of_a_sensible_rating')],
            },
        ),
        migrations.AddConstraint(
            model_name='officialtable',
            constraint=models.CheckConstraint(condition=models.Q(('draws__lte', models.F('games'))), name='no_more_draws_than_games'),
        ),
        migrations.AddConstraint(
            model_name='officialtable',
            constraint=models.CheckConstraint(condition=models.Q(('draw_parameter__gte', 0)), name='a_draw_parameter_is_not_negative'),
        ),
        migrations.AddConstraint(
            model_name='officialline',
            constraint=models.UniqueConstraint(fields=('table', 'rank'), name='an_official_table_has_each_rank_once'),
        ),
        migrations.AddConstraint(
            model_name='officialline',
            constraint=models.UniqueConstraint(fields=('table', 'version'), name='a_version_has_one_line_in_an_official_table'),
        ),
        migrations.AddConstraint(
            model_name='officialline',
            constraint=models.CheckConstraint(condition=models.Q(('games', django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(models.F('wins'), '+', models.F('draws')), '+', models.F('losses')))), name='an_official_line_adds_up'),
        ),
        migrations.AddConstraint(
            model_name='officialline',
            constraint=models.CheckConstraint(condition=models.Q(('rank__gte', models.F('rank_low')), ('rank__lte', models.F('rank_high'))), name='an_official_rank_is_within_its_interval'),
        ),
        migrations.AddConstraint(
            model_name='officialline',
            constraint=models.CheckConstraint(condition=models.Q(('high__gte', models.F('rating')), ('low__lte', models.F('rating'))), name='an_official_rating_is_within_its_interval'),
        ),
        migrations.AddConstraint(
            model_name='officialline',
            constraint=models.CheckConstraint(condition=models.Q(('better_than_next__isnull', True), models.Q(('better_than_next__gte', 0), ('better_than_next__lte', 1)), _connector='OR'), name='a_probability_is_from_zero_to_one'),
        ),
        migrations.AddIndex(
            model_name='paircounts',
            index=models.Index(fields=['ladder', 'high'], name='pair_counts_of_the_higher'),
        ),
        migrations.AddIndex(
            model_name='paircounts',
            index=models.Index(fields=['low'], name='pair_counts_of_the_lower'),
        ),
        migrations.AddConstraint(
            model_name='paircounts',
            constraint=models.UniqueConstraint(fields=('ladder', 'low', 'high'), name='a_pair_is_counted_once_on_a_ladder'),
        ),
        migrations.AddConstraint(
            model_name='paircounts',
            constraint=models.CheckConstraint(condition=models.Q(('low__lt', models.F('high'))), name='a_pair_names_the_lower_version_first'),
        ),
        migrations.AddConstraint(
            model_name='clustercounts',
            constraint=models.UniqueConstraint(fields=('pair', 'opening'), name='an_opening_is_counted_once_for_a_pair'),
        ),
        migrations.AddConstraint(
            model_name='period',
            constraint=models.UniqueConstraint(fields=('ladder', 'number'), name='a_period_is_numbered_once'),
        ),
        migrations.AddIndex(
            model_name='rating',
            index=models.Index(fields=['ladder', '-value', 'bot'], name='rating_standings'),
        ),
        migrations.AddConstraint(
            model_name='rating',
            constraint=models.UniqueConstraint(fields=('ladder', 'bot'), name='a_bot_has_one_rating_on_a_ladder'),
        ),
        migrations.AddIndex(
            model_name='ratingchange',
            index=models.Index(fields=['bot', '-period', 'before', 'change'], name='rating_history'),
        ),
        migrations.AddConstraint(
            model_name='ratingchange',
            constraint=models.UniqueConstraint(fields=('game', 'bot'), name='a_game_is_rated_once_for_each_bot'),
        ),
    ]
