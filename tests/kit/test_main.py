"""The command `squarefield` itself, before one of its commands runs."""

import sys

import pytest

from engines.version import VERSION
from tests.kit.commands import run
from tournaments.kit.main import COMMANDS


class TestSquarefield:
    def test_says_its_version(self):
        assert run("--version") == (0, f"squarefield {VERSION}\n", "")

    @pytest.mark.parametrize("name", COMMANDS)
    def test_says_that_a_command_cannot_run_on_windows(self, monkeypatch, name):
        module = COMMANDS[name].module

        def load(asked):
            assert asked == module
            raise ModuleNotFoundError("No module named 'fcntl'", name="fcntl")

        monkeypatch.setattr("engines.cli.import_module", load)
        with pytest.raises(ModuleNotFoundError):
            run(name)
        monkeypatch.setattr(sys, "platform", "win32")
        assert run(name, "--help") == (
            2, "", f"squarefield {name} cannot run on win32, because it needs Linux: on Windows, use WSL\n")
