"""docs/reference/commands.md lists every command, once; metrics.md and security-log.md every metric and event."""

import re
from typing import Final

from django.core.management import get_commands

from engines.__main__ import COMMANDS as ENGINES
from tests.documentation.pages import ROOT
from tournaments.kit.main import COMMANDS as KIT
from tournaments.setup.bootstrap.environment import DEV_COMMANDS

REFERENCE: Final = ROOT / "docs" / "reference"
# Commands of Django and of its apps that an operator needs.
OF_OTHERS: Final = {"changepassword", "check", "clearsessions", "createsuperuser", "spectacular"}
OURS: Final = {"frontend", "ratings", "tournaments"}


def rows(page: str, pattern: str) -> list[str]:
    """Return what the pattern finds at the beginning of each row of the page's tables."""
    return re.findall(rf"^\| `{pattern}", (REFERENCE / page).read_text(encoding="utf-8"), re.MULTILINE)


class TestThePageOfCommands:
    def test_lists_each_command_of_manage_py_once(self):
        ours = {name for name, app in get_commands().items() if app in OURS} | DEV_COMMANDS
        assert sorted(rows("commands.md", r"manage\.py (\w+)")) == sorted(ours | OF_OTHERS)

    def test_lists_each_command_of_the_kit_once(self):
        assert sorted(rows("commands.md", r"squarefield (\w+)")) == sorted(KIT)

    def test_lists_each_command_of_the_engines_once(self):
        assert sorted(rows("commands.md", r"python3 -m squarefield\.rules (\w+)")) == sorted(ENGINES)


class TestThePageOfMetrics:
    def test_lists_each_metric_of_the_code_once(self):
        text = "".join(path.read_text() for path in (ROOT / "tournaments/operations/metrics.py",
                                                     ROOT / "tournaments/web/middleware.py"))
        named = set(re.findall(r'"(squarefield_\w+)"', text))
        counters = set(re.findall(r'CounterMetricFamily\(\s*"(squarefield_\w+)"', text))
        assert counters
        assert sorted(rows("metrics.md", r"(squarefield_\w+)")) == sorted(
            f"{name}_total" if name in counters else name for name in named)


class TestThePageOfTheSecurityLog:
    def test_lists_every_event_in_the_code(self):
        text = "".join(path.read_text() for part in ("frontend", "tournaments")
                       for path in (ROOT / part).rglob("*.py") if "second_factor" not in path.name)
        told = set(re.findall(r'(?<![\w.])tell\("([^"]+)"|(?:auth|account|second_factor)\.\w+, "([^"]+)"'
                              r'|event(?:: str)? ?= ?"([^"]+)"|\b(?:403|413|429): "([^"]+)"', text))
        page = (REFERENCE / "security-log.md").read_text(encoding="utf-8")
        events = {next(filter(None, found)) for found in told}
        assert len(events) > 15
        assert {event for event in events if f"`{event}`" not in page} == set()
