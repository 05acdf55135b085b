"""Plant small faults in a clone of the project: `a < b` becomes `a <= b`, the value of a call becomes None, and so on.

A planted fault is dormant. `a < b` becomes `((a <= b) if _fault(7) else (a < b))`, so that one run of the tests notes
which test reaches which fault (runtime.py), and each fault can later be switched on alone (judge.py).
"""

import ast
import copy
import json
import shutil
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

PACKAGES = ("engines", "ratings", "tournaments", "frontend")
# Code that runs in no process of the tests: bots, templates, migrations, and the preparation of the environment.
LEFT_OUT = ("/migrations/", "engines/bots/", "tournaments/kit/templates/", "tournaments/setup/bootstrap/")
COMPARED = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
            ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is}
COMPUTED = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
            ast.Mod: ast.Mult}
JOINED = {ast.And: ast.Or, ast.Or: ast.And}
# Lines between two faults of a file, so that they are in different places.
APART = 12


def plant(clone: Path, faults: list[dict[str, Any]]) -> None:
    """Write the faults into the sources of a clone, and the runtime into its environment."""
    by_file = defaultdict(list)
    for fault in faults:
        by_file[fault["file"]].append(fault)
    for name, those in by_file.items():
        rows = (clone / name).read_bytes().split(b"\n")
        # From the last to the first, so that positions stay valid.
        for fault in sorted(those, key=lambda fault: (fault["line"], fault["column"]), reverse=True):
            first, last = fault["line"] - 1, fault["end"][0] - 1
            switch = f"__import__('builtins').__dict__.get('_fault', {{}}.get)({fault['number']})"
            rows[last] = rows[last][:fault["end"][1]] + b"))" + rows[last][fault["end"][1]:]
            rows[first] = (rows[first][:fault["column"]] + f"(({fault['new']}) if {switch} else (".encode()
                           + rows[first][fault["column"]:])
        ast.parse(b"\n".join(rows))
        (clone / name).write_bytes(b"\n".join(rows))
    (clone / "faults.json").write_text(json.dumps(faults, indent=1))
    site = next((clone / ".venv/lib").glob("python3*/site-packages"))
    shutil.copy(Path(__file__).with_name("runtime.py"), site / "faults_runtime.py")
    shutil.copy(Path(__file__).with_name("plugin.py"), site / "faults_plugin.py")
    (site / "faults_runtime.pth").write_text("import faults_runtime\n")


def choose(clone: Path, count: int, seed: int) -> list[dict[str, Any]]:
    """Return faults, spread over the packages by their lines."""
    chance, lines, found = Random(seed), defaultdict(int), defaultdict(list)
    for package in PACKAGES:
        for path in sorted((clone / package).rglob("*.py")):
            name, text = str(path.relative_to(clone)), path.read_text(encoding="utf-8")
            if not any(part in name for part in LEFT_OUT):
                lines[package] += text.count("\n")
                found[package] += [_fault(name, text, node, other) for node, other in _offers(ast.parse(text))]
    faults: list[dict[str, Any]] = []
    for package in PACKAGES:
        taken: list[dict[str, Any]] = []
        for fault in chance.sample(found[package], len(found[package])):
            near = any(one["file"] == fault["file"] and abs(one["line"] - fault["line"]) < APART for one in taken)
            if len(taken) < round(count * lines[package] / sum(lines.values())) and not near:
                taken.append(fault)
        faults += taken
    return [{"number": number, **fault} for number, fault in enumerate(faults, 1)]


def _fault(name: str, text: str, node: ast.expr, other: ast.expr) -> dict[str, Any]:
    return {"file": name, "line": node.lineno, "column": node.col_offset, "end": [node.end_lineno, node.end_col_offset],
            "old": ast.get_source_segment(text, node), "new": ast.unparse(other)}


def _offers(tree: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield (expression, faulty copy) in the bodies of functions, except cached ones, which one test calls for all."""
    def walk(node: ast.AST, parent: ast.AST | None, *, inside: bool) -> Iterator[tuple[ast.expr, ast.expr]]:
        if inside and isinstance(node, ast.expr) and (other := _changed(node, parent)) is not None:
            yield node, other
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "returns", "decorator_list", "args") and not isinstance(node, ast.Call):
                continue
            for child in value if isinstance(value, list) else [value]:
                # The parts of f-strings have no positions before Python 3.12.
                if not isinstance(child, ast.AST) or isinstance(child, ast.JoinedStr | ast.match_case):
                    continue
                function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
                if function and any("cache" in ast.dump(decorator) for decorator in child.decorator_list):
                    continue
                body = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and field == "body"
                yield from walk(child, node, inside=inside or body)

    return walk(tree, None, inside=False)


def _changed(node: ast.expr, parent: ast.AST | None) -> ast.expr | None:
    """Return a faulty copy of an expression, or None if it offers no fault."""
    other = copy.deepcopy(node)
    match other:
        case ast.Compare(ops=[op]) if type(op) in COMPARED:
            other.ops = [COMPARED[type(op)]()]
        case ast.BoolOp():
            other.op = JOINED[type(other.op)]()
        case ast.BinOp() if type(other.op) in COMPUTED:
            other.op = COMPUTED[type(other.op)]()
        case ast.UnaryOp(op=ast.Not()):
            other = other.operand
        case ast.Constant(value=bool()):
            other = ast.Constant(not other.value)
        case ast.Constant(value=int()):
            other = ast.Constant(other.value + 1)
        case _ if isinstance(parent, ast.If | ast.IfExp | ast.While) and parent.test is node:
            other = ast.UnaryOp(ast.Not(), other)
        case _ if isinstance(parent, ast.Expr) and isinstance(node, ast.Call):
            other = ast.Constant(None)
        case _ if isinstance(parent, ast.Return) and not isinstance(node, ast.Constant):
            other = ast.Constant(None)
        case _:
            return None
    return other
