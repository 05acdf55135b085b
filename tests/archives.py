"""Valid and invalid bots as archives, for tests of uploads."""

import zipfile
from io import BytesIO

from django.core.files.uploadedfile import SimpleUploadedFile

NOT_AN_ARCHIVE = b"#!/usr/bin/env python3\nprint('hello')\n"
UNKNOWN_RULESET = 'name = "Lost"\ncommand = ["python3", "main.py"]\nrulesets = ["chess"]\n'


def manifest(name: str = "Morphy", *, rulesets: str = '"all"') -> str:
    """Return a bot.toml with this name."""
    return f'name = "{name}"\ncommand = ["python3", "main.py"]\nrulesets = {rulesets}\n'


def packed(bot_toml: str, main: str = "print('ready')\n") -> bytes:
    """Return a .zip with this bot.toml and this program."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("bot.toml", bot_toml)
        archive.writestr("main.py", main)
    return buffer.getvalue()


def upload(content: bytes, filename: str = "bot.zip") -> SimpleUploadedFile:
    """Return the archive as a browser sends it."""
    return SimpleUploadedFile(filename, content, "application/zip")
