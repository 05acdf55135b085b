import django.db.models.deletion
import tournaments.formats.registry
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    # What nobody else's database has met: 0.1.0 was not released with them.
    replaces = [
        ('tournaments', '0001_initial'),
        ('tournaments', '0002_clocks_and_openings'),
        ('tournaments', '0003_builds'),
        ('tournaments', '0004_service'),
        ('tournaments', '0005_carry_over'),
        ('tournaments', '0006_match_ladder'),
        ('tournaments', '0007_candidacies'),
        ('tournaments', '0008_questions'),
        ('tournaments', '0009_qualification_games'),
        ('tournaments', '0010_token_scope'),
        ('tournaments', '0011_failures'),
        ('tournaments', '0012_called_off'),
        ('tournaments', '0013_left_out'),
        ('tournaments', '0014_webhook_failures'),
        ('tournaments', '0015_worker_tools'),
    ]

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Attempt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField(help_text='Attempt number of the job at the time of the claim.')),
                ('worker', models.CharField(help_text='Host and process that claimed it.', max_length=120)),
                ('tier', models.CharField(help_text='Sandbox tier of that worker.', max_length=20)),
                ('status', models.CharField(choices=[('running', 'Running'), ('counted', 'Counted'), ('void', 'Void')], default='running', help_text='Running, counted, or void (spoiled by the infrastructure, and never a result).', max_length=10)),
                ('reason', models.TextField(blank=True, help_text='Reason why it is void.')),
                ('started_at', models.DateTimeField(help_text='Time of the claim.')),
                ('ended_at', models.DateTimeField(help_text='Time at which it was counted or declared void.', null=True)),
            ],
            options={
                'ordering': ['match', 'number'],
            },
        ),
        migrations.CreateModel(
            name='Check',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField(help_text='Attempt number of the job at the time of the claim.')),
                ('worker', models.CharField(help_text='Host and process that claimed it.', max_length=120)),
                ('tier', models.CharField(help_text='Sandbox tier of that worker.', max_length=20)),
                ('status', models.CharField(choices=[('running', 'Running'), ('counted', 'Counted'), ('void', 'Void')], default='running', help_text='Running, counted, or void (spoiled by the infrastructure, and never a result).', max_length=10)),
                ('reason', models.TextField(blank=True, help_text='Reason why it is void.')),
                ('steps', models.JSONField(blank=True, default=list, help_text='Steps so far, each with stage, name, passed (null while running), note and seconds.')),
                ('log', models.TextField(blank=True, help_text="End of the build's output so far; empty when the check is over, as the submission then has the whole log.")),
                ('started_at', models.DateTimeField(help_text='Time of the claim.')),
                ('ended_at', models.DateTimeField(help_text='Time at which it was counted or declared void.', null=True)),
            ],
            options={
                'ordering': ['submission', 'number'],
            },
        ),
        migrations.CreateModel(
            name='FailedTries',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('step', models.CharField(help_text='The step of the coordinator.', max_length=40, unique=True)),
                ('number', models.PositiveBigIntegerField(default=0, help_text='Failed tries over all items.')),
            ],
        ),
        migrations.CreateModel(
            name='Worker',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(help_text='Host name and process ID.', max_length=120, unique=True)),
                ('host', models.CharField(help_text='Host name of the machine.', max_length=100)),
                ('tier', models.CharField(help_text='Isolation tier of its sandbox.', max_length=20)),
                ('rulesets', models.JSONField(help_text='Slugs of the rulesets whose queues it serves.')),
                ('cores', models.PositiveSmallIntegerField(help_text='Processor cores of the machine.')),
                ('concurrency', models.PositiveSmallIntegerField(help_text='Number of matches that it plays at a time.')),
                ('software', models.CharField(help_text='Version of Squarefield that it runs.', max_length=40)),
                ('tools', models.JSONField(help_text='Versions of the tools available to bots, by name; null for a release that does not report them.', null=True)),
                ('load', models.FloatField(help_text='Load average of the machine over the last minute, as last reported.', null=True)),
                ('started_at', models.DateTimeField(help_text='Time of the start.')),
                ('seen_at', models.DateTimeField(help_text='Time of the last heartbeat.')),
                ('draining', models.BooleanField(default=False, help_text='It finishes its current matches and takes no new ones.')),
                ('stopped_at', models.DateTimeField(help_text='Time at which it reported that it was stopping.', null=True)),
            ],
            options={
                'ordering': ['name'],
            },
        ),
        migrations.CreateModel(
            name='Bot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(help_text='Name in URLs.', max_length=60, unique=True)),
                ('name', models.CharField(help_text='Name in the manifest.', max_length=40, unique=True)),
                ('created_at', models.DateTimeField(help_text='Time at which the first version was accepted.')),
                ('owner', models.ForeignKey(help_text='Account that owns the bot and may upload versions of it.', on_delete=django.db.models.deletion.PROTECT, related_name='bots', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['slug'],
            },
        ),
        migrations.CreateModel(
            name='CasualGame',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('visitor', models.CharField(blank=True, help_text="Key in the visitor's cookie; empty for an account.", max_length=32)),
                ('network', models.CharField(blank=True, help_text="Hash of the visitor's network, which has a limit of its own.", max_length=32)),
                ('created_at', models.DateTimeField(help_text='Time of the request.')),
                ('token', models.CharField(help_text='Identifier in URLs.', max_length=32, unique=True)),
                ('ruleset', models.CharField(help_text='Slug of the ruleset.', max_length=40)),
                ('size', models.PositiveSmallIntegerField(help_text='Cells per side.')),
                ('seat', models.PositiveSmallIntegerField(help_text='Seat of the human player; seat 0 moves first.')),
                ('base_seconds', models.FloatField(help_text="The player's time for the game in seconds; null for no clock.", null=True)),
                ('increment_seconds', models.FloatField(default=0, help_text="Seconds added after each of the player's turns.")),
                ('bot_seconds', models.FloatField(help_text="The bot's time per turn in seconds.")),
                ('opening', models.JSONField(blank=True, default=list, help_text='Opening turns, as text.')),
                ('turns', models.JSONField(blank=True, default=list, help_text='Turns after the opening: text and seconds of each.')),
                ('left_seconds', models.FloatField(help_text="The player's remaining time at the start of their turn, in seconds.", null=True)),
                ('turn_began_at', models.DateTimeField(help_text='Start of the current turn.')),
                ('deadline_at', models.DateTimeField(help_text='Time by which the player must move; null while the bot is to move.', null=True)),
                ('status', models.CharField(choices=[('playing', 'Playing'), ('finished', 'Finished'), ('abandoned', 'Abandoned'), ('void', 'Void')], default='playing', help_text='Current status.', max_length=10)),
                ('winner', models.PositiveSmallIntegerField(help_text='Winning seat; null for a draw.', null=True)),
                ('ended_by', models.CharField(blank=True, help_text='Kind of ending: rule, conduct or policy.', max_length=10)),
                ('reason', models.CharField(blank=True, help_text='Ending within that kind, such as connection or time.', max_length=20)),
                ('ended_at', models.DateTimeField(help_text='End of the game.', null=True)),
                ('user', models.ForeignKey(db_index=False, help_text='Owner; null for a visitor.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='%(class)ss', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='Event',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('format', models.CharField(choices=tournaments.formats.registry.choices, default='round-robin', help_text='Pairing system.', max_length=20)),
                ('cycles', models.PositiveSmallIntegerField(default=1, help_text='Matches per pairing, each of two games with seats swapped; in a round-robin, the number of cycles.')),
                ('swiss_rounds', models.PositiveSmallIntegerField(blank=True, help_text='Number of rounds of a Swiss; empty for as many as the number of entries requires.', null=True)),
                ('seeding', models.CharField(choices=[('rating', 'Rating'), ('lot', 'Random')], default='rating', help_text='Order in which entrants are placed in the draw.', max_length=10)),
                ('tie_breaks', models.JSONField(blank=True, default=list, help_text="Names of the tie-breaks in order of priority; empty for the format's own.")),
                ('openings', models.BooleanField(default=True, help_text='Games start from random openings, the same one for both games of a match; otherwise from the empty board.')),
                ('rated', models.BooleanField(default=True, help_text='The games count for the ladder.')),
                ('private', models.BooleanField(default=False, help_text='Only invited users can see the event and enter it.')),
                ('max_entries', models.PositiveIntegerField(blank=True, help_text='Maximum number of entries; empty for no limit.', null=True)),
                ('slug', models.SlugField(help_text='Name in URLs.', max_length=80, unique=True)),
                ('name', models.CharField(help_text='Display name.', max_length=80)),
                ('description', models.TextField(blank=True, help_text='Description by the organiser.', max_length=4000)),
                ('status', models.CharField(choices=[('scheduled', 'Scheduled'), ('running', 'Running'), ('paused', 'Paused'), ('finished', 'Finished'), ('cancelled', 'Cancelled')], default='scheduled', help_text='Current status.', max_length=10)),
                ('seed', models.PositiveBigIntegerField(help_text="Seed of everything random in the event: places in the draw, and the matches' seeds.")),
                ('registration_opens_at', models.DateTimeField(help_text='Time from which authors may enter; null if only the organiser enters bots.', null=True)),
                ('registration_closes_at', models.DateTimeField(help_text='Registration deadline; null for the start.', null=True)),
                ('starts_at', models.DateTimeField(help_text='Scheduled start; the event then starts automatically.')),
                ('started_at', models.DateTimeField(help_text='Actual start.', null=True)),
                ('ended_at', models.DateTimeField(help_text='Time at which the event finished or was cancelled.', null=True)),
                ('created_at', models.DateTimeField(help_text='Time at which the event was scheduled.')),
                ('left_out', models.PositiveIntegerField(db_default=0, default=0, help_text="Number of the ladder's bots that the series did not enter because the event was full.")),
                ('revision', models.PositiveIntegerField(default=0, help_text='Counter that increases with every finished or void match.')),
                ('created_by', models.ForeignKey(help_text='Organiser of the event.', on_delete=django.db.models.deletion.PROTECT, related_name='events', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-starts_at', '-id'],
            },
        ),
        migrations.CreateModel(
            name='Entry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('place', models.PositiveIntegerField(help_text='Number in the draw, from 0; null before the start.', null=True)),
                ('runs_the_gauntlet', models.BooleanField(default=False, help_text='In a gauntlet, whether the entrant is a runner: runners play every other entrant, and the others play only runners.')),
                ('entered_at', models.DateTimeField(help_text='Time of entry.')),
                ('left_at', models.DateTimeField(help_text='Time of withdrawal from the running event, after which the entrant is no longer paired.', null=True)),
                ('bot', models.ForeignKey(help_text='The entrant.', on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='tournaments.bot')),
                ('event', models.ForeignKey(help_text='The event.', on_delete=django.db.models.deletion.CASCADE, related_name='entries', to='tournaments.event')),
            ],
            options={
                'verbose_name_plural': 'entries',
                'ordering': ['event', 'place', 'id'],
            },
        ),
        migrations.CreateModel(
            name='Failure',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('step', models.CharField(help_text='The step of the coordinator.', max_length=40)),
                ('item', models.CharField(help_text='ID of the row at which it fails; empty for the whole step.', max_length=120)),
                ('error', models.CharField(help_text='Type of the last error; the log has its message.', max_length=120)),
                ('tries', models.PositiveIntegerField(help_text='Number of consecutive failures.')),
                ('first_at', models.DateTimeField(help_text='Time of the first failure.')),
                ('last_at', models.DateTimeField(help_text='Time of the last failure.')),
                ('due_at', models.DateTimeField(help_text='Time of the next retry.')),
            ],
            options={
                'ordering': ['step', 'item'],
                'constraints': [models.UniqueConstraint(fields=('step', 'item'), name='an_item_fails_at_a_step_in_one_row')],
            },
        ),
        migrations.CreateModel(
            name='Ladder',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(help_text='Name in URLs.', max_length=80, unique=True)),
                ('name', models.CharField(help_text='Display name.', max_length=80)),
                ('ruleset', models.CharField(help_text='Slug of the ruleset.', max_length=40)),
                ('size', models.PositiveSmallIntegerField(help_text='Cells per side.')),
                ('base_seconds', models.FloatField(default=0, help_text='Thinking time at the start of a game, in seconds; 0 with a fixed time per turn.')),
                ('increment_seconds', models.FloatField(default=0, help_text='Thinking time added after each turn, in seconds.')),
                ('per_turn_seconds', models.FloatField(default=0, help_text='Fixed time per turn in seconds, not carried over to later turns; 0 with a base.')),
                ('pondering', models.BooleanField(default=False, help_text='Bots may think while the opponent is to move; otherwise they are frozen during that time.')),
                ('is_open', models.BooleanField(default=True, help_text='Bots on the ladder are paired continuously; otherwise only events use it.')),
            ],
            options={
                'ordering': ['slug'],
                'constraints': [models.UniqueConstraint(fields=('ruleset', 'size', 'base_seconds', 'increment_seconds', 'per_turn_seconds', 'pondering'), name='a_ladder_is_one_ruleset_size_time_control_and_pondering'), models.CheckConstraint(condition=models.Q(models.Q(('base_seconds__gt', 0), ('per_turn_seconds', 0)), models.Q(('base_seconds', 0), ('increment_seconds', 0), ('per_turn_seconds__gt', 0)), _connector='OR'), name='a_ladder_gives_time_for_the_game_or_for_each_turn'), models.CheckConstraint(condition=models.Q(('increment_seconds__gte', 0)), name='an_increment_is_not_negative')],
            },
        ),
        migrations.AddField(
            model_name='event',
            name='ladder',
            field=models.ForeignKey(help_text='Ladder that the event is played on.', on_delete=django.db.models.deletion.PROTECT, related_name='events', to='tournaments.ladder'),
        ),
        migrations.CreateModel(
            name='Challenge',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(help_text='Time of the challenge.')),
                ('cancelled_at', models.DateTimeField(help_text='Time at which its open matches were cancelled.', null=True)),
                ('created_by', models.ForeignKey(help_text='Account that started the challenge.', on_delete=django.db.models.deletion.PROTECT, related_name='challenges', to=settings.AUTH_USER_MODEL)),
                ('ladder', models.ForeignKey(help_text='Ladder whose rules apply.', on_delete=django.db.models.deletion.PROTECT, related_name='challenges', to='tournaments.ladder')),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='Candidacy',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('elo0', models.FloatField(help_text='Lead over the current version that is too small to pass, in normalized Elo.')),
                ('elo1', models.FloatField(help_text='Lead over the current version that is enough to pass, in normalized Elo.')),
                ('alpha', models.FloatField(help_text='Probability of passing a version whose lead is only elo0.')),
                ('beta', models.FloatField(help_text='Probability of failing a version whose lead is elo1.')),
                ('most_pairs', models.PositiveIntegerField(help_text='Maximum number of pairs of games against the current version; after that the trial ends without a verdict.')),
                ('seed', models.PositiveBigIntegerField(help_text="Seed from which the matches' seeds, and so their openings, are derived.")),
                ('status', models.CharField(choices=[('running', 'Running'), ('passed', 'Passed'), ('failed', 'Failed'), ('inconclusive', 'Inconclusive'), ('withdrawn', 'Withdrawn'), ('superseded', 'Superseded')], default='running', help_text='Current status.', max_length=12)),
                ('reason', models.TextField(blank=True, help_text='Explanation of the outcome; empty while the trial runs.')),
                ('judged', models.PositiveIntegerField(default=0, help_text='Number of matches judged so far, in the order of their numbers.')),
                ('course', models.JSONField(blank=True, default=list, help_text="Result of each judged match for the candidate: half points, 0 to 4; then, for a match against a neighbour, the ID of the neighbour's bot; for a match against the current version, a hash of the turns and the log-likelihood ratio after it, null for a repeated pair.")),
                ('predictions', models.JSONField(blank=True, default=dict, help_text="For each match against a neighbour, by its number, the prediction from the current version's rating when the match was created: the score, and the change in score for one standard deviation of its own rating and of the neighbour's.")),
                ('started_at', models.DateTimeField(help_text='Start of the trial.')),
                ('ended_at', models.DateTimeField(help_text='End of the trial.', null=True)),
                ('bot', models.ForeignKey(help_text='Bot that both versions belong to.', on_delete=django.db.models.deletion.PROTECT, related_name='candidacies', to='tournaments.bot')),
                ('created_by', models.ForeignKey(help_text='Account that started the trial; null if a new version was entered automatically.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='candidacies', to=settings.AUTH_USER_MODEL)),
                ('ladder', models.ForeignKey(help_text='Ladder of the trial.', on_delete=django.db.models.deletion.PROTECT, related_name='candidacies', to='tournaments.ladder')),
            ],
            options={
                'verbose_name_plural': 'candidacies',
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='Match',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('event', 'Event'), ('ladder', 'Ladder'), ('trial', 'Trial'), ('challenge', 'Challenge')], help_text='Purpose of the match.', max_length=10)),
                ('rated', models.BooleanField(default=True, help_text='The games count for the ladder.')),
                ('number', models.PositiveIntegerField(help_text='Number within the round or the trial, from 1.', null=True)),
                ('created_at', models.DateTimeField(help_text='Time of the pairing.')),
                ('seed', models.PositiveBigIntegerField(help_text='Seed of everything random in the match.')),
                ('opening', models.JSONField(blank=True, default=list, help_text='Opening turns of both games, as text.')),
                ('ruleset', models.CharField(help_text='Slug of the ruleset, which determines the queue.', max_length=40)),
                ('held', models.BooleanField(default=False, help_text='The match is not dispatched because its event is paused.')),
                ('status', models.CharField(choices=[('queued', 'Queued'), ('running', 'Running'), ('finished', 'Finished'), ('void', 'Void'), ('cancelled', 'Cancelled')], default='queued', help_text='Current status.', max_length=10)),
                ('attempt', models.PositiveSmallIntegerField(default=0, help_text='Number of claims so far, which is also the fencing token.')),
                ('lease_until', models.DateTimeField(help_text='End of the lease unless it is renewed.', null=True)),
                ('called_off', models.BooleanField(db_default=False, default=False, help_text='A bot left during the match, or its event, trial or challenge was cancelled: if the attempt is void, the match is cancelled and not retried.')),
                ('published_at', models.DateTimeField(help_text='Time at which its ID was last put on its queue.', null=True)),
                ('ended_at', models.DateTimeField(help_text='Time at which the match was finished, finally void, or cancelled.', null=True)),
                ('rating_period', models.PositiveIntegerField(help_text="Number of the ladder's rating period that includes the games.", null=True)),
                ('candidacy', models.ForeignKey(db_index=False, help_text='Trial that the match belongs to, if any.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='matches', to='tournaments.candidacy')),
                ('challenge', models.ForeignKey(db_index=False, help_text='Challenge that the match belongs to, if any.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='matches', to='tournaments.challenge')),
                ('event', models.ForeignKey(db_index=False, help_text='Event that the match belongs to, if any.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='matches', to='tournaments.event')),
                ('ladder', models.ForeignKey(help_text='Ladder whose rules apply.', on_delete=django.db.models.deletion.PROTECT, related_name='matches', to='tournaments.ladder')),
            ],
            options={
                'verbose_name_plural': 'matches',
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='Game',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField(help_text='Number within the match, 1 or 2.')),
                ('winner', models.PositiveSmallIntegerField(help_text='Winning seat; null for a draw.', null=True)),
                ('ended_by', models.CharField(help_text='Kind of ending: rule, conduct or policy.', max_length=10)),
                ('reason', models.CharField(help_text='Ending within that kind, such as connection, time or ply cap.', max_length=20)),
                ('plies', models.PositiveIntegerField(help_text='Number of turns played.')),
                ('record', models.JSONField(help_text='The whole game: turns, times and result (engines.records.record).')),
                ('stderr0', models.BinaryField(blank=True, default=b'', help_text='Stderr of seat 0, truncated.')),
                ('stderr1', models.BinaryField(blank=True, default=b'', help_text='Stderr of seat 1, truncated.')),
                ('ended_at', models.DateTimeField(help_text='End of the match.')),
                ('attempt', models.ForeignKey(help_text='Attempt that counted.', on_delete=django.db.models.deletion.PROTECT, related_name='games', to='tournaments.attempt')),
                ('event', models.ForeignKey(db_index=False, help_text='Event that the match belongs to, if any.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='games', to='tournaments.event')),
                ('match', models.ForeignKey(db_index=False, help_text='Match that the game belongs to.', on_delete=django.db.models.deletion.CASCADE, related_name='games', to='tournaments.match')),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.AddField(
            model_name='attempt',
            name='match',
            field=models.ForeignKey(db_index=False, help_text='Match that was attempted.', on_delete=django.db.models.deletion.CASCADE, related_name='attempts', to='tournaments.match'),
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(choices=[('captain', 'Captain'), ('member', 'Member')], default='member', help_text="Captains add and remove members; all members manage the team's bots.", max_length=10)),
                ('joined_at', models.DateTimeField(help_text='Time of joining.')),
                ('user', models.ForeignKey(help_text='The member.', on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['team', 'user'],
            },
        ),
        migrations.CreateModel(
            name='Profile',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('about', models.TextField(blank=True, help_text='Text about the user, as plain text.', max_length=2000)),
                ('link', models.URLField(blank=True, help_text="The user's own website.")),
                ('mail_on', models.JSONField(blank=True, default=list, help_text='Kinds of notices that are also sent by e-mail.')),
                ('uploads_per_day', models.PositiveIntegerField(blank=True, help_text="Maximum number of uploads in 24 hours; empty for the site's default.", null=True)),
                ('archive_bytes', models.PositiveIntegerField(blank=True, help_text="Maximum size of an archive in bytes; empty for the site's default.", null=True)),
                ('games_per_day', models.PositiveIntegerField(blank=True, help_text="Maximum number of games for the user's bots on ladders, in trials and in challenges in 24 hours; empty for the site's default.", null=True)),
                ('user', models.OneToOneField(help_text='Owner of the profile.', on_delete=django.db.models.deletion.CASCADE, related_name='profile', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['user'],
            },
        ),
        migrations.CreateModel(
            name='QualificationGame',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField(help_text='Number within the check, from 1.')),
                ('ruleset', models.CharField(help_text='Slug of the ruleset.', max_length=40)),
                ('size', models.PositiveSmallIntegerField(help_text='Cells per side.')),
                ('seat', models.PositiveSmallIntegerField(help_text='Seat of the submission; seat 0 moves first.')),
                ('winner', models.PositiveSmallIntegerField(help_text='Winning seat; null for a draw.', null=True)),
                ('ended_by', models.CharField(help_text='Kind of ending: rule, conduct or policy.', max_length=10)),
                ('reason', models.CharField(help_text='Ending within that kind, such as connection, time or ply cap.', max_length=20)),
                ('plies', models.PositiveIntegerField(help_text='Number of turns played.')),
                ('record', models.JSONField(help_text='The whole game: turns, times and result (engines.records.record).')),
                ('check_run', models.ForeignKey(db_index=False, help_text='Check that the game is part of.', on_delete=django.db.models.deletion.CASCADE, related_name='games', to='tournaments.check')),
            ],
            options={
                'ordering': ['check_run', 'number'],
            },
        ),
        migrations.CreateModel(
            name='Round',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField(help_text='Number within the event, from 1.')),
                ('label', models.CharField(blank=True, help_text='Name of the round in a knockout.', max_length=60)),
                ('event', models.ForeignKey(help_text='The event.', on_delete=django.db.models.deletion.CASCADE, related_name='rounds', to='tournaments.event')),
            ],
            options={
                'ordering': ['event', 'number'],
            },
        ),
        migrations.AddField(
            model_name='match',
            name='round',
            field=models.ForeignKey(db_index=False, help_text='Round of the event.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='matches', to='tournaments.round'),
        ),
        migrations.CreateModel(
            name='Bye',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('entry', models.ForeignKey(help_text='The entrant that sits out.', on_delete=django.db.models.deletion.CASCADE, related_name='byes', to='tournaments.entry')),
                ('round', models.ForeignKey(help_text='The round.', on_delete=django.db.models.deletion.CASCADE, related_name='byes', to='tournaments.round')),
            ],
            options={
                'ordering': ['round', 'entry'],
            },
        ),
        migrations.CreateModel(
            name='Series',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('format', models.CharField(choices=tournaments.formats.registry.choices, default='round-robin', help_text='Pairing system.', max_length=20)),
                ('cycles', models.PositiveSmallIntegerField(default=1, help_text='Matches per pairing, each of two games with seats swapped; in a round-robin, the number of cycles.')),
                ('swiss_rounds', models.PositiveSmallIntegerField(blank=True, help_text='Number of rounds of a Swiss; empty for as many as the number of entries requires.', null=True)),
                ('seeding', models.CharField(choices=[('rating', 'Rating'), ('lot', 'Random')], default='rating', help_text='Order in which entrants are placed in the draw.', max_length=10)),
                ('tie_breaks', models.JSONField(blank=True, default=list, help_text="Names of the tie-breaks in order of priority; empty for the format's own.")),
                ('openings', models.BooleanField(default=True, help_text='Games start from random openings, the same one for both games of a match; otherwise from the empty board.')),
                ('rated', models.BooleanField(default=True, help_text='The games count for the ladder.')),
                ('private', models.BooleanField(default=False, help_text='Only invited users can see the event and enter it.')),
                ('max_entries', models.PositiveIntegerField(blank=True, help_text='Maximum number of entries; empty for no limit.', null=True)),
                ('slug', models.SlugField(help_text='Name in URLs.', max_length=80, unique=True)),
                ('name', models.CharField(help_text='Display name, to which each event adds its date.', max_length=80)),
                ('cron', models.CharField(help_text='Start times: minute, hour, day of month, month, day of week.', max_length=100)),
                ('time_zone', models.CharField(default='UTC', help_text='Time zone of the start times.', max_length=60)),
                ('enter_ladder', models.BooleanField(default=False, help_text='Enter every active bot of the ladder automatically.')),
                ('active', models.BooleanField(default=True, help_text='Whether further events are announced; false while the series is paused.')),
                ('next_run_at', models.DateTimeField(help_text='Start of the next event to be announced; null once the series has ended.', null=True)),
                ('created_at', models.DateTimeField(help_text='Time of creation.')),
                ('created_by', models.ForeignKey(help_text='Organiser of the series.', on_delete=django.db.models.deletion.PROTECT, related_name='series', to=settings.AUTH_USER_MODEL)),
                ('ladder', models.ForeignKey(help_text='Ladder that the events are played on.', on_delete=django.db.models.deletion.PROTECT, related_name='series', to='tournaments.ladder')),
            ],
            options={
                'verbose_name_plural': 'series',
                'ordering': ['slug'],
            },
        ),
        migrations.AddField(
            model_name='event',
            name='series',
            field=models.ForeignKey(help_text='Series that the event belongs to, if any.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='events', to='tournaments.series'),
        ),
        migrations.CreateModel(
            name='Submission',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('received_at', models.DateTimeField(help_text='Time of the upload.')),
                ('filename', models.CharField(help_text='File name given by the uploader.', max_length=200)),
                ('size', models.PositiveIntegerField(help_text='Size of the archive in bytes.')),
                ('sha256', models.CharField(help_text='Hash of the archive.', max_length=64)),
                ('name', models.CharField(blank=True, help_text="The bot's name in its manifest; empty if the manifest was not read.", max_length=40)),
                ('slug', models.CharField(blank=True, help_text='Slug of the bot, if the submission is accepted.', max_length=60)),
                ('archive', models.FileField(blank=True, help_text='Archive as uploaded, named by its hash; not stored if it was rejected on receipt.', upload_to='bots/')),
                ('status', models.CharField(choices=[('received', 'Received'), ('checking', 'Checking'), ('accepted', 'Accepted'), ('refused', 'Refused')], default='received', help_text='Current status.', max_length=10)),
                ('attempt', models.PositiveSmallIntegerField(default=0, help_text='Number of claims so far, which is also the fencing token.')),
                ('lease_until', models.DateTimeField(help_text='End of the lease unless it is renewed.', null=True)),
                ('published_at', models.DateTimeField(help_text='Time at which its ID was last put on its queue.', null=True)),
                ('due_at', models.DateTimeField(help_text='Earliest time of the next claim; null for immediately. Moved back after every void attempt.', null=True)),
                ('judged_at', models.DateTimeField(help_text='Time at which it was accepted or refused.', null=True)),
                ('step', models.CharField(blank=True, help_text='Step of the check that failed.', max_length=120)),
                ('refusal', models.TextField(blank=True, help_text='Reason for the refusal, as shown to the uploader.')),
                ('line', models.TextField(blank=True, help_text="Line to fix: from bot.toml, from a log, or from the bot's output.")),
                ('log', models.TextField(blank=True, help_text='Output of the build command, truncated.')),
                ('stderr', models.TextField(blank=True, help_text="The bot's stderr in the game that failed it, truncated.")),
                ('uploader', models.ForeignKey(help_text='Account that uploaded it.', on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.AddField(
            model_name='check',
            name='submission',
            field=models.ForeignKey(help_text='Submission that is checked.', on_delete=django.db.models.deletion.CASCADE, related_name='checks', to='tournaments.submission'),
        ),
        migrations.CreateModel(
            name='Team',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(help_text='Name in URLs.', max_length=60, unique=True)),
                ('name', models.CharField(help_text='Display name.', max_length=60, unique=True)),
                ('created_at', models.DateTimeField(help_text='Time of creation.')),
                ('members', models.ManyToManyField(help_text='Users in the team.', related_name='teams', through='tournaments.Membership', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['slug'],
            },
        ),
        migrations.AddField(
            model_name='membership',
            name='team',
            field=models.ForeignKey(help_text='The team.', on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='tournaments.team'),
        ),
        migrations.AddField(
            model_name='bot',
            name='team',
            field=models.ForeignKey(blank=True, help_text="Team whose members have the owner's rights over the bot.", null=True, on_delete=django.db.models.deletion.PROTECT, related_name='bots', to='tournaments.team'),
        ),
        migrations.CreateModel(
            name='Token',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(help_text="Purpose of the token, in its owner's words.", max_length=60)),
                ('prefix', models.CharField(help_text='First characters of the token, to identify it.', max_length=12)),
                ('scope', models.CharField(choices=[('everything', 'Everything'), ('uploads', 'Uploads'), ('reading', 'Reading')], db_default='everything', default='everything', help_text="Actions permitted on the owner's behalf.", max_length=10)),
                ('digest', models.CharField(help_text='SHA-256 hash of the token.', max_length=64, unique=True)),
                ('created_at', models.DateTimeField(help_text='Time of creation.')),
                ('last_used_at', models.DateTimeField(help_text='Time of last use, accurate to about a minute.', null=True)),
                ('expires_at', models.DateTimeField(help_text='Time after which the token is rejected; null for never.', null=True)),
                ('revoked_at', models.DateTimeField(help_text='Time at which the owner or staff revoked the token.', null=True)),
                ('user', models.ForeignKey(help_text='Owner of the token.', on_delete=django.db.models.deletion.CASCADE, related_name='tokens', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='Version',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField(help_text='Number within the bot, from 1.')),
                ('archive', models.FileField(help_text='Archive as uploaded, named by its hash.', upload_to='bots/')),
                ('sha256', models.CharField(help_text='Hash of the archive.', max_length=64)),
                ('artefact', models.FileField(help_text='Files that workers run: the output of the build, named by their hash; the archive if there is no build.', upload_to='builds/')),
                ('artefact_sha256', models.CharField(help_text='Hash of the artefact; workers fetch and cache by it.', max_length=64)),
                ('rulesets', models.JSONField(help_text='Slugs of the rulesets that the version plays.')),
                ('trusted', models.BooleanField(help_text="Uploaded by the site's staff: may run on workers of the reduced tier.")),
                ('created_at', models.DateTimeField(help_text='Time of qualification.')),
                ('status', models.CharField(choices=[('active', 'Active'), ('rested', 'Suspended'), ('withdrawn', 'Withdrawn')], default='active', help_text='Whether the version takes part. No other field ever changes.', max_length=10)),
                ('bot', models.ForeignKey(help_text='Bot that the version belongs to.', on_delete=django.db.models.deletion.PROTECT, related_name='versions', to='tournaments.bot')),
                ('submission', models.OneToOneField(help_text='Upload that the version was created from.', on_delete=django.db.models.deletion.PROTECT, related_name='version', to='tournaments.submission')),
            ],
            options={
                'ordering': ['bot', '-number'],
            },
        ),
        migrations.CreateModel(
            name='StarvedVoid',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(help_text='Time of detection.')),
                ('attempt', models.OneToOneField(help_text='The void attempt.', on_delete=django.db.models.deletion.CASCADE, related_name='starved_void', to='tournaments.attempt')),
                ('version', models.ForeignKey(db_index=False, help_text='Version that would have lost on time.', on_delete=django.db.models.deletion.PROTECT, related_name='starved_voids', to='tournaments.version')),
            ],
            options={
                'ordering': ['-at', '-id'],
            },
        ),
        migrations.CreateModel(
            name='Side',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('seat', models.PositiveSmallIntegerField(help_text='Seat; seat 0 moved first.')),
                ('score', models.FloatField(help_text='1 for a win, 0.5 for a draw, 0 for a loss.')),
                ('at_fault', models.BooleanField(help_text='The bot lost by its own fault.')),
                ('bot', models.ForeignKey(db_index=False, help_text='The bot.', on_delete=django.db.models.deletion.PROTECT, related_name='sides', to='tournaments.bot')),
                ('game', models.ForeignKey(db_index=False, help_text='The game.', on_delete=django.db.models.deletion.CASCADE, related_name='sides', to='tournaments.game')),
                ('ladder', models.ForeignKey(help_text='Ladder whose rules applied.', on_delete=django.db.models.deletion.PROTECT, related_name='sides', to='tournaments.ladder')),
                ('opponent', models.ForeignKey(help_text='The opponent.', on_delete=django.db.models.deletion.PROTECT, related_name='sides_against', to='tournaments.bot')),
                ('version', models.ForeignKey(help_text='Version that played.', on_delete=django.db.models.deletion.PROTECT, related_name='sides', to='tournaments.version')),
            ],
            options={
                'ordering': ['-game_id', 'seat'],
            },
        ),
        migrations.CreateModel(
            name='Question',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('visitor', models.CharField(blank=True, help_text="Key in the visitor's cookie; empty for an account.", max_length=32)),
                ('network', models.CharField(blank=True, help_text="Hash of the visitor's network, which has a limit of its own.", max_length=32)),
                ('created_at', models.DateTimeField(help_text='Time of the request.')),
                ('token', models.CharField(help_text='Identifier in URLs.', max_length=32, unique=True)),
                ('ruleset', models.CharField(help_text='Slug of the ruleset.', max_length=40)),
                ('size', models.PositiveSmallIntegerField(help_text='Cells per side.')),
                ('turns', models.JSONField(blank=True, default=list, help_text='Turns that lead to the position, as text.')),
                ('base_seconds', models.FloatField(default=0, help_text='Base of the time control sent to the bot, in seconds; 0 with a fixed time per turn.')),
                ('increment_seconds', models.FloatField(default=0, help_text='Increment per turn of that time control, in seconds.')),
                ('per_turn_seconds', models.FloatField(default=0, help_text='Fixed time per turn of that time control, in seconds; 0 with a base.')),
                ('left_seconds', models.FloatField(help_text="Remaining time on the bot's clock, in seconds.")),
                ('status', models.CharField(choices=[('received', 'Received'), ('asking', 'Asking'), ('answered', 'Answered'), ('void', 'Void'), ('dropped', 'Dropped')], default='received', help_text='Current status.', max_length=10)),
                ('attempt', models.PositiveSmallIntegerField(default=0, help_text='Number of claims so far, which is also the fencing token.')),
                ('worker', models.CharField(blank=True, help_text='Host and process of the last claim.', max_length=120)),
                ('tier', models.CharField(blank=True, help_text='Sandbox tier of that worker.', max_length=20)),
                ('setback', models.TextField(blank=True, help_text='Reason why the last attempt was void.')),
                ('lease_until', models.DateTimeField(help_text='End of the lease unless it is renewed.', null=True)),
                ('published_at', models.DateTimeField(help_text='Time at which its ID was last put on its queue.', null=True)),
                ('ended_at', models.DateTimeField(help_text='Time at which it was answered, finally void, or dropped.', null=True)),
                ('answer', models.TextField(blank=True, help_text='Turn, as text; empty if there is none.')),
                ('fault', models.CharField(blank=True, help_text='Fault that would lose a game, such as illegal or crash.', max_length=10)),
                ('fault_line', models.TextField(blank=True, help_text="The bot's output line, if that was the fault.")),
                ('fault_message', models.TextField(blank=True, help_text='Description of the fault.')),
                ('seconds', models.FloatField(help_text="Time charged to the bot's clock, in seconds.", null=True)),
                ('wall_seconds', models.FloatField(help_text='Wall-clock time taken, in seconds.', null=True)),
                ('stderr', models.BinaryField(blank=True, default=b'', help_text="The bot's stderr, truncated.")),
                ('casual', models.ForeignKey(db_index=False, help_text='Casual game whose next turn is asked for, if any.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='questions', to='tournaments.casualgame')),
                ('game', models.ForeignKey(help_text='Recorded game that the position is from, if any.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='questions', to='tournaments.game')),
                ('user', models.ForeignKey(db_index=False, help_text='Owner; null for a visitor.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='%(class)ss', to=settings.AUTH_USER_MODEL)),
                ('version', models.ForeignKey(help_text='Version that is asked.', on_delete=django.db.models.deletion.PROTECT, related_name='questions', to='tournaments.version')),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.AddField(
            model_name='match',
            name='first',
            field=models.ForeignKey(db_index=False, help_text='Version with seat 0 in the first game.', on_delete=django.db.models.deletion.PROTECT, related_name='matches_as_first', to='tournaments.version'),
        ),
        migrations.AddField(
            model_name='match',
            name='second',
            field=models.ForeignKey(help_text='Version with seat 0 in the second game.', on_delete=django.db.models.deletion.PROTECT, related_name='matches_as_second', to='tournaments.version'),
        ),
        migrations.CreateModel(
            name='LadderEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('active', models.BooleanField(default=True, help_text='The bot is paired; otherwise it has left, and keeps its rating.')),
                ('on_trial', models.BooleanField(default=False, help_text='A new version takes over only after passing a trial; otherwise immediately.')),
                ('joined_at', models.DateTimeField(help_text='Time at which the bot first joined.')),
                ('version_since', models.DateTimeField(help_text='Time at which this version took over.')),
                ('matches', models.PositiveIntegerField(default=0, help_text='Number of matches given to this version on this ladder.')),
                ('firsts', models.PositiveIntegerField(default=0, help_text='Number of those matches in which the version was first in the pair.')),
                ('recent', models.JSONField(blank=True, default=list, help_text='IDs of the bots that it was last paired with on this ladder, newest first, each once.')),
                ('waiting_since', models.DateTimeField(help_text='Time at which it was last given a match, or joined.')),
                ('faults', models.PositiveSmallIntegerField(default=0, help_text="Number of consecutive games that ended by the bot's fault.")),
                ('probe_at', models.DateTimeField(help_text='End of the suspension after faults; null if the bot is not suspended.', null=True)),
                ('rests', models.PositiveSmallIntegerField(default=0, help_text='Number of suspensions of this version on this ladder; each lasts twice as long as the one before.')),
                ('bot', models.ForeignKey(help_text='The bot.', on_delete=django.db.models.deletion.PROTECT, related_name='ladder_entries', to='tournaments.bot')),
                ('ladder', models.ForeignKey(help_text='The ladder.', on_delete=django.db.models.deletion.CASCADE, related_name='entries', to='tournaments.ladder')),
                ('version', models.ForeignKey(help_text="Version that plays the bot's next matches.", on_delete=django.db.models.deletion.PROTECT, related_name='ladder_entries', to='tournaments.version')),
            ],
            options={
                'verbose_name_plural': 'ladder entries',
                'ordering': ['ladder', 'bot'],
            },
        ),
        migrations.AddField(
            model_name='game',
            name='seat0',
            field=models.ForeignKey(help_text='Version that moved first.', on_delete=django.db.models.deletion.PROTECT, related_name='games_as_seat0', to='tournaments.version'),
        ),
        migrations.AddField(
            model_name='game',
            name='seat1',
            field=models.ForeignKey(help_text='Version that moved second.', on_delete=django.db.models.deletion.PROTECT, related_name='games_as_seat1', to='tournaments.version'),
        ),
        migrations.AddField(
            model_name='entry',
            name='version',
            field=models.ForeignKey(help_text='Version that plays every game of the event.', on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='tournaments.version'),
        ),
        migrations.AddField(
            model_name='challenge',
            name='first',
            field=models.ForeignKey(help_text='Version of the challenger.', on_delete=django.db.models.deletion.PROTECT, related_name='challenges_as_first', to='tournaments.version'),
        ),
        migrations.AddField(
            model_name='challenge',
            name='second',
            field=models.ForeignKey(help_text='Version that is challenged; may be another version of the same bot.', on_delete=django.db.models.deletion.PROTECT, related_name='challenges_as_second', to='tournaments.version'),
        ),
        migrations.AddField(
            model_name='casualgame',
            name='version',
            field=models.ForeignKey(help_text='Version that plays.', on_delete=django.db.models.deletion.PROTECT, related_name='casual_games', to='tournaments.version'),
        ),
        migrations.AddField(
            model_name='candidacy',
            name='candidate',
            field=models.ForeignKey(help_text='Version on trial.', on_delete=django.db.models.deletion.PROTECT, related_name='candidacies', to='tournaments.version'),
        ),
        migrations.AddField(
            model_name='candidacy',
            name='current',
            field=models.ForeignKey(help_text='Version that plays on the ladder, and stays there unless the candidate passes.', on_delete=django.db.models.deletion.PROTECT, related_name='candidacies_against', to='tournaments.version'),
        ),
        migrations.CreateModel(
            name='Webhook',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('url', models.URLField(help_text='URL to which notices are posted.', max_length=500)),
                ('secret', models.CharField(help_text='Signing key; shown once.', max_length=80)),
                ('old_secret', models.CharField(blank=True, db_default='', default='', help_text='Previous signing key, which also signs until `old_until`.', max_length=80)),
                ('old_until', models.DateTimeField(help_text='Time until which the previous key also signs.', null=True)),
                ('kinds', models.JSONField(default=list, help_text='Kinds of notices; empty for all.')),
                ('active', models.BooleanField(default=True, help_text='Whether notices are posted.')),
                ('failing_since', models.DateTimeField(help_text='Time of the first of the current consecutive failures; null if the last try succeeded.', null=True)),
                ('failed_at', models.DateTimeField(help_text='Time of the last failure.', null=True)),
                ('failures', models.PositiveIntegerField(db_default=0, default=0, help_text='Number of consecutive failures.')),
                ('created_at', models.DateTimeField(help_text='Time of creation.')),
                ('owner', models.ForeignKey(help_text='Owner of the webhook.', on_delete=django.db.models.deletion.CASCADE, related_name='webhooks', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='Delivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(help_text='Kind of notice.', max_length=40)),
                ('channel', models.CharField(choices=[('webhook', 'Webhook'), ('mail', 'Mail')], help_text='Channel, webhook or mail.', max_length=10)),
                ('payload', models.JSONField(help_text='Content of the notice.')),
                ('status', models.CharField(choices=[('pending', 'Pending'), ('delivered', 'Delivered'), ('failed', 'Failed')], default='pending', help_text='Current status.', max_length=10)),
                ('attempts', models.PositiveSmallIntegerField(default=0, help_text='Number of tries.')),
                ('due_at', models.DateTimeField(help_text='Time of the next try.')),
                ('created_at', models.DateTimeField(help_text='Time of the reported event.')),
                ('ended_at', models.DateTimeField(help_text='Time at which it was delivered or abandoned.', null=True)),
                ('answer', models.TextField(blank=True, help_text='Status and beginning of the last response, or the error.')),
                ('user', models.ForeignKey(help_text='Recipient.', on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to=settings.AUTH_USER_MODEL)),
                ('webhook', models.ForeignKey(help_text='Webhook to post to; null for mail.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='tournaments.webhook')),
            ],
            options={
                'verbose_name_plural': 'deliveries',
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='AuditEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(help_text='Time of the action.')),
                ('verb', models.CharField(help_text='Action.', max_length=60)),
                ('kind', models.CharField(help_text='Type of the target.', max_length=40)),
                ('target', models.CharField(help_text='ID of the target.', max_length=40)),
                ('name', models.CharField(help_text='Name of the target at that time.', max_length=200)),
                ('detail', models.JSONField(default=dict, help_text='Further details.')),
                ('actor', models.ForeignKey(help_text='Account that acted; null for the service itself.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='audit', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name_plural': 'audit entries',
                'ordering': ['-id'],
                'indexes': [models.Index(fields=['kind', 'target'], name='audit_of_target')],
            },
        ),
        migrations.CreateModel(
            name='Ban',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.TextField(help_text="Reason, as shown to the banned user or the bot's owner.")),
                ('created_at', models.DateTimeField(help_text='Start of the ban.')),
                ('lifted_at', models.DateTimeField(blank=True, help_text='End of the ban; empty while it is in force.', null=True)),
                ('created_by', models.ForeignKey(help_text='Staff account that imposed the ban.', on_delete=django.db.models.deletion.PROTECT, related_name='bans_given', to=settings.AUTH_USER_MODEL)),
                ('user', models.ForeignKey(blank=True, help_text='Banned account: may not upload, enter, challenge or organise.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='bans', to=settings.AUTH_USER_MODEL)),
                ('bot', models.ForeignKey(blank=True, help_text='Banned bot: is not paired, cannot enter events, and accepts no new versions.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='bans', to='tournaments.bot')),
            ],
            options={
                'ordering': ['-id'],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('bot__isnull', True), ('user__isnull', False)), models.Q(('bot__isnull', False), ('user__isnull', True)), _connector='OR'), name='a_ban_is_of_a_person_or_of_a_bot')],
            },
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(help_text='Time of the invitation.')),
                ('event', models.ForeignKey(help_text='The private event.', on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='tournaments.event')),
                ('user', models.ForeignKey(help_text='The invited user.', on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['event', 'user'],
                'constraints': [models.UniqueConstraint(fields=('event', 'user'), name='a_person_is_invited_once')],
            },
        ),
        migrations.AddIndex(
            model_name='attempt',
            index=models.Index(condition=models.Q(('status', 'running')), fields=['worker'], name='attempt_running'),
        ),
        migrations.AddIndex(
            model_name='attempt',
            index=models.Index(condition=models.Q(('status', 'void')), fields=['ended_at'], name='attempt_void'),
        ),
        migrations.AddConstraint(
            model_name='attempt',
            constraint=models.UniqueConstraint(fields=('match', 'number'), name='an_attempt_is_numbered_once'),
        ),
        migrations.AddConstraint(
            model_name='attempt',
            constraint=models.UniqueConstraint(condition=models.Q(('status', 'counted')), fields=('match',), name='one_attempt_of_a_match_counts'),
        ),
        migrations.AddConstraint(
            model_name='attempt',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('status', 'void'), _negated=True), models.Q(('reason', ''), _negated=True), _connector='OR'), name='a_void_attempt_says_why'),
        ),
        migrations.AddConstraint(
            model_name='qualificationgame',
            constraint=models.UniqueConstraint(fields=('check_run', 'number'), name='a_check_has_each_game_once'),
        ),
        migrations.AddConstraint(
            model_name='qualificationgame',
            constraint=models.CheckConstraint(condition=models.Q(('seat__in', [0, 1])), name='a_submission_plays_on_a_seat'),
        ),
        migrations.AddConstraint(
            model_name='round',
            constraint=models.UniqueConstraint(fields=('event', 'number'), name='a_round_is_numbered_once'),
        ),
        migrations.AddConstraint(
            model_name='bye',
            constraint=models.UniqueConstraint(fields=('round', 'entry'), name='an_entrant_sits_a_round_out_once'),
        ),
        migrations.AddIndex(
            model_name='series',
            index=models.Index(condition=models.Q(('active', True)), fields=['next_run_at'], name='series_due'),
        ),
        migrations.AddIndex(
            model_name='event',
            index=models.Index(condition=models.Q(('status', 'scheduled')), fields=['starts_at'], name='event_due'),
        ),
        migrations.AddConstraint(
            model_name='event',
            constraint=models.CheckConstraint(condition=models.Q(('cycles__gte', 1)), name='an_event_has_a_cycle'),
        ),
        migrations.AddConstraint(
            model_name='event',
            constraint=models.CheckConstraint(condition=models.Q(('status__in', ['scheduled', 'running', 'paused', 'finished', 'cancelled'])), name='an_event_status_is_known'),
        ),
        migrations.AddConstraint(
            model_name='event',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('ended_at__isnull', False), ('status__in', ['finished', 'cancelled'])), models.Q(('ended_at__isnull', True), models.Q(('status__in', ['finished', 'cancelled']), _negated=True)), _connector='OR'), name='an_event_that_ended_says_when'),
        ),
        migrations.AddConstraint(
            model_name='event',
            constraint=models.UniqueConstraint(fields=('series', 'starts_at'), name='a_series_has_one_event_at_a_time'),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(condition=models.Q(('status', 'received')), fields=['due_at'], name='submission_due'),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(condition=models.Q(('status', 'checking')), fields=['lease_until'], name='submission_leased'),
        ),
        migrations.AddConstraint(
            model_name='submission',
            constraint=models.CheckConstraint(condition=models.Q(('status__in', ['received', 'checking', 'accepted', 'refused'])), name='a_submission_status_is_known'),
        ),
        migrations.AddConstraint(
            model_name='submission',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('status', 'refused'), models.Q(('refusal', ''), _negated=True)), models.Q(models.Q(('status', 'refused'), _negated=True), ('refusal', '')), _connector='OR'), name='a_refused_submission_and_no_other_says_why'),
        ),
        migrations.AddConstraint(
            model_name='submission',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('status', 'checking'), _negated=True), ('lease_until__isnull', False), _connector='OR'), name='a_submission_being_checked_is_leased'),
        ),
        migrations.AddConstraint(
            model_name='submission',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('judged_at__isnull', True), ('status__in', ('received', 'checking'))), models.Q(('judged_at__isnull', False), models.Q(('status__in', ('received', 'checking')), _negated=True)), _connector='OR'), name='a_judged_submission_and_no_other_says_when'),
        ),
        migrations.AddConstraint(
            model_name='submission',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('status__in', ('received', 'checking')), _negated=True), models.Q(models.Q(('archive', ''), _negated=True), ('due_at__isnull', False)), _connector='OR'), name='an_open_submission_has_its_archive_and_is_due'),
        ),
        migrations.AddConstraint(
            model_name='check',
            constraint=models.UniqueConstraint(fields=('submission', 'number'), name='a_check_is_numbered_once'),
        ),
        migrations.AddConstraint(
            model_name='check',
            constraint=models.UniqueConstraint(condition=models.Q(('status', 'counted')), fields=('submission',), name='one_check_of_a_submission_counts'),
        ),
        migrations.AddConstraint(
            model_name='check',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('status', 'void'), _negated=True), models.Q(('reason', ''), _negated=True), _connector='OR'), name='a_void_check_says_why'),
        ),
        migrations.AddConstraint(
            model_name='membership',
            constraint=models.UniqueConstraint(fields=('team', 'user'), name='a_person_is_in_a_team_once'),
        ),
        migrations.AddConstraint(
            model_name='version',
            constraint=models.CheckConstraint(condition=models.Q(('status__in', ['active', 'rested', 'withdrawn'])), name='a_version_status_is_known'),
        ),
        migrations.AddConstraint(
            model_name='version',
            constraint=models.UniqueConstraint(fields=('bot', 'number'), name='a_bot_numbers_each_version_once'),
        ),
        migrations.AddConstraint(
            model_name='version',
            constraint=models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='version_numbers_start_at_one'),
        ),
        migrations.AddIndex(
            model_name='starvedvoid',
            index=models.Index(fields=['version', 'at'], name='starved_void_of'),
        ),
        migrations.AddIndex(
            model_name='side',
            index=models.Index(fields=['bot', '-game'], name='side_history'),
        ),
        migrations.AddIndex(
            model_name='side',
            index=models.Index(fields=['bot', 'opponent', '-game'], name='side_pair'),
        ),
        migrations.AddIndex(
            model_name='side',
            index=models.Index(fields=['bot', 'ladder', 'seat', 'score'], name='side_record'),
        ),
        migrations.AddIndex(
            model_name='side',
            index=models.Index(condition=models.Q(('at_fault', True)), fields=['bot', 'game'], name='side_fault'),
        ),
        migrations.AddConstraint(
            model_name='side',
            constraint=models.UniqueConstraint(fields=('game', 'seat'), name='a_game_has_each_side_once'),
        ),
        migrations.AddIndex(
            model_name='question',
            index=models.Index(condition=models.Q(('status', 'received')), fields=['id'], name='question_waiting'),
        ),
        migrations.AddIndex(
            model_name='question',
            index=models.Index(condition=models.Q(('status', 'asking')), fields=['lease_until'], name='question_leased'),
        ),
        migrations.AddIndex(
            model_name='question',
            index=models.Index(condition=models.Q(('casual__isnull', False)), fields=['casual', '-id'], name='question_of_casual'),
        ),
        migrations.AddIndex(
            model_name='question',
            index=models.Index(condition=models.Q(('user__isnull', False)), fields=['user', '-created_at'], name='question_of_user'),
        ),
        migrations.AddIndex(
            model_name='question',
            index=models.Index(condition=models.Q(('casual__isnull', True), ('user__isnull', True)), fields=['visitor', '-created_at'], name='question_of_visitor'),
        ),
        migrations.AddIndex(
            model_name='question',
            index=models.Index(condition=models.Q(('casual__isnull', True), ('user__isnull', True)), fields=['network', '-created_at'], name='question_of_network'),
        ),
        migrations.AddConstraint(
            model_name='question',
            constraint=models.CheckConstraint(condition=models.Q(('status__in', ['received', 'asking', 'answered', 'void', 'dropped'])), name='a_question_status_is_known'),
        ),
        migrations.AddConstraint(
            model_name='question',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('user__isnull', False), ('visitor', '')), models.Q(('user__isnull', True), models.Q(('visitor', ''), _negated=True)), _connector='OR'), name='a_question_is_a_persons_or_a_visitors'),
        ),
        migrations.AddConstraint(
            model_name='question',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('status', 'asking'), _negated=True), ('lease_until__isnull', False), _connector='OR'), name='a_question_being_asked_is_leased'),
        ),
        migrations.AddConstraint(
            model_name='question',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('ended_at__isnull', True), ('status__in', ('received', 'asking'))), models.Q(models.Q(('status__in', ('received', 'asking')), _negated=True), ('ended_at__isnull', False)), _connector='OR'), name='an_open_question_and_no_other_has_no_end'),
        ),
        migrations.AddConstraint(
            model_name='question',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('fault', ''), ('seconds__isnull', False), ('status', 'answered'), models.Q(('answer', ''), _negated=True)), models.Q(('answer', ''), ('seconds__isnull', False), ('status', 'answered'), models.Q(('fault', ''), _negated=True)), models.Q(models.Q(('status', 'answered'), _negated=True), ('answer', ''), ('fault', '')), _connector='OR'), name='an_answer_is_a_turn_or_a_fault'),
        ),
        migrations.AddConstraint(
            model_name='question',
            constraint=models.UniqueConstraint(condition=models.Q(('status__in', ('received', 'asking'))), fields=('casual',), name='a_casual_game_has_one_open_question'),
        ),
        migrations.AddIndex(
            model_name='match',
            index=models.Index(condition=models.Q(('held', False), ('status', 'queued')), fields=['ruleset', 'kind', 'id'], name='match_queued'),
        ),
        migrations.AddIndex(
            model_name='match',
            index=models.Index(condition=models.Q(('held', False), ('status', 'queued')), fields=['event', 'id'], name='match_queued_of_event'),
        ),
        migrations.AddIndex(
            model_name='match',
            index=models.Index(condition=models.Q(('held', False), ('status', 'queued')), fields=['published_at'], name='match_published'),
        ),
        migrations.AddIndex(
            model_name='match',
            index=models.Index(condition=models.Q(('status', 'running')), fields=['lease_until'], name='match_leased'),
        ),
        migrations.AddIndex(
            model_name='match',
            index=models.Index(condition=models.Q(('status__in', ['queued', 'running'])), fields=['event'], name='match_open'),
        ),
        migrations.AddIndex(
            model_name='match',
            index=models.Index(condition=models.Q(('event__isnull', False)), fields=['event', '-id'], name='match_of_event'),
        ),
        migrations.AddIndex(
            model_name='match',
            index=models.Index(condition=models.Q(('challenge__isnull', False)), fields=['challenge', 'id'], name='match_of_challenge'),
        ),
        migrations.AddIndex(
            model_name='match',
            index=models.Index(condition=models.Q(('candidacy__isnull', False)), fields=['candidacy', 'id'], name='match_of_candidacy'),
        ),
        migrations.AddIndex(
            model_name='match',
            index=models.Index(condition=models.Q(('kind__in', ['ladder', 'trial', 'challenge'])), fields=['created_at'], name='match_given'),
        ),
        migrations.AddIndex(
            model_name='match',
            index=models.Index(fields=['first', 'second'], name='match_pair'),
        ),
        migrations.AddIndex(
            model_name='match',
            index=models.Index(condition=models.Q(('rated', True), ('rating_period__isnull', True), ('status', 'finished')), fields=['ladder', 'id'], name='match_unrated'),
        ),
        migrations.AddConstraint(
            model_name='match',
            constraint=models.UniqueConstraint(fields=('round', 'number'), name='a_match_is_numbered_once_in_its_round'),
        ),
        migrations.AddConstraint(
            model_name='match',
            constraint=models.CheckConstraint(condition=models.Q(('first', models.F('second')), _negated=True), name='a_bot_version_does_not_meet_itself'),
        ),
        migrations.AddConstraint(
            model_name='match',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('candidacy__isnull', True), ('challenge__isnull', True), ('event__isnull', False), ('kind', 'event'), ('number__isnull', False), ('round__isnull', False)), models.Q(('candidacy__isnull', True), ('challenge__isnull', True), ('event__isnull', True), ('kind', 'ladder'), ('round__isnull', True)), models.Q(('candidacy__isnull', False), ('challenge__isnull', True), ('event__isnull', True), ('kind', 'trial'), ('number__isnull', False), ('rated', False), ('round__isnull', True)), models.Q(('candidacy__isnull', True), ('challenge__isnull', False), ('event__isnull', True), ('kind', 'challenge'), ('rated', False), ('round__isnull', True)), _connector='OR'), name='a_match_belongs_to_what_it_is_played_for'),
        ),
        migrations.AddConstraint(
            model_name='match',
            constraint=models.UniqueConstraint(condition=models.Q(('candidacy__isnull', False), models.Q(('status__in', ['void', 'cancelled']), _negated=True)), fields=('candidacy', 'number'), name='a_trial_has_each_match_once'),
        ),
        migrations.AddConstraint(
            model_name='match',
            constraint=models.CheckConstraint(condition=models.Q(('status__in', ['queued', 'running', 'finished', 'void', 'cancelled'])), name='a_match_status_is_known'),
        ),
        migrations.AddConstraint(
            model_name='match',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('status', 'running'), _negated=True), ('lease_until__isnull', False), _connector='OR'), name='a_running_match_is_leased'),
        ),
        migrations.AddIndex(
            model_name='ladderentry',
            index=models.Index(condition=models.Q(('active', True)), fields=['ladder', 'waiting_since'], name='ladder_entry_waiting'),
        ),
        migrations.AddConstraint(
            model_name='ladderentry',
            constraint=models.UniqueConstraint(fields=('ladder', 'bot'), name='a_bot_is_on_a_ladder_once'),
        ),
        migrations.AddIndex(
            model_name='game',
            index=models.Index(fields=['ended_by', '-id'], name='game_ended_by'),
        ),
        migrations.AddIndex(
            model_name='game',
            index=models.Index(fields=['reason', '-id'], name='game_reason'),
        ),
        migrations.AddIndex(
            model_name='game',
            index=models.Index(condition=models.Q(('event__isnull', False)), fields=['event', '-id', 'seat0', 'seat1', 'winner'], name='game_of_event'),
        ),
        migrations.AddConstraint(
            model_name='game',
            constraint=models.UniqueConstraint(fields=('match', 'number'), name='a_match_has_each_game_once'),
        ),
        migrations.AddConstraint(
            model_name='game',
            constraint=models.CheckConstraint(condition=models.Q(('winner__isnull', True), ('winner__in', [0, 1]), _connector='OR'), name='a_winner_is_a_seat'),
        ),
        migrations.AddConstraint(
            model_name='game',
            constraint=models.CheckConstraint(condition=models.Q(('ended_by__in', ['rule', 'conduct', 'policy'])), name='a_game_ends_by_rule_conduct_or_policy'),
        ),
        migrations.AddConstraint(
            model_name='game',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('ended_by', 'conduct'), _negated=True), ('winner__isnull', False), _connector='OR'), name='a_forfeit_has_a_winner'),
        ),
        migrations.AddConstraint(
            model_name='entry',
            constraint=models.UniqueConstraint(fields=('event', 'bot'), name='a_bot_enters_an_event_once'),
        ),
        migrations.AddConstraint(
            model_name='entry',
            constraint=models.UniqueConstraint(fields=('event', 'place'), name='a_place_in_the_draw_is_taken_once'),
        ),
        migrations.AddConstraint(
            model_name='challenge',
            constraint=models.CheckConstraint(condition=models.Q(('first', models.F('second')), _negated=True), name='a_version_does_not_challenge_itself'),
        ),
        migrations.AddIndex(
            model_name='casualgame',
            index=models.Index(condition=models.Q(('status', 'playing')), fields=['deadline_at'], name='casual_deadline'),
        ),
        migrations.AddIndex(
            model_name='casualgame',
            index=models.Index(condition=models.Q(('user__isnull', False)), fields=['user', '-created_at'], name='casual_of_user'),
        ),
        migrations.AddIndex(
            model_name='casualgame',
            index=models.Index(condition=models.Q(('user__isnull', True)), fields=['visitor', '-created_at'], name='casual_of_visitor'),
        ),
        migrations.AddIndex(
            model_name='casualgame',
            index=models.Index(condition=models.Q(('user__isnull', True)), fields=['network', '-created_at'], name='casual_of_network'),
        ),
        migrations.AddConstraint(
            model_name='casualgame',
            constraint=models.CheckConstraint(condition=models.Q(('status__in', ['playing', 'finished', 'abandoned', 'void'])), name='a_casual_status_is_known'),
        ),
        migrations.AddConstraint(
            model_name='casualgame',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('user__isnull', False), ('visitor', '')), models.Q(('user__isnull', True), models.Q(('visitor', ''), _negated=True)), _connector='OR'), name='a_casual_game_is_a_persons_or_a_visitors'),
        ),
        migrations.AddConstraint(
            model_name='casualgame',
            constraint=models.CheckConstraint(condition=models.Q(('seat__in', [0, 1])), name='a_person_has_a_seat'),
        ),
        migrations.AddConstraint(
            model_name='casualgame',
            constraint=models.CheckConstraint(condition=models.Q(('winner__isnull', True), ('winner__in', [0, 1]), _connector='OR'), name='a_casual_winner_is_a_seat'),
        ),
        migrations.AddConstraint(
            model_name='casualgame',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('ended_by__in', ['rule', 'conduct', 'policy']), ('status', 'finished')), models.Q(models.Q(('status', 'finished'), _negated=True), ('ended_by', '')), _connector='OR'), name='a_finished_casual_game_and_no_other_says_how'),
        ),
        migrations.AddConstraint(
            model_name='casualgame',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('ended_at__isnull', True), ('status', 'playing')), models.Q(models.Q(('status', 'playing'), _negated=True), ('ended_at__isnull', False)), _connector='OR'), name='a_casual_game_ends_once'),
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
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(condition=models.Q(('status', 'pending')), fields=['due_at'], name='delivery_due'),
        ),
        migrations.AddConstraint(
            model_name='delivery',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('channel', 'webhook'), ('webhook__isnull', False)), models.Q(('channel', 'mail'), ('webhook__isnull', True)), _connector='OR'), name='a_webhook_s_delivery_names_it'),
        ),
    ]
