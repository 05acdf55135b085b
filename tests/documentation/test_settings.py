"""docs/reference/settings.md lists every variable that the product reads from the environment, with its default."""

import ast
import re
from collections.abc import Iterator
from typing import Final

import pytest

from engines.sandbox.isolation import slots
from engines.sandbox.staging import cache
from engines.version import VERSION
from tests.documentation.pages import ROOT
from tournaments.setup.bootstrap import restarts

PAGE: Final = ROOT / "docs" / "reference" / "settings.md"
SOURCES: Final = [ROOT / "tournaments" / "settings.py", *sorted((ROOT / "tournaments" / "policy").glob("*.py"))]
ROW: Final = re.compile(r"^\| `(\w+)` \| ([^|]*) \|", re.MULTILINE)
READ: Final = re.compile(r"env(\.[a-z_]+)?")
NAME: Final = re.compile(r"SQUAREFIELD_[A-Z_]*[A-Z]|DATABASE_URL|REDIS_URL|EMAIL_URL")
# Defaults that an expression computes, as the page words them.
COMPUTED: Final = {
    "DATABASE_URL": "SQLite in `SQUAREFIELD_VAR`",
    "SQUAREFIELD_VAR": "`var` in the checkout",
    "SQUAREFIELD_ARCHIVES": "`archives` in `SQUAREFIELD_VAR`",
    "SQUAREFIELD_HOSTS": "`SQUAREFIELD_DOMAIN`, `localhost`, `127.0.0.1`, `[::1]`",
    "SQUAREFIELD_ORIGINS": "`https://` and `SQUAREFIELD_DOMAIN`, or none",
    "SQUAREFIELD_TLS": "on with `SQUAREFIELD_DOMAIN`, else off",
    "SQUAREFIELD_BASE_URL": "`https://` and `SQUAREFIELD_DOMAIN`, or `http://127.0.0.1:8000`",
    "SQUAREFIELD_PROXIES": "1 with `SQUAREFIELD_TLS`, else 0",
    "SQUAREFIELD_VERSION": f"`{VERSION}`",
    "SQUAREFIELD_WEBHOOK_HTTP": "the value of `SQUAREFIELD_DEBUG`",
}
# Defaults outside the settings, and those for which the code does more than take a value.
ELSEWHERE: Final = {
    "SQUAREFIELD_SECRET_KEY": "made in `SQUAREFIELD_VAR`", "SQUAREFIELD_PUSH_KEY": "made in `SQUAREFIELD_VAR`",
    slots.BASE_VARIABLE: str(slots.DEFAULT_BASE),
    cache.LIMIT_VARIABLE: str(cache.DEFAULT_LIMIT),
    restarts.VARIABLE: f"{restarts.DEFAULT_SECONDS:g}",
    "SQUAREFIELD_SITE": "none", "SQUAREFIELD_TOKEN": "none", "SQUAREFIELD_NO_BOOTSTRAP": "none",
}
# Variables of docker-compose.yml itself, with their defaults there; 0 is no limit.
COMPOSE: Final = {name: "none" if default == "0" else f"`{default}`" for name, default in re.findall(
    r"\$\{(\w+):-([^}]*)\}", (ROOT / "docker-compose.yml").read_text()) if name not in
    {"SQUAREFIELD_PROXIES", "SQUAREFIELD_LOG_FORMAT"}}
# Only `manage.py selftest` sets these, for the tests.
OF_THE_TESTS: Final = {"SQUAREFIELD_SKIPS", "SQUAREFIELD_FAULTS_SEED", "SQUAREFIELD_COSTS", "SQUAREFIELD_EXAMPLES"}


def defaults() -> dict[str, str]:
    """Return the defaults in the settings as the page shows them."""
    return {name: shown(name, default) for source in SOURCES for name, default in calls(ast.parse(source.read_text()))}


def calls(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Yield each variable that `env(…)`, `env.int(…)` and so on read, with the expression of its default."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and READ.fullmatch(ast.unparse(node.func)):
            name = node.args[0]
            assert isinstance(name, ast.Constant), ast.unparse(node)
            yield str(name.value), next(word.value for word in node.keywords if word.arg == "default")


def shown(name: str, default: ast.expr) -> str:
    if name in COMPUTED:
        return COMPUTED[name]
    value = eval(compile(ast.Expression(default), name, "eval"), {})  # noqa: S307 - our own settings
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, int | float):
        return f"{value:g}" if isinstance(value, float) else str(value)
    text = ",".join(value) if isinstance(value, list) else value
    return f"`{text}`" if text else "none"


def names_in_the_code() -> set[str]:
    """Return every variable of ours that a string constant of the product names in full."""
    files = [ROOT / "manage.py", *(path for part in ("engines", "frontend", "ratings", "tournaments")
                                   for path in (ROOT / part).rglob("*.py"))]
    # Parsing is dear, and few files name a variable.
    texts = [text for text in (path.read_text() for path in files) if NAME.search(text)]
    return {node.value for text in texts for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and NAME.fullmatch(node.value)}


@pytest.fixture(scope="module")
def rows() -> list[tuple[str, str]]:
    return ROW.findall(PAGE.read_text(encoding="utf-8"))


class TestThePageOfSettings:
    def test_has_each_variable_once(self, rows):
        names = [name for name, _ in rows]
        assert sorted(names) == sorted(set(names))

    def test_has_every_variable_that_the_code_names_and_no_other(self, rows):
        expected = names_in_the_code() - OF_THE_TESTS | set(COMPOSE)
        assert {name for name, _ in rows} == expected

    def test_shows_the_defaults_of_the_code(self, rows):
        assert dict(rows) == defaults() | ELSEWHERE | COMPOSE

    def test_names_every_variable_of_the_compose_file(self):
        text = PAGE.read_text(encoding="utf-8")
        used = re.findall(r"\$\{(\w+)", (ROOT / "docker-compose.yml").read_text())
        assert {name for name in used if f"`{name}`" not in text} == set()
