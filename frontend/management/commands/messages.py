"""`manage.py messages`."""

import re
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand

# What people read is in the pages and in the service's refusals (docs/languages.md).
_NOT_HERE = ("docs", "engines", "ratings", "requirements", "tests", "var", "build", "dist", ".*")
# It would be another whenever the command is run.
_WHEN = re.compile(r'"POT-Creation-Date: .*\n')


class Command(BaseCommand):
    help = "Write what is marked to be translated into the catalogues, and compile them. Needs GNU gettext."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        call_command("makemessages", all=True, extensions=["py", "html", "txt"], ignore_patterns=[*_NOT_HERE],
                     add_location="file", no_wrap=True, no_obsolete=True, verbosity=0)
        for catalogue in sorted(Path(settings.LOCALE_PATHS[0]).glob("*/LC_MESSAGES/django.po")):
            catalogue.write_text(_WHEN.sub("", catalogue.read_text(encoding="utf-8")), encoding="utf-8")
            self.stdout.write(str(catalogue))
        call_command("compilemessages", ignore_patterns=[*_NOT_HERE], verbosity=0)
