from django.db import migrations, models

from tournaments.platform.migrating import AddCheckNotValid


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0015_validate_points_of_byes'),
    ]

    operations = [
        migrations.AddField(
            model_name='series',
            name='max_hours',
            field=models.PositiveIntegerField(blank=True, help_text='Maximum number of hours of a precision event; empty for no limit.', null=True),
        ),
        migrations.AddField(
            model_name='series',
            name='max_matches',
            field=models.PositiveIntegerField(blank=True, help_text='Maximum number of matches of a precision event.', null=True),
        ),
        migrations.AddField(
            model_name='series',
            name='target',
            field=models.CharField(blank=True, choices=[('ratings', 'Every rating'), ('first', 'First places')], db_default='', default='', help_text='Target of a precision event; empty for other formats.', max_length=10),
        ),
        migrations.AddField(
            model_name='series',
            name='target_value',
            field=models.PositiveIntegerField(blank=True, help_text='For ratings, the half width of every 95 % interval in Elo; for first places, their number.', null=True),
        ),
        AddCheckNotValid(
            model_name='series',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('max_hours__isnull', True), ('max_matches__isnull', True), ('target', ''), ('target_value__isnull', True)), models.Q(models.Q(('max_hours__isnull', True), ('max_hours__gte', 1), _connector='OR'), ('max_matches__gte', 1), ('max_matches__isnull', False), ('target__in', ['ratings', 'first']), ('target_value__gte', 1), ('target_value__isnull', False)), _connector='OR'), name='a_target_of_a_series_is_complete'),
        ),
    ]
