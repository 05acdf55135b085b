"""Bots as given on the command line: a reference bot, a directory, an archive, or a Python file."""

import json
import tempfile
from pathlib import Path
from typing import Final

from engines.bots import REFERENCE_BOTS
from engines.manifest import FILE_NAME, MAX_NAME, ManifestRefused, read_manifest
from engines.rules.notation import did_you_mean
from engines.rules.ruleset import Ruleset
from engines.sandbox import ArchiveRefused, Build, BuildFailed, Sandbox
from engines.sandbox.archives.unpack import pack

KINDS: Final = "the name of a reference bot, a bot's directory (with its bot.toml), its archive, or a Python file"

# Suffix of a bridge's mapping file.
MAPPING: Final = ".toml"


class CannotPlay(Exception):
    """Nothing was played or sent; `str()` gives the reason. It may contain untrusted text."""


def archive_of(name: str) -> bytes:
    """Return the bot with this name or path as an archive, without further checks. Raises CannotPlay."""
    path = REFERENCE_BOTS.get(name, Path(name))
    try:
        if path.is_dir():
            _check_program(path)
            return pack(path)
        if path.suffix == MAPPING:
            raise CannotPlay(f"{name} describes an engine for a bridge, which runs on your machine only: use it with "
                             f"`squarefield play` or `squarefield bridge`. If it is a {FILE_NAME}, give its directory")
        return _wrapped(path) if path.suffix == ".py" else path.read_bytes()
    except ArchiveRefused as refusal:
        raise CannotPlay(f"{name}: {refusal}") from None
    except FileNotFoundError:
        raise CannotPlay(f"{name} is neither a reference bot ({', '.join(REFERENCE_BOTS)}) nor a file or directory"
                         f"{did_you_mean(name, REFERENCE_BOTS)}") from None
    except OSError as error:
        raise CannotPlay(f"cannot read {name}: {error.strerror}") from None


def stage(sandbox: Sandbox, name: str) -> Build:
    """Return the bot with this name or path, built and ready to run. Raises CannotPlay and SandboxError."""
    try:
        return sandbox.runtime.stage(archive_of(name), sandbox=sandbox)
    except (ArchiveRefused, ManifestRefused) as error:
        raise CannotPlay(f"{name}: {error}") from None
    except BuildFailed as error:
        raise CannotPlay(f"{name}: {error}\n{error.log}") from None


def stage_for(sandbox: Sandbox, name: str, ruleset: Ruleset) -> Build:
    """Return the bot as `stage` does. Raises CannotPlay also if it does not play this ruleset."""
    build = stage(sandbox, name)
    if ruleset.slug not in build.manifest.rulesets:
        raise CannotPlay(f"{name} does not play {ruleset.slug}; it plays {', '.join(build.manifest.rulesets)}")
    return build


def name_for(path: Path) -> str:
    """Return a name for the bot at the path: the path's own, limited to what a manifest allows."""
    return "".join(char for char in path.stem if char.isprintable())[:MAX_NAME].strip() or "bot"


def toml_string(text: str) -> str:
    """Return printable text as a TOML string."""
    return json.dumps(text, ensure_ascii=False)


def _wrapped(path: Path) -> bytes:
    """Return an archive of a Python file with a generated manifest."""
    with tempfile.TemporaryDirectory() as directory:
        Path(directory, "bot.py").write_bytes(path.read_bytes())
        manifest = f'name = {toml_string(name_for(path))}\nrun = ["python3", "bot.py"]\n'
        Path(directory, FILE_NAME).write_text(manifest, encoding="utf-8")
        return pack(Path(directory))


def _check_program(directory: Path) -> None:
    """Raise CannotPlay if the author must still build the program; the sandbox could only report that it is missing."""
    try:
        manifest = read_manifest((directory / FILE_NAME).read_bytes())
    except (OSError, ManifestRefused):
        return  # unpacking the archive gives a better error
    program = manifest.command[0]
    if manifest.build is None and program.startswith("./") and not (directory / program).exists():
        remedy = "run `make` there first" if (directory / "Makefile").exists() else "build it first"
        raise CannotPlay(f"{directory} has no {program}, which bot.toml runs: {remedy}")
