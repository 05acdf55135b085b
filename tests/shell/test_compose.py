"""docker-compose.yml: valid by the specification, and consistent with the other commands, limits and settings."""

import json
import re
from pathlib import Path

import jsonschema
import pytest
import yaml
from django.core.management import get_commands

from tournaments.setup.bootstrap.processes import PREPARATIONS, SERVICES

ROOT = Path(__file__).resolve().parents[2]
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SITE = {**PREPARATIONS, **SERVICES}


def environment_names(service: str) -> set[str]:
    return set(COMPOSE["services"][service]["environment"])


class TestCompose:
    def test_is_valid_by_the_specification(self) -> None:
        schema = json.loads((ROOT / "tests" / "data" / "compose-spec.json").read_text())
        jsonschema.Draft201909Validator(schema).validate(COMPOSE)

    def test_runs_the_site_and_its_two_servers(self) -> None:
        assert COMPOSE["services"].keys() == {*SITE, "postgres", "redis"}

    @pytest.mark.parametrize("service", SITE)
    def test_starts_the_same_commands_as_the_demo_and_the_tests(self, service: str) -> None:
        words = COMPOSE["services"][service]["command"]
        assert tuple(words[:2]) == ("python", "manage.py")
        assert tuple(words[2 : 2 + len(SITE[service])]) == SITE[service]
        assert SITE[service][0] in get_commands()

    @pytest.mark.parametrize("service", SITE)
    def test_gives_each_service_a_reaper_and_no_capabilities(self, service: str) -> None:
        part = COMPOSE["services"][service]
        assert part["cap_drop"] == ["ALL"]
        assert "no-new-privileges:true" in part["security_opt"]
        assert part["init"] is True
        assert "privileged" not in part

    def test_gives_the_worker_the_permissions_for_sandboxes(self) -> None:
        options = dict(re.split("[=:]", option, maxsplit=1) for option in COMPOSE["services"]["worker"]["security_opt"])
        assert options["systempaths"] == "unconfined"
        assert (ROOT / options["seccomp"]).is_file()

    def test_checks_the_workers_health_by_its_name(self) -> None:
        worker = COMPOSE["services"]["worker"]
        name = worker["environment"]["SQUAREFIELD_WORKER_NAME"]
        assert f"--destination {name}@$$HOSTNAME" in worker["healthcheck"]["test"][1]

    def test_checks_that_the_site_is_ready(self) -> None:
        assert "/health/ready" in COMPOSE["services"]["web"]["healthcheck"]["test"][-1]

    def test_allows_several_workers(self) -> None:
        worker = COMPOSE["services"]["worker"]
        assert not {"container_name", "ports", "hostname"} & worker.keys()

    @pytest.mark.parametrize("service", sorted(COMPOSE["services"].keys() - {"migrate"}))
    def test_restarts_services_that_end(self, service: str) -> None:
        assert COMPOSE["services"][service]["restart"] == "unless-stopped"

    def test_waits_only_for_services_with_a_health_check(self) -> None:
        services = COMPOSE["services"]
        waits = [wait for service in services.values() for wait in service.get("depends_on", {}).items()]
        healthy = [name for name, wait in waits if wait["condition"] == "service_healthy"]
        assert healthy
        assert all("healthcheck" in services[name] for name in healthy)

    def test_reads_every_secret_from_the_environment(self) -> None:
        text = (ROOT / "docker-compose.yml").read_text()
        secrets = re.findall(r"(?:SECRET_KEY|PASSWORD): (.*)", text)
        assert secrets
        assert all(re.fullmatch(r"\$\{[A-Z_]+:\?[^}]+\}", secret) for secret in secrets)

    @pytest.mark.parametrize("service", SITE)
    def test_sets_only_variables_that_the_settings_read(self, service: str) -> None:
        files = [ROOT / "tournaments" / "settings.py", *(ROOT / "tournaments" / "policy").glob("*.py")]
        settings = "".join(file.read_text() for file in files)
        assert {name for name in environment_names(service) if f'"{name}"' not in settings} == set()

    def test_persists_redis_data(self) -> None:
        words = COMPOSE["services"]["redis"]["command"]
        assert words[words.index("--appendonly") + 1] == "yes"


class TestDockerfile:
    TEXT = (ROOT / "Dockerfile").read_text()

    def test_installs_the_lock_with_its_hashes(self) -> None:
        assert "--require-hashes -r requirements/run.txt" in self.TEXT

    def test_does_not_run_as_root(self) -> None:
        assert re.findall(r"^USER (\S+)", self.TEXT, re.MULTILINE)[-1] == "squarefield"

    def test_starts_the_web_server_by_default(self) -> None:
        command = json.loads(re.findall(r"^CMD (.*)", self.TEXT, re.MULTILINE)[-1])
        assert command == COMPOSE["services"]["web"]["command"]

    def test_copies_every_package_and_document_of_the_site(self) -> None:
        allowed = set(re.findall(r"^!(\S+)", (ROOT / ".dockerignore").read_text(), re.MULTILINE))
        packages = {path.parent.name for path in ROOT.glob("*/__init__.py")}
        assert packages | {"manage.py", "requirements/run.txt", "docs"} == allowed
