from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0036_analysis'),
    ]

    operations = [
        migrations.AddField(
            model_name='bot',
            name='judges',
            field=models.BooleanField(help_text="Whether its versions may judge positions in analyses of other games; null: those that the site's staff uploaded.", null=True),
        ),
    ]
