"""`manage.py library_reference`."""

from typing import Any

from django.core.management.base import BaseCommand

from frontend.documents.library_reference import DIRECTORY, pages


class Command(BaseCommand):
    help = "Write the pages about the Python library in docs/reference/library from its docstrings."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        DIRECTORY.mkdir(exist_ok=True)
        written = pages()
        for path in DIRECTORY.glob("*.md"):
            if path.name not in written:
                path.unlink()
        for name, text in written.items():
            (DIRECTORY / name).write_text(text, encoding="utf-8")
            self.stdout.write(str(DIRECTORY / name))
