"""The tests and files cited on the pages on security and reliability exist."""

import ast
import re
from functools import cache
from pathlib import Path

from tests.tournaments.site import ROOT

PAGES = ("explanation/security", "explanation/reliability", "reference/asvs")
CODE = re.compile(r"`([^`\n]+)`")
# A file or directory of the repository, as opposed to a URL of the site, a setting or a command.
FILE = re.compile(r"(?:[\w.-]+/)*[\w-]+\.(?:py|md|js|txt|yml|yaml|toml|html)"
                  r"|(?:tests|docs|frontend|tournaments|engines)/[\w/.-]*")
# The requirements of OWASP ASVS 5.0, levels 1 and 2, except those that docs/reference/asvs.md leaves out.
POINTS = """
1.1.1–1.1.2, 1.2.1–1.2.5, 1.2.9, 1.3.1–1.3.7, 1.3.9–1.3.11, 1.4.1–1.4.3, 1.5.1–1.5.2, 2.1.1–2.1.3, 2.2.1–2.2.3,
2.3.1–2.3.4, 2.4.1, 3.2.1–3.2.2, 3.3.1–3.3.4, 3.4.1–3.4.6, 3.5.1–3.5.5, 3.7.1–3.7.2, 4.1.1–4.1.3, 4.2.1, 5.1.1,
5.2.1–5.2.3, 5.3.1–5.3.2, 5.4.1–5.4.3, 6.1.1–6.1.3, 6.2.1–6.2.12, 6.3.1–6.3.4, 6.4.1–6.4.4, 6.5.1–6.5.5,
6.6.1–6.6.3, 7.1.1–7.1.2, 7.2.1–7.2.4, 7.3.1–7.3.2, 7.4.1–7.4.5, 7.5.1–7.5.2, 8.1.1–8.1.2, 8.2.1–8.2.3, 8.3.1,
9.1.1–9.1.3, 9.2.1–9.2.4, 11.1.1–11.1.2, 11.2.1–11.2.3, 11.3.1–11.3.3, 11.4.1–11.4.4, 11.5.1, 11.6.1,
12.1.1–12.1.3, 12.2.1–12.2.2, 12.3.1–12.3.4, 13.1.1, 13.2.1–13.2.5, 13.3.1–13.3.2, 13.4.1–13.4.5, 14.1.1–14.1.2,
14.2.1–14.2.4, 14.3.1–14.3.3, 15.1.1–15.1.3, 15.2.1–15.2.3, 15.3.1–15.3.7, 16.1.1, 16.2.1–16.2.5, 16.3.1–16.3.4,
16.4.1–16.4.3, 16.5.1–16.5.3
"""


def text_of(page: str) -> str:
    return (ROOT / "docs" / f"{page}.md").read_text()


@cache
def files() -> frozenset[str]:
    """Return the paths, from the root, of all files and directories that may be cited."""
    roots = ("docs", "engines", "frontend", "ratings", "requirements", "tests", "tournaments")
    found = [path for root in roots for path in (ROOT / root).rglob("*") if "__pycache__" not in path.parts]
    return frozenset(str(path.relative_to(ROOT)) for path in [*found, *ROOT.iterdir()])


def cited(page: str) -> list[tuple[str, str]]:
    """Return the files and directories in backticks, each with the name after `::` or ""."""
    made = []
    for code in CODE.findall(text_of(page)):
        place, _, name = code.split(" ")[0].partition("::")
        if FILE.fullmatch(place):
            made.append((place.rstrip("/"), name))
    return made


def places(cited_as: str) -> list[str]:
    """Return the files that match: a path from the root, or the end of one."""
    if cited_as in files():
        return [cited_as]
    return [path for path in files() if path.endswith(f"/{cited_as}")]


def names_in(path: str) -> set[str]:
    return {f"{outer.name}::{inner.name}" for outer in ast.walk(_parsed(path)) if isinstance(outer, ast.ClassDef)
            for inner in outer.body if isinstance(inner, ast.FunctionDef)} | {
        node.name for node in ast.walk(_parsed(path)) if isinstance(node, ast.ClassDef | ast.FunctionDef)}


def _parsed(path: str) -> ast.Module:
    return ast.parse((ROOT / path).read_text())


class TestAPage:
    def test_cites_existing_files_classes_and_functions(self) -> None:
        for page in PAGES:
            assert [place for place, _ in cited(page) if not places(place)] == []
            assert [(place, name) for place, name in cited(page)
                    if name and not any(name in names_in(path) for path in places(place))] == []
            assert len(cited(page)) > 10

    def test_names_every_security_test(self) -> None:
        """Without this, a reader of the pages would miss a guarantee."""
        tests = {path.name for path in (ROOT / "tests" / "security").glob("test_*.py")} - {Path(__file__).name}
        assert tests - {Path(place).name for page in PAGES for place, _ in cited(page)} == set()


class TestTheTableOfRequirements:
    def test_says_in_every_row_how_it_is_met_or_that_it_is_open(self) -> None:
        rows = re.findall(r"^\| (\d+\.\d+[^|]*)\|([^|]*)\|([^|]*)\|$", text_of("reference/asvs"), re.MULTILINE)
        assert len(rows) > 80
        assert [point for point, how, _ in rows if not how.strip()] == []

    def test_has_each_requirement_once(self) -> None:
        rows = re.findall(r"^\| (\d+\.\d+[^|]*)\|", text_of("reference/asvs"), re.MULTILINE)
        points = [point for row in rows for point in _points(row)]
        assert sorted({point for point in points if points.count(point) > 1}) == []
        assert set(points) == set(_points(POINTS))
        assert _points("1.1.1–1.1.3, 2.3.4 words of 3.3") == ["1.1.1", "1.1.2", "1.1.3", "2.3.4"]


def _points(row: str) -> list[str]:
    made = []
    for first, last in re.findall(r"(\d+\.\d+\.\d+)(?:–(\d+\.\d+\.\d+))?", row):
        chapter, _, number = first.rpartition(".")
        end = int(last.rpartition(".")[2]) if last else int(number)
        assert not last or last.rpartition(".")[0] == chapter, f"{first}–{last} spans two sections"
        made += [f"{chapter}.{value}" for value in range(int(number), end + 1)]
    return made
