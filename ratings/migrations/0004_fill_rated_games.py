"""Filled the rated games of the first release. 0007 replaces that table, and 0008 fills the new one."""

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('ratings', '0003_rated_games'),
    ]

    operations: list = []
