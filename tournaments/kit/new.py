"""`squarefield new`: a directory with a bot that plays, for its author to go on from."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from engines.cli import parser_of
from engines.manifest import FILE_NAME
from tournaments.kit.bots import CannotPlay, name_for, toml_string
from tournaments.kit.terminal import refused, shown

TEMPLATES: Final = Path(__file__).parent / "templates"
# The directory of each language's template.
LANGUAGES: Final = {"python": "python", "c++": "cpp", "java": "java", "javascript": "javascript", "rust": "rust",
                    "go": "go"}
_NAME_HERE: Final = "{name}"

_DESCRIPTION: Final = """\
Makes a directory with a bot that plays legally and has no plan: its source, with a marked place to
choose a turn, its bot.toml and a README.md with the next steps. In Python it plays every ruleset,
in other languages those that its bot.toml names."""


def main(argv: Sequence[str]) -> int:
    """Begin a bot. Returns 0, or 2 when there is no place for it."""
    parser = parser_of("squarefield new", _DESCRIPTION)
    parser.add_argument("directory", metavar="DIR", help="the bot's directory, new or empty; its name is the bot's")
    parser.add_argument("--language", choices=LANGUAGES, default="python",
                        help=f"{', '.join(LANGUAGES)} (default: %(default)s)", metavar="LANGUAGE")
    options = parser.parse_args(argv)
    directory = Path(options.directory)
    try:
        files = begin(directory, options.language)
    except CannotPlay as error:
        return refused("no bot", error)
    print(shown(f"{directory} has a bot in {options.language}: {', '.join(files)}"))
    if "Makefile" in files:
        print(shown(f"  make -C {directory}"))
    print(shown(f"  squarefield play squ {directory} random\n  squarefield check {directory}"))
    return 0


def begin(directory: Path, language: str) -> list[str]:
    """Write the language's starter into a new or empty directory; returns its files' names. Raises CannotPlay."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        if any(directory.iterdir()):
            raise CannotPlay(f"{directory} is not empty: name a new directory")
        files = starter(language, name_for(directory.resolve()))
        for name, text in files.items():
            (directory / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise CannotPlay(f"{directory} cannot be made: {error.strerror}") from None
    return list(files)


def starter(language: str, name: str) -> dict[str, str]:
    """The files of the language's starter for a bot of this name: names, sorted, and texts."""
    files = {path.name: path.read_text(encoding="utf-8")
             for path in sorted((TEMPLATES / LANGUAGES[language]).iterdir()) if path.is_file()}
    files[FILE_NAME] = files[FILE_NAME].replace(_NAME_HERE, toml_string(name))
    return files
