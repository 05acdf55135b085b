import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from tournaments.platform.migrating import AddCheckNotValid


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0023_pairings_by_hand_changes'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='series',
            name='apart_rounds',
            field=models.PositiveSmallIntegerField(db_default=0, default=0, help_text='Number of first rounds of a Swiss in which bots of one owner or team do not meet, if that can be avoided.'),
        ),
        migrations.AddField(
            model_name='series',
            name='book',
            field=models.ForeignKey(db_index=False, help_text="The organiser's own openings; null for the ruleset's.", null=True, on_delete=django.db.models.deletion.PROTECT, related_name='series', to='tournaments.openingbook'),
        ),
        migrations.AddField(
            model_name='series',
            name='bye_points',
            field=models.FloatField(db_default=0.0, default=0.0, help_text='Points for a requested bye, and for a round that a late entrant missed: 0 or 0.5.'),
        ),
        migrations.AddField(
            model_name='series',
            name='byes_allowed',
            field=models.PositiveSmallIntegerField(db_default=0, default=0, help_text='Maximum number of byes that an entrant of a Swiss can request.'),
        ),
        migrations.AddField(
            model_name='series',
            name='confirm_rounds',
            field=models.BooleanField(db_default=False, default=False, help_text='Each round of a Swiss waits until the organiser has confirmed its pairings.'),
        ),
        migrations.AddField(
            model_name='series',
            name='description',
            field=models.TextField(blank=True, db_default='', default='', help_text='Description that each event starts with.', max_length=4000),
        ),
        migrations.AddField(
            model_name='series',
            name='late_rounds',
            field=models.PositiveSmallIntegerField(db_default=0, default=0, help_text='Maximum number of rounds that a late entrant of a Swiss can miss; 0 for no late entries.'),
        ),
        migrations.AddField(
            model_name='series',
            name='withdrawals',
            field=models.CharField(choices=[('keep', 'Results are kept'), ('annul', 'Annulled below half of the games (FIDE)')], db_default='keep', default='keep', help_text='What happens in a round-robin or gauntlet to the results of an entrant that leaves.', max_length=10),
        ),
        AddCheckNotValid(
            model_name='series',
            constraint=models.CheckConstraint(condition=models.Q(('withdrawals__in', ['keep', 'annul'])), name='a_series_policy_for_withdrawals_is_known'),
        ),
        AddCheckNotValid(
            model_name='series',
            constraint=models.CheckConstraint(condition=models.Q(('bye_points__in', (0.0, 0.5))), name='a_bye_of_a_series_is_worth_half_or_nothing'),
        ),
        AddCheckNotValid(
            model_name='series',
            constraint=models.CheckConstraint(condition=models.Q(('book__isnull', True), ('openings', True), _connector='OR'), name='a_series_with_a_book_has_openings'),
        ),
    ]
