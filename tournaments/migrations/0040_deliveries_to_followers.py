import django.db.models.deletion
from django.db import migrations, models

from tournaments.platform.migrating import AddCheckNotValid


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0039_following'),
    ]

    operations = [
        migrations.AlterField(
            model_name='delivery',
            name='channel',
            field=models.CharField(choices=[('webhook', 'Webhook'), ('mail', 'Mail'), ('push', 'Push'), ('feed', 'Feed')], help_text='Channel by which it is sent.', max_length=10),
        ),
        migrations.AlterField(
            model_name='delivery',
            name='webhook',
            field=models.ForeignKey(help_text='Webhook to post to; null for other channels.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='tournaments.webhook'),
        ),
        migrations.AddField(
            model_name='delivery',
            name='subscription',
            field=models.ForeignKey(db_index=False, help_text='Browser to send to; null for other channels.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='tournaments.pushsubscription'),
        ),
        migrations.RemoveConstraint(
            model_name='delivery',
            name='a_webhook_s_delivery_names_it',
        ),
        AddCheckNotValid(
            model_name='delivery',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('channel', 'webhook'), ('subscription__isnull', True), ('webhook__isnull', False)), models.Q(('channel', 'push'), ('subscription__isnull', False), ('webhook__isnull', True)), models.Q(('channel__in', ['mail', 'feed']), ('subscription__isnull', True), ('webhook__isnull', True)), _connector='OR'), name='a_delivery_names_its_receiver'),
        ),
    ]
