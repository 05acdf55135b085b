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
                ('revision', models.PositiveIntegerField(help_text='1, 2, 3 … each time that it is computed.')),
                ('model', models.CharField(help_text="The model's name and version.", max_length=40)),
                ('input', models.CharField(help_text='SHA-256 of the counted games that it was computed from.', max_length=64)),
                ('anchors', models.JSONField(default=dict, help_text='Ratings that were given, by version id: they set the scale.')),
                ('period', models.PositiveIntegerField(help_text='Number of the last rating period whose games it counts.')),
                ('games', models.PositiveIntegerField(help_text='Games that it counts.')),
                ('computed_at', models.DateTimeField(help_text='When it was computed.')),
                ('seconds', models.FloatField(help_text='How long that took; the next one waits in proportion.')),
                ('exact', models.BooleanField(help_text='Errors come from the whole covariance; otherwise from the formula for many players.')),
                ('advantage', models.FloatField(help_text='What the first move is worth, in Elo.')),
                ('advantage_low', models.FloatField(help_text='Lower end of its interval.')),
                ('advantage_high', models.FloatField(help_text='Upper end of its interval.')),
                ('draw_parameter', models.FloatField(help_text="Davidson's ν: 0 without draws, 1 where equals draw a third.")),
                ('draw_parameter_low', models.FloatField(help_text='Lower end of its interval.')),
                ('draw_parameter_high', models.FloatField(help_text='Upper end of its interval.')),
                ('draws', models.PositiveIntegerField(help_text='Of the games drawn.')),
                ('pairs', models.PositiveIntegerField(help_text='Pairs of versions that have met.')),
                ('components', models.JSONField(help_text='How many versions each connected part has, the largest first: ratings of different parts are not comparable.')),
                ('eta', models.FloatField(help_text='The advantage as the model has it.')),
                ('nu', models.FloatField(help_text='The draw parameter as the model has it.')),
                ('ladder', models.OneToOneField(help_text='Whose.', on_delete=django.db.models.deletion.CASCADE, related_name='official_table', to='tournaments.ladder')),
            ],
            options={
                'ordering': ['ladder'],
            },
        ),
        migrations.CreateModel(
            name='OfficialLine',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('rating', models.FloatField(help_text='Elo.')),
                ('low', models.FloatField(help_text='Lower end of its 95 % interval.')),
                ('high', models.FloatField(help_text='Upper end of its 95 % interval.')),
                ('error', models.FloatField(help_text='Its standard error, in Elo.')),
                ('games', models.PositiveIntegerField(help_text='Games that it has played.')),
                ('wins', models.PositiveIntegerField(help_text='Of these won.')),
                ('draws', models.PositiveIntegerField(help_text='Of these drawn.')),
                ('losses', models.PositiveIntegerField(help_text='Of these lost.')),
                ('rank', models.PositiveIntegerField(help_text='1, 2, 3 … from the top, the largest component first; no two share one.')),
                ('rank_low', models.PositiveIntegerField(help_text='The best rank within its component that is possible at 95 %.')),
                ('rank_high', models.PositiveIntegerField(help_text='The worst one.')),
                ('better_than_next', models.FloatField(help_text='Probability that it is stronger than the next line; empty where there is none to compare.', null=True)),
                ('games_for_25', models.PositiveIntegerField(help_text='Games against equals still to play until its interval is ±25.')),
                ('component', models.PositiveIntegerField(help_text='The part of the field that it is connected with, 0 the largest.')),
                ('theta', models.FloatField(help_text='Its strength as the model has it: where the next fit starts from.')),
                ('covariances', models.JSONField(default=list, help_text='With the next lines below, in Elo²; for matchmaking.')),
                ('version', models.ForeignKey(help_text='Whose.', on_delete=django.db.models.deletion.PROTECT, related_name='official_lines', to='tournaments.version')),
                ('table', models.ForeignKey(db_index=False, help_text='Of which table.', on_delete=django.db.models.deletion.CASCADE, related_name='lines', to='ratings.officialtable')),
            ],
            options={
                'ordering': ['table', 'rank'],
            },
        ),
        migrations.CreateModel(
            name='PairCounts',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('low_first_wins', models.PositiveIntegerField(default=0, help_text='The lower version had seat 0 and won.')),
                ('low_first_draws', models.PositiveIntegerField(default=0, help_text='The lower version had seat 0, a draw.')),
                ('low_first_losses', models.PositiveIntegerField(default=0, help_text='The lower version had seat 0 and lost.')),
                ('high_first_wins', models.PositiveIntegerField(default=0, help_text='The higher version had seat 0 and won.')),
                ('high_first_draws', models.PositiveIntegerField(default=0, help_text='The higher version had seat 0, a draw.')),
                ('high_first_losses', models.PositiveIntegerField(default=0, help_text='The higher version had seat 0 and lost.')),
                ('moments', models.JSONField(help_text="Sums over the pair's clusters of the products of each two of a cluster's six counts: 21 numbers, the upper triangle row by row.")),
                ('high', models.ForeignKey(help_text='The version with the higher id.', on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tournaments.version')),
                ('ladder', models.ForeignKey(db_index=False, help_text='Where.', on_delete=django.db.models.deletion.CASCADE, related_name='pair_counts', to='tournaments.ladder')),
                ('low', models.ForeignKey(db_index=False, help_text='The version with the lower id.', on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tournaments.version')),
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
                ('low_first_wins', models.PositiveIntegerField(default=0, help_text='The lower version had seat 0 and won.')),
                ('low_first_draws', models.PositiveIntegerField(default=0, help_text='The lower version had seat 0, a draw.')),
                ('low_first_losses', models.PositiveIntegerField(default=0, help_text='The lower version had seat 0 and lost.')),
                ('high_first_wins', models.PositiveIntegerField(default=0, help_text='The higher version had seat 0 and won.')),
                ('high_first_draws', models.PositiveIntegerField(default=0, help_text='The higher version had seat 0, a draw.')),
                ('high_first_losses', models.PositiveIntegerField(default=0, help_text='The higher version had seat 0 and lost.')),
                ('opening', models.CharField(help_text="Digest of the opening's turns; the empty board has one too.", max_length=16)),
                ('pair', models.ForeignKey(db_index=False, help_text='Which two, and where.', on_delete=django.db.models.deletion.CASCADE, related_name='clusters', to='ratings.paircounts')),
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
                ('number', models.PositiveIntegerField(help_text='1, 2, 3 … within the ladder.')),
                ('closed_at', models.DateTimeField(help_text='When its games were rated.')),
                ('ladder', models.ForeignKey(help_text='Whose games.', on_delete=django.db.models.deletion.CASCADE, related_name='periods', to='tournaments.ladder')),
                ('round', models.ForeignKey(help_text='Which games; empty for matches that were played on the ladder itself.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='periods', to='tournaments.round')),
            ],
            options={
                'ordering': ['ladder', 'number'],
            },
        ),
        migrations.CreateModel(
            name='Rating',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('value', models.FloatField(help_text='Elo.')),
                ('information', models.FloatField(help_text='Fisher information of its games, per Elo²; gives the interval.')),
                ('games', models.PositiveIntegerField(help_text='Rated games.')),
                ('wins', models.PositiveIntegerField(help_text='Of these won.')),
                ('draws', models.PositiveIntegerField(help_text='Of these drawn.')),
                ('rank', models.PositiveIntegerField(help_text='1 for the highest value; equal values share a rank.')),
                ('bot', models.ForeignKey(help_text='Whose.', on_delete=django.db.models.deletion.PROTECT, related_name='ratings', to='tournaments.bot')),
                ('ladder', models.ForeignKey(help_text='Where.', on_delete=django.db.models.deletion.CASCADE, related_name='ratings', to='tournaments.ladder')),
            ],
            options={
                'ordering': ['ladder', '-value', 'bot'],
            },
        ),
        migrations.CreateModel(
            name='RatingChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('before', models.FloatField(help_text='Elo in force during the period, frozen.')),
                ('change', models.FloatField(help_text='What the game adds to it.')),
                ('bot', models.ForeignKey(db_index=False, help_text='Whose.', on_delete=django.db.models.deletion.PROTECT, related_name='rating_changes', to='tournaments.bot')),
                ('game', models.ForeignKey(db_index=False, help_text='Why.', on_delete=django.db.models.deletion.PROTECT, related_name='rating_changes', to='tournaments.game')),
                ('period', models.ForeignKey(help_text='When.', on_delete=django.db.models.deletion.CASCADE, related_name='changes', to='ratings.period')),
            ],
            options={
                'ordering': ['period', 'game'],
            },
        ),
        migrations.CreateModel(
            name='Statistics',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('period', models.PositiveIntegerField(help_text='Number of the last rating period that is counted.')),
                ('games', models.PositiveIntegerField(help_text='Games counted.')),
                ('due_at', models.DateTimeField(help_text='When the official table is to be computed again; empty when it is up to date.', null=True)),
                ('ladder', models.OneToOneField(help_text='Whose games.', on_delete=django.db.models.deletion.CASCADE, related_name='statistics', to='tournaments.ladder')),
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
                ('rating', models.FloatField(help_text='The Elo that it is given; several anchors have theirs on average.')),
                ('ladder', models.ForeignKey(db_index=False, help_text='Where.', on_delete=django.db.models.deletion.CASCADE, related_name='anchors', to='tournaments.ladder')),
                ('version', models.ForeignKey(help_text='Whose.', on_delete=django.db.models.deletion.PROTECT, related_name='anchors', to='tournaments.version')),
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
