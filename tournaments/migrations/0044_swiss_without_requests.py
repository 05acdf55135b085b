"""The columns stay in the tables, with their defaults, for processes of the previous release; a later one drops them."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("tournaments", "0043_swiss_without_requests_data"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(state_operations=[
            migrations.RemoveConstraint(model_name="event", name="a_requested_bye_is_worth_half_or_nothing"),
            migrations.RemoveConstraint(model_name="series", name="a_bye_of_a_series_is_worth_half_or_nothing"),
            *(migrations.RemoveField(model_name=model, name=name) for model in ("event", "series")
              for name in ("bye_points", "byes_allowed", "confirm_rounds", "late_rounds")),
            migrations.RemoveField(model_name="round", name="awaits_confirmation"),
            migrations.AlterField(
                model_name="bye", name="points",
                field=models.FloatField(
                    db_default=1.0, default=1.0,
                    help_text="Points in a Swiss: 1. Releases up to 1.0 also gave 0.5 or 0, for a requested bye or a "
                              "late entry.")),
        ]),
        # Its foreign keys would keep entries from being deleted.
        migrations.DeleteModel(name="ByeRequest"),
    ]
