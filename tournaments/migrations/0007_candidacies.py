import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0006_match_ladder'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Candidacy',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('elo0', models.FloatField(help_text='Normalized Elo above the current version that is too little.')),
                ('elo1', models.FloatField(help_text='Normalized Elo above it that is enough.')),
                ('alpha', models.FloatField(help_text='The risk of passing a version that is only worth elo0.')),
                ('beta', models.FloatField(help_text='The risk of failing one that is worth elo1.')),
                ('most_pairs', models.PositiveIntegerField(help_text='Pairs of games against the current version after which the trial ends without a verdict.')),
                ('seed', models.PositiveBigIntegerField(help_text="Decides its matches' seeds, and so their openings.")),
                ('status', models.CharField(choices=[('running', 'Running'), ('passed', 'Passed'), ('failed', 'Failed'), ('inconclusive', 'Inconclusive'), ('withdrawn', 'Withdrawn'), ('superseded', 'Superseded')], default='running', help_text='Where it is in its life.', max_length=12)),
                ('reason', models.TextField(blank=True, help_text='Why it ended so, in words; empty while it runs.')),
                ('judged', models.PositiveIntegerField(default=0, help_text='So many of its matches, in the order of their numbers, have been judged.')),
                ('course', models.JSONField(blank=True, default=list, help_text="What each of these was to the candidate: half points, 0 to 4; then, against a neighbour, its bot's id, and against the current version a hash of the turns with the log-likelihood ratio after it, null for a repeated pair.")),
                ('predictions', models.JSONField(blank=True, default=dict, help_text="For each match against a neighbour, by its number, what the current version's rating predicted when it was made: the score, and how far it is out for one standard deviation of its own rating and of the neighbour's.")),
                ('started_at', models.DateTimeField(help_text='When it was entered.')),
                ('ended_at', models.DateTimeField(help_text='When it ended.', null=True)),
            ],
            options={
                'verbose_name_plural': 'candidacies',
                'ordering': ['-id'],
            },
        ),
        migrations.RemoveConstraint(
            model_name='match',
            name='a_match_belongs_to_what_it_is_played_for',
        ),
        migrations.RemoveIndex(
            model_name='match',
            name='match_given',
        ),
        migrations.AddField(
            model_name='ladderentry',
            name='on_trial',
            field=models.BooleanField(default=False, help_text='A new version takes over after a trial that it passes; otherwise at once.'),
        ),
        migrations.AlterField(
            model_name='match',
            name='kind',
            field=models.CharField(choices=[('event', 'Event'), ('ladder', 'Ladder'), ('trial', 'Trial'), ('challenge', 'Challenge')], help_text='What it is played for.', max_length=10),
        ),
        migrations.AlterField(
            model_name='match',
            name='number',
            field=models.PositiveIntegerField(help_text='1, 2, 3 … within the round or the trial.', null=True),
        ),
        migrations.AddField(
            model_name='candidacy',
            name='bot',
            field=models.ForeignKey(help_text='For whom.', on_delete=django.db.models.deletion.PROTECT, related_name='candidacies', to='tournaments.bot'),
        ),
        migrations.AddField(
            model_name='candidacy',
            name='candidate',
            field=models.ForeignKey(help_text='The version on trial.', on_delete=django.db.models.deletion.PROTECT, related_name='candidacies', to='tournaments.version'),
        ),
        migrations.AddField(
            model_name='candidacy',
            name='created_by',
            field=models.ForeignKey(help_text='Who entered it; empty for a new version that entered by itself.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='candidacies', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='candidacy',
            name='current',
            field=models.ForeignKey(help_text='The version that plays on the ladder, and goes on unless the other passes.', on_delete=django.db.models.deletion.PROTECT, related_name='candidacies_against', to='tournaments.version'),
        ),
        migrations.AddField(
            model_name='candidacy',
            name='ladder',
            field=models.ForeignKey(help_text='Where it wants to play.', on_delete=django.db.models.deletion.PROTECT, related_name='candidacies', to='tournaments.ladder'),
        ),
        migrations.AddField(
            model_name='match',
            name='candidacy',
            field=models.ForeignKey(db_index=False, help_text='The trial that it is played for, if any.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='matches', to='tournaments.candidacy'),
        ),
        migrations.AddIndex(
            model_name='match',
            index=models.Index(condition=models.Q(('candidacy__isnull', False)), fields=['candidacy', 'id'], name='match_of_candidacy'),
        ),
        migrations.AddIndex(
            model_name='match',
            index=models.Index(condition=models.Q(('kind__in', ['ladder', 'trial', 'challenge'])), fields=['created_at'], name='match_given'),
        ),
        migrations.AddConstraint(
            model_name='match',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('candidacy__isnull', True), ('challenge__isnull', True), ('event__isnull', False), ('kind', 'event'), ('number__isnull', False), ('round__isnull', False)), models.Q(('candidacy__isnull', True), ('challenge__isnull', True), ('event__isnull', True), ('kind', 'ladder'), ('round__isnull', True)), models.Q(('candidacy__isnull', False), ('challenge__isnull', True), ('event__isnull', True), ('kind', 'trial'), ('number__isnull', False), ('rated', False), ('round__isnull', True)), models.Q(('candidacy__isnull', True), ('challenge__isnull', False), ('event__isnull', True), ('kind', 'challenge'), ('rated', False), ('round__isnull', True)), _connector='OR'), name='a_match_belongs_to_what_it_is_played_for'),
        ),
        migrations.AddConstraint(
            model_name='match',
            constraint=models.UniqueConstraint(condition=models.Q(('candidacy__isnull', False), models.Q(('status__in', ['void', 'cancelled']), _negated=True)), fields=('candidacy', 'number'), name='a_trial_has_each_match_once'),
        ),
        migrations.AddIndex(
            model_name='candidacy',
            index=models.Index(condition=models.Q(('status', 'running')), fields=['id'], name='candidacy_running'),
        ),
        migrations.AddIndex(
            model_name='candidacy',
            index=models.Index(fields=['bot', '-id'], name='candidacy_of_bot'),
        ),
        migrations.AddConstraint(
            model_name='candidacy',
            constraint=models.CheckConstraint(condition=models.Q(('status__in', ['running', 'passed', 'failed', 'inconclusive', 'withdrawn', 'superseded'])), name='a_candidacy_status_is_known'),
        ),
        migrations.AddConstraint(
            model_name='candidacy',
            constraint=models.CheckConstraint(condition=models.Q(('candidate', models.F('current')), _negated=True), name='a_version_is_not_tried_against_itself'),
        ),
        migrations.AddConstraint(
            model_name='candidacy',
            constraint=models.CheckConstraint(condition=models.Q(('elo0__lt', models.F('elo1'))), name='a_trial_tests_one_difference_against_a_greater'),
        ),
        migrations.AddConstraint(
            model_name='candidacy',
            constraint=models.CheckConstraint(condition=models.Q(('most_pairs__gte', 1)), name='a_trial_has_pairs'),
        ),
        migrations.AddConstraint(
            model_name='candidacy',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('ended_at__isnull', True), ('reason', ''), ('status', 'running')), models.Q(models.Q(('status', 'running'), _negated=True), ('ended_at__isnull', False), models.Q(('reason', ''), _negated=True)), _connector='OR'), name='a_trial_that_ended_and_no_other_says_when_and_why'),
        ),
        migrations.AddConstraint(
            model_name='candidacy',
            constraint=models.UniqueConstraint(condition=models.Q(('status', 'running')), fields=('ladder', 'bot'), name='a_bot_has_one_trial_on_a_ladder_at_a_time'),
        ),
    ]
