import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0038_stories'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='PersonalFeed',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(help_text='Secret part of the address.', max_length=40, unique=True)),
                ('created_at', models.DateTimeField(help_text='Time at which the address was made.')),
                ('user', models.OneToOneField(help_text='Reader of the feed.', on_delete=django.db.models.deletion.CASCADE, related_name='personal_feed', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='PushSubscription',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('endpoint', models.URLField(help_text="Address at the browser's push service.", max_length=500, unique=True)),
                ('p256dh', models.CharField(help_text='Public key of the browser, as base64url.', max_length=100)),
                ('auth', models.CharField(help_text='Secret shared with the browser, as base64url.', max_length=40)),
                ('created_at', models.DateTimeField(help_text='Time of creation.')),
                ('succeeded_at', models.DateTimeField(help_text='Time of the last accepted message; null for none.', null=True)),
                ('user', models.ForeignKey(help_text='Receiver of the news.', on_delete=django.db.models.deletion.CASCADE, related_name='push_subscriptions', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='Follow',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(help_text='Time from which it is followed.')),
                ('seen', models.JSONField(default=dict, editable=False, help_text='State as last reported; news is the difference from the current state.')),
                ('due_at', models.DateTimeField(help_text='Time before which no news is sent.')),
                ('bot', models.ForeignKey(help_text='The bot; null if it is an event.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='follows', to='tournaments.bot')),
                ('event', models.ForeignKey(help_text='The event; null if it is a bot.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='follows', to='tournaments.event')),
                ('user', models.ForeignKey(db_index=False, help_text='The follower.', on_delete=django.db.models.deletion.CASCADE, related_name='follows', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-id'],
                'indexes': [models.Index(fields=['due_at'], name='follow_due')],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(models.Q(('bot__isnull', False), ('event__isnull', True)), models.Q(('bot__isnull', True), ('event__isnull', False)), _connector='OR'), name='a_follow_is_of_a_bot_or_of_an_event'),
                    models.UniqueConstraint(fields=('user', 'bot'), name='a_user_follows_a_bot_once'),
                    models.UniqueConstraint(fields=('user', 'event'), name='a_user_follows_an_event_once'),
                ],
            },
        ),
    ]
