from django.db import migrations

from tournaments.platform.migrating import ValidateCheck


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0019_opening_books'),
    ]

    operations = [
        ValidateCheck('event', 'an_event_with_a_book_has_openings'),
    ]
