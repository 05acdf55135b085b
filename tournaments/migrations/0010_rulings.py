from django.conf import settings
from django.db import migrations, models
from django.db.models import CASCADE, PROTECT


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0009_precision'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='ByeRequest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField(help_text='Number of the round.')),
                ('requested_at', models.DateTimeField(help_text='Time of the request.')),
                ('entry', models.ForeignKey(help_text='The entrant.', on_delete=CASCADE, related_name='bye_requests', to='tournaments.entry')),
                ('requested_by', models.ForeignKey(help_text='The user who asked for it.', on_delete=PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['entry', 'number'],
                'constraints': [
                    models.UniqueConstraint(fields=('entry', 'number'), name='a_bye_is_requested_once'),
                    models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='a_requested_bye_has_a_round'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Disqualification',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.CharField(help_text='Reason, which everyone who sees the event can read.', max_length=300)),
                ('annulled', models.BooleanField(help_text="Whether the entrant's games no longer count in the standings. They stay rated.")),
                ('ruled_at', models.DateTimeField(help_text='Time of the decision.')),
                ('entry', models.OneToOneField(help_text='The excluded entrant.', on_delete=CASCADE, related_name='disqualification', to='tournaments.entry')),
                ('ruled_by', models.ForeignKey(help_text='The organiser who decided.', on_delete=PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['entry'],
                'constraints': [models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='a_disqualification_has_a_reason')],
            },
        ),
    ]
