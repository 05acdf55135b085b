"""Detects which of the programming tools that bots are promised are installed on this machine."""

import re
import shutil
import subprocess
from dataclasses import dataclass
from typing import Final

from engines.sandbox.isolation.bubblewrap import PATH

# The arguments that make each tool print its version, and the Debian packages that provide it.
_TOOLS: Final = {
    "python3": (("--version",), "python3"),
    "numpy": (("-I", "-c", "import numpy; print(numpy.__version__)"), "python3-numpy"),
    "gcc": (("--version",), "gcc libc6-dev"),
    "g++": (("--version",), "g++"),
    "make": (("--version",), "make"),
    "cmake": (("--version",), "cmake"),
    "java": (("--version",), "default-jdk-headless"),
    "javac": (("--version",), "default-jdk-headless"),
    "node": (("--version",), "nodejs"),
}
# Other tools that bots may use. They are not promised; each site says which it has.
_MORE: Final = {
    **dict.fromkeys(("cargo", "clang", "ghc", "gnugo", "julia", "perl", "php", "ruby", "rustc"), ("--version",)),
    "go": ("version",), "lua5.4": ("-v",),
}
PROMISED: Final = frozenset(_TOOLS)
_LIBRARIES: Final = {"numpy": "python3"}
_NUMBER: Final = re.compile(r"\d+(\.\d+)+")
# How shells, env and make report a missing program, and Python a missing module.
_ABSENT: Final = r"(?<![\w+./-]){0}[’']?: (?:(?:command )?not found|No such file)"
_NO_MODULE: Final = "No module named '{0}'"


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that bots may use; `version` is "" if it is not installed."""

    name: str
    version: str
    package: str


def tools_here() -> list[Tool]:
    """Return every promised tool, in a fixed order, as found on the sandbox's PATH."""
    return [Tool(name, _version(_LIBRARIES.get(name, name), words), package)
            for name, (words, package) in _TOOLS.items()]


def versions_here(tools: list[Tool]) -> dict[str, str]:
    """Return the versions, by name, of the installed tools: promised ones, and others that a bot may use."""
    more = {name: _version(name, words) for name, words in _MORE.items()}
    return {tool.name: tool.version for tool in tools if tool.version} | {
        name: version for name, version in more.items() if version}


def tools_line(tools: list[Tool]) -> str:
    """Return the installed and missing tools as one line for a log."""
    here = ", ".join(f"{tool.name} {tool.version}" for tool in tools if tool.version) or "none"
    absent = [tool for tool in tools if not tool.version]
    if not absent:
        return here
    packages = dict.fromkeys(word for tool in absent for word in tool.package.split())
    return f"{here}; missing: {', '.join(tool.name for tool in absent)} (apt-get install {' '.join(packages)})"


def missing_tool(log: str) -> str:
    """Return a sentence if a log shows that a promised tool is not installed on this machine, otherwise ""."""
    for tool in tools_here() if any(_complains(log, name) for name in _TOOLS) else ():
        if not tool.version and _complains(log, tool.name):
            return f"this machine has no {tool.name}; its operator can install it: apt-get install {tool.package}"
    return ""


def _complains(log: str, name: str) -> bool:
    return bool(re.search(_ABSENT.format(re.escape(name)), log)) or _NO_MODULE.format(name) in log


def _version(program: str, words: tuple[str, ...]) -> str:
    path = shutil.which(program, path=PATH)
    if path is None:
        return ""
    done = subprocess.run([path, *words], env={"PATH": PATH, "LANG": "C.UTF-8"}, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=30, check=False)
    if done.returncode != 0:
        return ""
    number = _NUMBER.search(done.stdout)
    return number[0] if number else "installed"
