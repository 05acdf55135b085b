import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0035_search'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Analysis',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('attempt', models.PositiveSmallIntegerField(default=0, help_text='Number of claims so far, which is also the fencing token.')),
                ('lease_until', models.DateTimeField(help_text='End of the lease unless it is renewed.', null=True)),
                ('published_at', models.DateTimeField(help_text='Time at which its ID was last put on its queue.', null=True)),
                ('due_at', models.DateTimeField(help_text='Earliest time of the next claim; null for immediately. Moved back after every void attempt.', null=True)),
                ('created_at', models.DateTimeField(help_text='Time of the request.')),
                ('seconds', models.FloatField(help_text='Time per position for each judge, in seconds.')),
                ('positions', models.PositiveIntegerField(help_text='Number of positions to judge: one before each turn.')),
                ('judged', models.PositiveIntegerField(default=0, help_text='Number of positions that are done, judged or not.')),
                ('verdicts', models.JSONField(blank=True, default=list, help_text="By position, each judge's turn and view, or the reason why there is none.")),
                ('status', models.CharField(choices=[('received', 'Received'), ('judging', 'Judging'), ('done', 'Done'), ('void', 'Void')], default='received', help_text='Current status.', max_length=10)),
                ('worker', models.CharField(blank=True, help_text='Host and process of the last claim.', max_length=120)),
                ('tier', models.CharField(blank=True, help_text='Sandbox tier of that worker.', max_length=20)),
                ('voids', models.PositiveSmallIntegerField(default=0, help_text='Number of claims that the infrastructure spoiled.')),
                ('setback', models.TextField(blank=True, help_text='Reason why the last of these claims was void.')),
                ('ended_at', models.DateTimeField(help_text='Time at which it was done or finally void.', null=True)),
                ('game', models.ForeignKey(db_index=False, help_text='Game that is analysed.', on_delete=django.db.models.deletion.CASCADE, related_name='analyses', to='tournaments.game')),
                ('judge', models.ForeignKey(help_text='Strongest version that judges the positions.', on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tournaments.version')),
                ('other', models.ForeignKey(help_text='Second version that judges them, if any.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tournaments.version')),
                ('user', models.ForeignKey(db_index=False, help_text='Account that asked for it; null if it no longer exists.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='analyses', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name_plural': 'analyses',
                'ordering': ['-id'],
                'indexes': [models.Index(condition=models.Q(('status', 'received')), fields=['id'], name='analysis_waiting'), models.Index(condition=models.Q(('status', 'judging')), fields=['lease_until'], name='analysis_leased'), models.Index(fields=['game', '-id'], name='analysis_of_game'), models.Index(condition=models.Q(('user__isnull', False)), fields=['user', '-created_at'], name='analysis_of_user')],
                'constraints': [models.CheckConstraint(condition=models.Q(('status__in', ['received', 'judging', 'done', 'void'])), name='an_analysis_status_is_known'), models.CheckConstraint(condition=models.Q(models.Q(('status', 'judging'), _negated=True), ('lease_until__isnull', False), _connector='OR'), name='an_analysis_being_made_is_leased'), models.CheckConstraint(condition=models.Q(models.Q(('ended_at__isnull', True), ('status__in', ('received', 'judging'))), models.Q(models.Q(('status__in', ('received', 'judging')), _negated=True), ('ended_at__isnull', False)), _connector='OR'), name='an_open_analysis_and_no_other_has_no_end'), models.CheckConstraint(condition=models.Q(('judged__lte', models.F('positions'))), name='an_analysis_judges_no_more_positions_than_there_are'), models.CheckConstraint(condition=models.Q(('other', None), models.Q(('judge', models.F('other')), _negated=True), _connector='OR'), name='an_analysis_has_two_different_judges'), models.UniqueConstraint(condition=models.Q(('status__in', ('received', 'judging'))), fields=('game',), name='a_game_has_one_open_analysis')],
            },
        ),
    ]
