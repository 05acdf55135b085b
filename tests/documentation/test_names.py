"""Commands, options, settings, addresses and files that the documentation names exist."""

import re
from argparse import _SubParsersAction
from collections.abc import Iterator
from contextlib import redirect_stdout
from functools import cache
from io import StringIO

import pytest
from django.core.management import get_commands, load_command_class
from django.urls import Resolver404, get_resolver, resolve

from engines.__main__ import COMMANDS as ENGINES
from engines.__main__ import main as engines
from tests.documentation.pages import ROOT, TODAY, code, name_of
from tests.documentation.test_settings import OF_THE_TESTS, PAGE, ROW
from tournaments.kit.main import COMMANDS as KIT
from tournaments.kit.main import main as kit
from tournaments.setup.bootstrap.usage import help_of

PROGRAM = re.compile(r"(?:manage\.py|(?<!from )squarefield|python3? -m engines)(?= [a-z])")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
SETTING = re.compile(r"\bSQUAREFIELD_[A-Z_]*[A-Z]\b")
ADDRESS = re.compile(r"/[a-z][\w./-]*/?")
FILE = re.compile(r"(?<![\w/])(?:docs|engines|frontend|ratings|tests|tournaments)/[\w./-]+")
METHOD = re.compile(r"^(?:GET|POST|PATCH|PUT|DELETE) ")
PLACEHOLDER = re.compile(r"[<{].*?[>}]|…|\bN\b")
SETTINGS = {name for name, _ in ROW.findall(PAGE.read_text(encoding="utf-8"))}
# Files that the site, its tests or the reader make.
MADE = re.compile(r"tests/data/rules/SLUG|docs/rules/(SLUG|lineup)|engines/rules/games/lineup")


def _help(main, *arguments: str) -> str:
    said = StringIO()
    with redirect_stdout(said), pytest.raises(SystemExit):
        main([*arguments, "--help"])
    return said.getvalue()


@cache
def options(program: str, command: str) -> frozenset[str] | None:
    """Return a command's options, or None if there is no such command."""
    if program == "squarefield":
        said = _help(kit, command) if command in KIT else None
    elif program != "manage.py":
        said = _help(engines, command) if command in ENGINES else None
    elif (said := help_of([command, "--help"])) is None and command in get_commands():
        app = get_commands()[command]
        loaded = load_command_class(app, command) if isinstance(app, str) else app
        parser = loaded.create_parser("manage.py", command)
        verbs = [verb for action in parser._actions if isinstance(action, _SubParsersAction)
                 for verb in action.choices.values()]
        said = "".join(one.format_help() for one in (parser, *verbs))
    return None if said is None else frozenset(OPTION.findall(said))


def commands_in(text: str) -> Iterator[tuple[str, str, list[str]]]:
    """Yield each command of ours in a line of code: program, command, options."""
    for part in re.split(r"[|;&]|\$\(", text):
        if found := PROGRAM.search(part):
            program = found[0] if found[0] in {"manage.py", "squarefield"} else "engines"
            command, *rest = part[found.end():].split(" -- ")[0].split()
            yield program, command, OPTION.findall(" ".join(rest))


def code_of_pages() -> Iterator[tuple[str, str]]:
    """Yield every span and line of code, with the name of its page."""
    for page in TODAY:
        for text in code(page):
            yield name_of(page), text


class TestPages:
    @pytest.mark.slow
    def test_name_commands_and_options_that_exist(self) -> None:
        wrong = []
        for page, text in code_of_pages():
            for program, command, named in commands_in(text):
                known = options(program, command) if re.fullmatch(r"[a-z][a-z_-]*", command) else frozenset(named)
                if known is None or not known.issuperset(named):
                    wrong.append((page, text))
        assert wrong == []

    def test_name_settings_that_the_code_reads(self) -> None:
        named = {(name_of(page), name) for page in TODAY for name in SETTING.findall(page.read_text(encoding="utf-8"))}
        assert {each for each in named if each[1] not in SETTINGS | OF_THE_TESTS} == set()

    @pytest.mark.slow
    def test_name_addresses_that_the_site_has(self) -> None:
        unknown = []
        for page, text in code_of_pages():
            address = PLACEHOLDER.sub("1", METHOD.sub("", text).split("?")[0])
            if ADDRESS.fullmatch(address) and address.split("/")[1] in _first_segments() and not _resolves(address):
                unknown.append((page, text))
        assert unknown == []

    def test_name_files_that_exist(self) -> None:
        named = {(page, found.rstrip("/.")) for page, text in code_of_pages()
                 for found in FILE.findall(text.partition("::")[0])}
        assert {(page, name) for page, name in named if not (ROOT / name).exists() and not MADE.match(name)
                and not list(ROOT.glob(f"{name}*"))} == set()


@cache
def _first_segments() -> frozenset[str]:
    """Return the first part of each address of the site."""
    found = {"health"}
    waiting = list(get_resolver().url_patterns)
    for pattern in waiting:
        first = str(pattern.pattern).lstrip("^").split("/")[0]
        found.add(first)
        if not first:
            waiting += getattr(pattern, "url_patterns", ())
    return frozenset(found - {""})


@cache
def _resolves(address: str) -> bool:
    # The middleware answers these before any address is resolved.
    if address in {"/health/live", "/health/ready", "/health/1"}:
        return True
    for attempt in (address, f"{address}/", address.replace("/1", "/x"), re.sub(r"/1(?=/)", "/x", address, count=1)):
        try:
            resolve(attempt)
        except Resolver404:
            continue
        return True
    return False
