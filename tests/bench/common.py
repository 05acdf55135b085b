"""What several benchmarks need: options, sites on servers of their own, processor time, and rows."""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[2]
TICKS: Final = os.sysconf("SC_CLK_TCK")


# --- options and numbers --------------------------------------------------------------------------------------------


def parser_of(doc: str | None) -> argparse.ArgumentParser:
    """Return a parser whose help is the benchmark's docstring as it stands."""
    return argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)


def options_of(doc: str | None, **options: tuple[Any, str]) -> argparse.Namespace:
    """Return the options of the command line. Each is named by its default and its help.

    The default gives the type: False is a flag, a list takes several values, a tuple has the choices with the default
    first, and a type stands for None.
    """
    parser = parser_of(doc)
    for name, (default, text) in options.items():
        flag = f"--{name.replace('_', '-')}"
        if default is False:
            parser.add_argument(flag, action="store_true", help=text)
        elif isinstance(default, list):
            parser.add_argument(flag, type=type(default[0]), nargs="+", default=default, help=text)
        elif isinstance(default, tuple):
            parser.add_argument(flag, choices=default, default=default[0], help=text)
        elif isinstance(default, type):
            parser.add_argument(flag, type=default, help=text)
        else:
            said = f"{default:,}" if isinstance(default, int) else default
            parser.add_argument(flag, type=type(default), default=default, help=f"{text} (default {said})")
    return parser.parse_args()


def quantile(values: Sequence[float], share: float) -> float:
    """Return the value below which this share of the values lies; 0 without values."""
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else 0.0


# --- sites ----------------------------------------------------------------------------------------------------------


@dataclass
class Site:
    """A temporary directory, its servers if any, and the environment of a site that uses them."""

    scratch: Path
    server: Any
    redis: Any
    environment: dict[str, str]


@contextmanager
def servers(*, postgres: bool = True, redis: bool = True, scratch: Path | None = None,
            **variables: str) -> Iterator[Site]:
    """Start servers for a site, which has an SQLite database without `postgres`."""
    from tournaments.setup.embedded import EmbeddedRedis, TemporaryPostgres

    with ExitStack() as stack:
        place = (scratch or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sqf-")))).resolve()
        broker = stack.enter_context(EmbeddedRedis()) if redis else None
        server = stack.enter_context(TemporaryPostgres()) if postgres else None
        yield Site(place, server, broker, {
            "DJANGO_SETTINGS_MODULE": "tournaments.settings", "SQUAREFIELD_VAR": str(place),
            "SQUAREFIELD_SECRET_KEY": token_hex(), "SQUAREFIELD_NO_BOOTSTRAP": "1",
            "SQUAREFIELD_LOG_LEVEL": "WARNING", **({"REDIS_URL": broker.url} if broker else {}),
            **({"DATABASE_URL": server.url} if server else {}), **variables})


@contextmanager
def site(**options: Any) -> Iterator[Site]:
    """Configure Django for a site on new servers (the options of `servers`), and migrate its database."""
    with servers(**options) as made:
        os.environ |= made.environment
        import django
        from django.core.management import call_command
        from django.db import connection

        django.setup()
        call_command("migrate", verbosity=0, run_syncdb=True)
        try:
            yield made
        finally:
            connection.close()


def start(log: Path, *words: object, python: object = sys.executable, env: dict[str, str] | None = None,
          cwd: Path = ROOT) -> Any:
    """Start a Python program that ends with this process."""
    from tournaments.setup.bootstrap.children import Child, tied_to_parent

    child = Child(tied_to_parent([str(word) for word in (python, *words)]), log, env=env, cwd=cwd)
    child.start()
    return child


def python_with(requirements: str, directory: Path) -> Path:
    """Return a Python in a new environment with the packages of this lock."""
    uv, python = ROOT / ".venv-tools/bin/uv", directory / "bin/python"
    subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, directory], check=True)
    subprocess.run([uv, "pip", "sync", "--quiet", "--require-hashes", "--python", python, ROOT / requirements],
                   check=True)
    return python


# --- processes ------------------------------------------------------------------------------------------------------


def children_of(pid: int) -> list[int]:
    """Return the process IDs of its children; none if it has ended."""
    try:
        tasks = [(task / "children").read_text() for task in Path(f"/proc/{pid}/task").iterdir()]
    except (FileNotFoundError, ProcessLookupError):
        return []
    return [int(child) for children in tasks for child in children.split()]


def cpu(pid: int) -> float:
    """Return the CPU seconds of a process and its children, living and dead; 0 if it has ended."""
    return _times(pid, 11, 15) + sum(cpu(child) for child in children_of(pid))


def own_cpu(*pids: int) -> float:
    """Return the CPU seconds of these processes alone."""
    return sum(_times(pid, 11, 13) for pid in pids)


def _times(pid: int, first: int, end: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return sum(map(int, fields[first:end])) / TICKS


# --- rows -----------------------------------------------------------------------------------------------------------


def insert(cursor: Any, model: Any, rows: str, **columns: str) -> None:
    """Run INSERT … SELECT with these SQL expressions from `rows`; fields that are not named get their defaults.

    The n-th row of an empty table has the id n.
    """
    from django.db import connection

    expressions, parameters = {}, []
    for field in model._meta.concrete_fields:
        if field.name in columns:
            # A percent sign must reach the database as one.
            expressions[field.column] = columns[field.name].replace("%", "%%")
        elif not field.primary_key:
            expressions[field.column] = "%s"
            parameters.append(field.get_db_prep_save(None if field.null else field.get_default(), connection))
    names = ", ".join(f'"{name}"' for name in expressions)
    cursor.execute(f'INSERT INTO "{model._meta.db_table}" ({names}) SELECT {", ".join(expressions.values())} '
                   f"FROM {rows.replace('%', '%%')}", parameters)
