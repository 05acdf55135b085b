"""`manage.py messages`."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand

from engines.rules.registry import RULESETS

# Translated texts are only in the pages and in the service's refusals (docs/how-to/contributor/languages.md).
_NOT_HERE = ("docs", "engines", "ratings", "requirements", "tests", "var", "build", "dist", ".*")
# Removed, because it would change with every run.
_WHEN = re.compile(r'"POT-Creation-Date: .*\n')


class Command(BaseCommand):
    help = "Update the translation catalogues with the marked strings, and compile them. Needs GNU gettext."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        with _listed_rulesets():
            call_command("makemessages", all=True, extensions=["py", "html", "txt"], ignore_patterns=[*_NOT_HERE],
                         add_location="file", no_wrap=True, no_obsolete=True, verbosity=0)
        for catalogue in sorted(Path(settings.LOCALE_PATHS[0]).glob("*/LC_MESSAGES/django.po")):
            catalogue.write_text(_WHEN.sub("", catalogue.read_text(encoding="utf-8")), encoding="utf-8")
            self.stdout.write(str(catalogue))
        call_command("compilemessages", ignore_patterns=[*_NOT_HERE], verbosity=0)


@contextmanager
def _listed_rulesets() -> Iterator[None]:
    """Mark the words of the rulesets in a temporary module, because the rulesets do not use gettext."""
    words = dict.fromkeys(word for ruleset in RULESETS.values() for word in ruleset.words())
    module = Path("frontend/text/rulesets.py")
    module.write_text("".join(f"gettext_noop({word!r})\n" for word in words), encoding="utf-8")
    try:
        yield
    finally:
        module.unlink()
