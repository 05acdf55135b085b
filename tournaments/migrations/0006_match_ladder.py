import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0005_carry_over'),
    ]

    operations = [
        migrations.AlterField(
            model_name='match',
            name='ladder',
            field=models.ForeignKey(help_text='What is played.', on_delete=django.db.models.deletion.PROTECT, related_name='matches', to='tournaments.ladder'),
        ),
        migrations.AddConstraint(
            model_name='match',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('challenge__isnull', True), ('event__isnull', False), ('kind', 'event'), ('number__isnull', False), ('round__isnull', False)), models.Q(('challenge__isnull', True), ('event__isnull', True), ('kind', 'ladder'), ('round__isnull', True)), models.Q(('challenge__isnull', False), ('event__isnull', True), ('kind', 'challenge'), ('rated', False), ('round__isnull', True)), _connector='OR'), name='a_match_belongs_to_what_it_is_played_for'),
        ),
    ]
