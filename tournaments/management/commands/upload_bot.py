"""`manage.py upload_bot`."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from engines.sandbox.unpack import ArchiveRefused, pack
from tournaments.management.base import ServiceCommand, user_named
from tournaments.services.submissions import SubmissionRefused, accept_upload


class Command(ServiceCommand):
    help = "Enter bots by the ordinary upload: archives (.zip, .tar, .tar.gz), or directories with a bot.toml."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="an archive, or a bot's directory")
        parser.add_argument("--owner", required=True, metavar="USERNAME", help="the account that they belong to")

    def handle(self, *args: Any, **options: Any) -> None:
        owner = user_named(options["owner"])
        refused = []
        for path in options["paths"]:
            try:
                archive, filename = _archive(path)
                version = accept_upload(archive=archive, filename=filename, uploader=owner, now=timezone.now())
            except SubmissionRefused as refusal:
                refused.append(f"{path}: {refusal}")
            else:
                self.stdout.write(f"{path}: {version}, plays {', '.join(version.rulesets)}")
        if refused:
            raise CommandError("\n".join(refused))


def _archive(path: Path) -> tuple[bytes, str]:
    """The archive's bytes and its name for the record. A directory is packed."""
    try:
        if path.is_dir():
            return pack(path), f"{path.resolve().name}.zip"
        return path.read_bytes(), path.name
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.") from None
    except ArchiveRefused as error:
        raise CommandError(f"{path} cannot be packed: {error}") from None
