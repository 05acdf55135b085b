"""The files for people who clone the repository: the workflow, the templates, and the development container."""

import json
import re
import shlex
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from django.core.management import get_commands

from engines.rules.registry import RULESETS
from tests.documentation.pages import ROOT
from tests.documentation.test_names import FILE
from tournaments.setup.bootstrap import environment

GITHUB = ROOT / ".github"
FORMS = sorted(path for path in (GITHUB / "ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml")
# An action by the commit of a release, with the release's name for readers and for updates.
PINNED = re.compile(r"uses: [\w.-]+/[\w./-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+$")


@pytest.fixture(scope="module")
def workflow() -> dict[str, Any]:
    return yaml.safe_load((GITHUB / "workflows" / "ci.yml").read_text())


def commands(workflow: dict[str, Any]) -> Iterator[list[str]]:
    """Yield the words of each command that the workflow runs."""
    for job in workflow["jobs"].values():
        for step in job["steps"]:
            yield from (shlex.split(line) for line in step.get("run", "").splitlines())


class TestTheWorkflow:
    def test_runs_the_script_of_continuous_integration(self, workflow):
        ours = [words[0] for words in commands(workflow) if "/" in words[0]]
        assert ours == [".ci/run"]
        assert (ROOT / ".ci" / "run").stat().st_mode & 0o111

    def test_installs_what_the_script_expects(self, workflow):
        installed = next(words for words in commands(workflow) if words[:2] == ["apt-get", "install"])
        assert {"python3", "python3-pip"} <= set(installed)
        assert workflow["jobs"]["ci"]["container"]["image"] == "debian:bookworm"

    def test_names_each_action_by_a_commit(self):
        used = [line for line in (GITHUB / "workflows" / "ci.yml").read_text().splitlines() if "uses:" in line]
        assert used
        assert all(PINNED.search(line) for line in used)

    def test_may_only_read_and_uses_no_secret(self, workflow):
        text = (GITHUB / "workflows" / "ci.yml").read_text()
        assert workflow["permissions"] == {}
        assert [job["permissions"] for job in workflow["jobs"].values()] == [{"contents": "read"}]
        assert all(job["timeout-minutes"] for job in workflow["jobs"].values())
        for word in ("secrets.", "upload-artifact", "pull_request_target", "GITHUB_TOKEN"):
            assert word not in text


class TestTheTemplates:
    def test_name_files_that_exist(self):
        text = "".join(form.read_text() for form in FORMS).replace("../blob/main/", "")
        assert {name for name in FILE.findall(text) if not (ROOT / name.rstrip("/.")).exists()} == set()

    def test_offer_every_game(self):
        form = yaml.safe_load((GITHUB / "ISSUE_TEMPLATE" / "rules.yml").read_text())
        options = next(part["attributes"]["options"] for part in form["body"] if part["type"] == "dropdown")
        assert sorted(options) == sorted(ruleset.name for ruleset in RULESETS.values())


class TestTheDevelopmentContainer:
    def test_prepares_the_environment_on_what_the_script_expects(self):
        text = re.sub(r"^\s*//.*", "", (ROOT / ".devcontainer" / "devcontainer.json").read_text(), flags=re.MULTILINE)
        container = json.loads(text)
        python, script, command = shlex.split(container["postCreateCommand"])
        assert (python, script) == ("python3", "manage.py")
        # `version` is part of Django's utility itself.
        assert command in {"version", *get_commands(), *environment.DEV_COMMANDS}
        recipe = (ROOT / ".devcontainer" / container["build"]["dockerfile"]).read_text()
        assert recipe.split("FROM ")[1].startswith("debian:bookworm\n")
        assert {"bubblewrap", "python3", "python3-pip"} <= set(recipe.split())
