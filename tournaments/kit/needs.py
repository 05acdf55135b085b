"""Programs that a bot uses in its bot.toml, its build and its scripts, and those of them that a site lacks."""

import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Final

from engines.manifest import FILE_NAME, ManifestRefused
from engines.sandbox import ArchiveRefused
from engines.sandbox.isolation.bubblewrap import BOT_DIRECTORY
from engines.sandbox.staging.submission import bot_entries

# Shell builtins and keywords, and programs of Debian's essential packages.
_ALWAYS: Final = frozenset("""
    . : [ alias break case cd command continue do done echo elif else esac eval exec exit export false fi for
    function if in local printf read readonly return set shift test then time trap true type ulimit umask unset
    until wait while { } ! awk basename bash cat chmod chown cmp cp cut date dd diff dirname du egrep env expr fgrep
    find grep gunzip gzip head id install kill ln ls md5sum mkdir mktemp mv nice nohup nproc od paste perl pwd
    readlink realpath rm rmdir sed seq sh sha256sum sleep sort split stat stdbuf strip tail tar tee timeout touch tr
    uname uniq wc which xargs yes zcat
""".split())  # noqa: SIM905 - a list would need a page of quotation marks
_ALIASES: Final = {"cc": "gcc", "c++": "g++", "nodejs": "node", "gmake": "make", "cpp": "gcc", "ar": "gcc", "ld": "gcc",
                   "as": "gcc", "strip": "gcc", "jar": "javac", "ctest": "cmake"}
_BOT: Final = f"{BOT_DIRECTORY}/"
_SHELLS: Final = ("sh", "bash", "dash")
_COMMANDS: Final = re.compile(r"&&|\|\||[;|&\n]")
_NUMBERED: Final = re.compile(r"(.+?)-?(\d+(?:\.\d+)*)")
_SET: Final = re.compile(r"\w+=")
_NAME: Final = re.compile(r"[\w./+-]+")


def missing_programs(archive: bytes, tools: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the programs that a site with these tools (versions by name) lacks, and where the bot uses each.

    A rejected archive gives an empty list; its check reports the error.
    """
    try:
        entries, manifest = bot_entries(archive)
    except (ArchiveRefused, ManifestRefused):
        return []
    files = {entry.name: entry.data or b"" for entry in entries}
    found: dict[str, str] = {}
    for place, words in ((f"run in {FILE_NAME}", manifest.command), (f"build in {FILE_NAME}", manifest.build or ())):
        for program, where in _named(list(words), place, files):
            found.setdefault(program, where)
    return [(program, where) for program, where in found.items() if not _has(program, tools)]


def _named(words: list[str], place: str, files: Mapping[str, bytes]) -> Iterator[tuple[str, str]]:
    """Yield the programs that a command and its scripts use, and where each is used."""
    while words and (PurePosixPath(words[0]).name == "env" or words[0] == "-S" or _SET.match(words[0])):
        words = words[1:]
    if not words:
        return
    if _is_own(words[0]):
        yield from _of_script(_own_name(words[0]), files)
        return
    name, script = PurePosixPath(words[0]).name, next((word for word in words[1:] if not word.startswith("-")), "")
    yield name, place
    if name in _SHELLS and "-c" in words:
        yield from _in_shell(script, place)
    elif name in _SHELLS and (own := _own_name(script)) in files:
        yield from _in_shell(_text(files[own]), own)
    elif name == "make":
        for makefile in ("GNUmakefile", "makefile", "Makefile"):
            if makefile in files:
                recipes = re.findall(r"^\t[\t@+-]*(.*)", _text(files[makefile]), re.MULTILINE)
                yield from _in_shell("\n".join(recipes), makefile)
                return


def _of_script(name: str, files: Mapping[str, bytes]) -> Iterator[tuple[str, str]]:
    """Yield the interpreter in the first line of a file, and the programs of a shell script."""
    if files.get(name, b"").startswith(b"#!"):
        text = _text(files[name])
        words = [PurePosixPath(word).name for word in text[2:].split("\n", 1)[0].split()]
        yield from _named(words, name, {})
        if any(word in _SHELLS for word in words):
            yield from _in_shell(text, name)


def _in_shell(text: str, place: str) -> Iterator[tuple[str, str]]:
    """Yield the first word of every command if it is a plain name; scripts that these run are not followed."""
    functions = re.findall(r"([\w-]+)\s*\(\)", text)
    for command in _COMMANDS.split(text.replace("\\\n", " ")):
        try:
            words = shlex.split(command, comments=True)
        except ValueError:  # a quotation that continues after the split
            continue
        while words and (words[0] in ("env", "exec", "then", "do", "else", "if", "while", "!") or _SET.match(words[0])):
            words = words[1:]
        if words and _NAME.fullmatch(words[0]) and words[0] not in functions and not _is_own(words[0]):
            yield PurePosixPath(words[0]).name, place


def _is_own(word: str) -> bool:
    """Return whether a program is in the bot's directory, now or after its build, and not searched on the PATH."""
    return "/" in word and (not word.startswith("/") or word.startswith(_BOT))


def _own_name(word: str) -> str:
    """Return the archive's name for the bot's own file."""
    return word.removeprefix(_BOT).removeprefix("./")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _has(program: str, tools: Mapping[str, str]) -> bool:
    name = _ALIASES.get(program, program)
    if program in _ALWAYS or name in tools:
        return True
    numbered = _NUMBERED.fullmatch(program)
    return numbered is not None and any(
        tools.get(tool, " ").startswith(numbered[2]) for tool in (numbered[1], numbered[1] + numbered[2].split(".")[0]))
