"""Pages about the Python library `squarefield`, as Markdown, made from its docstrings.

A page describes the public names of one module: those in its `__all__`, or else all names without an underscore that it
defines. Signatures are quoted from the source, so that defaults and types read as the authors wrote them.
"""

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any, Final

# A signature longer than this gets a line for each parameter.
_WIDEST: Final = 88
_DECORATORS: Final = {"property", "classmethod", "staticmethod", "cached_property", "functools.cached_property"}


def page(module: ModuleType, title: str) -> str:
    """Return the page of a module."""
    parts = [f"# {title}", _prose(inspect.getdoc(module) or "")]
    for name, value in public(module):
        parts += _entry(name, value, module)
    return "\n\n".join(filter(None, parts)) + "\n"


def public(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """Yield the public names of a module that are no modules themselves, in the order in which it lists them."""
    own = [node.name for node in ast.parse(inspect.getsource(module)).body
           if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)]
    for name in getattr(module, "__all__", own):
        value = getattr(module, name)
        if not name.startswith("_") and not isinstance(value, ModuleType):
            yield name, value


def members(of: type) -> dict[str, Any]:
    """Return the public methods and properties of a class by name, with those of its own base classes."""
    bases = [base for base in of.__mro__ if base.__module__.split(".")[0] == of.__module__.split(".")[0]]
    found: dict[str, Any] = {}
    for base in bases:
        for name, value in vars(base).items():
            if not name.startswith("_") and name not in found and _function(value) is not None:
                found[name] = value
    return found


def _entry(name: str, value: Any, module: ModuleType) -> list[str]:
    if isinstance(value, type):
        made = vars(value).get("__init__")
        return [f"## {name}", _code(_class(value)), _prose(inspect.getdoc(value) or ""),
                _prose(made.__doc__ or "") if _is_written(made) else "", *_methods(value)]
    if callable(value) and (function := _function(value)) is not None:
        return [f"## {name}", _code(_signature(function, name)), _prose(inspect.getdoc(value) or "")]
    return [f"## {name}", *_constant(name, module)]


def _methods(of: type) -> Iterator[str]:
    for name, value in members(of).items():
        function = _function(value)
        assert function is not None, name
        yield f"### {of.__name__}.{name}"
        yield _code(_signature(function, name))
        yield _prose(inspect.getdoc(getattr(of, name, None)) or inspect.getdoc(function) or "")


def _function(value: Any) -> FunctionType | None:
    """Return the function behind a method, a property or a decorated function; None for other values."""
    value = getattr(value, "fget", None) or getattr(value, "func", None) or getattr(value, "__func__", value)
    value = inspect.unwrap(value) if callable(value) else value
    return value if isinstance(value, FunctionType) and value.__module__ != "typing" else None


def _signature(function: FunctionType, name: str) -> str:
    node = _parsed(function)
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef), name
    decorators = [f"@{text}\n" for text in map(ast.unparse, node.decorator_list) if text in _DECORATORS]
    arguments = node.args
    if arguments.args and arguments.args[0].arg in {"self", "cls"}:
        del arguments.args[0]
    for argument in ast.walk(arguments):
        if isinstance(argument, ast.arg):
            argument.annotation = _unquoted(argument.annotation)
    returns = f" -> {ast.unparse(returned)}" if (returned := _unquoted(node.returns)) else ""
    parts = _split(arguments)
    line = f"def {name}({', '.join(parts)}){returns}"
    if len(line) > _WIDEST:
        each = "".join(f"    {part},\n" for part in parts)
        line = f"def {name}(\n{each}){returns}"
    return "".join(decorators) + line


def _unquoted(annotation: ast.expr | None) -> ast.expr | None:
    """Return a type without the quotes that it needs inside its own class."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return ast.Name(annotation.value)
    return annotation


def _split(arguments: ast.arguments) -> list[str]:
    """Return each parameter with its type and default, and the signs `/` and `*` between them."""
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults = [*[None] * (len(plain) - len(arguments.defaults)), *arguments.defaults]
    found = [_parameter(*each) for each in zip(plain, defaults, strict=True)]
    if arguments.posonlyargs:
        found.insert(len(arguments.posonlyargs), "/")
    if arguments.vararg:
        found.append(f"*{ast.unparse(arguments.vararg)}")
    elif arguments.kwonlyargs:
        found.append("*")
    found += [_parameter(*each) for each in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
    return [*found, *([f"**{ast.unparse(arguments.kwarg)}"] if arguments.kwarg else [])]


def _parameter(argument: ast.arg, default: ast.expr | None) -> str:
    equals = " = " if argument.annotation else "="
    return ast.unparse(argument) + (f"{equals}{ast.unparse(default)}" if default else "")


def _class(of: type) -> str:
    """Return the head of a class, and its fields or members with their comments."""
    node = _parsed(of)
    assert isinstance(node, ast.ClassDef)
    bases = [ast.unparse(base) for base in node.bases]
    lines = textwrap.dedent(inspect.getsource(of)).splitlines()
    head = f"class {of.__name__}" + (f"({', '.join(bases)})" if bases else "")
    body, made = list(_fields(node, lines)), vars(of).get("__init__")
    if _is_written(made):
        body.append(textwrap.indent(_signature(made, "__init__"), "    "))
    return "\n".join([f"{head}:" if body else head, *body])


def _is_written(function: Any) -> bool:
    """Return whether it is a function in a file, and not one that `dataclass` has made."""
    return isinstance(function, FunctionType) and not function.__code__.co_filename.startswith("<")


def _fields(node: ast.ClassDef, lines: list[str]) -> Iterator[str]:
    for each in node.body:
        if isinstance(each, ast.AnnAssign | ast.Assign) and each.end_lineno is not None:
            target = each.target if isinstance(each, ast.AnnAssign) else each.targets[0]
            if isinstance(target, ast.Name) and not target.id.startswith("_"):
                yield from _with_comment(lines, each.lineno, each.end_lineno)


def _with_comment(lines: list[str], first: int, last: int) -> Iterator[str]:
    """Yield these lines, counted from 1, and the comment above them."""
    start = first - 1
    while start and lines[start - 1].lstrip().startswith("#"):
        start -= 1
    yield from (re.sub(r"\s*# (?:noqa|type: ignore).*", "", line) for line in lines[start:last])


def _constant(name: str, module: ModuleType) -> list[str]:
    """Return the source of a constant with its comment, from the module that defines it."""
    source = inspect.getsource(module)
    lines, tree = source.splitlines(), ast.parse(source)
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == name for target in targets) and node.end_lineno:
            return [_code("\n".join(_with_comment(lines, node.lineno, node.end_lineno)))]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and name in {each.name for each in node.names}:
            return _constant(name, import_module(node.module))
    raise LookupError(f"{module.__name__} does not define {name}")


def _parsed(value: Any) -> ast.stmt:
    return ast.parse(textwrap.dedent(inspect.getsource(value))).body[0]


def _code(text: str) -> str:
    return f"```py\n{text}\n```"


def _prose(docstring: str) -> str:
    """Return a docstring as Markdown: each example becomes a block of code."""
    parts: list[str] = []
    for part in re.split(r"\n\s*\n", docstring.strip()):
        before, mark, example = part.partition(">>> ") if not part.startswith(">>> ") else ("", ">>> ", part[4:])
        parts.append(before.rstrip())
        if mark:
            parts.append(f"```pycon\n{textwrap.dedent(mark + example)}\n```")
    return "\n\n".join(filter(None, parts))
