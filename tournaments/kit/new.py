"""`squarefield new`: a directory with a working bot to start from."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from engines.cli import parser_of
from engines.manifest import FILE_NAME
from tournaments.kit.bots import CannotPlay, name_for, toml_string
from tournaments.kit.terminal import refused, shown

TEMPLATES: Final = Path(__file__).parent / "templates"
# Template directory of each language.
LANGUAGES: Final = {"python": "python", "c++": "cpp", "java": "java", "javascript": "javascript", "rust": "rust",
                    "go": "go"}
# Linux cannot run a script with the line ends of Windows, which Git may write there.
_LINE_ENDS: Final = "* text=auto eol=lf\n"
_NAME_HERE: Final = "{name}"

_DESCRIPTION: Final = """\
Creates a directory with a bot that plays random legal turns: its source, with a marked place where
it chooses a turn, its bot.toml, and a README.md with the next steps. In Python it plays every
ruleset, in other languages those listed in its bot.toml."""


def main(argv: Sequence[str]) -> int:
    """Create a bot. Returns 0, or 2 if it could not be created."""
    parser = parser_of("squarefield new", _DESCRIPTION)
    parser.add_argument("directory", metavar="DIR", help="new or empty directory for the bot; its name becomes the "
                                                         "bot's name")
    parser.add_argument("--language", choices=LANGUAGES, default="python",
                        help=f"{', '.join(LANGUAGES)} (default: %(default)s)", metavar="LANGUAGE")
    options = parser.parse_args(argv)
    directory = Path(options.directory)
    try:
        files = begin(directory, options.language)
    except CannotPlay as error:
        return refused("no bot created", error)
    print(shown(f"Created a bot in {options.language} in {directory}: {', '.join(files)}"))
    if "Makefile" in files:
        print(shown(f"  make -C {directory}"))
    print(shown(f"  squarefield play squ {directory} random\n  squarefield check {directory}"))
    return 0


def begin(directory: Path, language: str) -> list[str]:
    """Write the language's starter into a new or empty directory. Returns the file names. Raises CannotPlay."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        if any(directory.iterdir()):
            raise CannotPlay(f"{directory} is not empty: give a new directory")
        files = starter(language, name_for(directory.resolve()))
        for name, text in files.items():
            (directory / name).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise CannotPlay(f"cannot create {directory}: {error.strerror}") from None
    return list(files)


def starter(language: str, name: str) -> dict[str, str]:
    """Return the files of the language's starter for a bot of this name: sorted names, and texts."""
    files = {".gitattributes": _LINE_ENDS} | {
        path.name: path.read_text(encoding="utf-8")
        for path in sorted((TEMPLATES / LANGUAGES[language]).iterdir()) if path.is_file()}
    files[FILE_NAME] = files[FILE_NAME].replace(_NAME_HERE, toml_string(name))
    return files
