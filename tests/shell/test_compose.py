"""docker-compose.yml: valid by the specification, and consistent with the other commands, limits and settings."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import jsonschema
import pytest
import yaml
from django.core.management import get_commands

from tests.documentation.test_settings import COMPOSE as OF_COMPOSE
from tests.documentation.test_settings import PAGE, ROW
from tournaments.setup.bootstrap.processes import PREPARATIONS, SERVICES

ROOT = Path(__file__).resolve().parents[2]
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
PARTS = COMPOSE["services"]
SITE = {**PREPARATIONS, **SERVICES}
OURS = [*SITE, "roles"]
ONCE = {"migrate", "roles"}
# Set by the image, by `depends_on` another variable, or read by commands outside the containers.
NOT_PASSED_ON = {"SQUAREFIELD_VAR", "SQUAREFIELD_ARCHIVES", "SQUAREFIELD_NO_BOOTSTRAP", "SQUAREFIELD_SITE",
                 "SQUAREFIELD_TOKEN", *OF_COMPOSE}


def environment_of(service: str) -> dict[str, str | None]:
    """Return the variables of a service, without the suffix of those in files."""
    return {name.removesuffix("_FILE") if str(value).startswith("/run/secrets/") else name: value
            for name, value in PARTS[service]["environment"].items()}


class TestCompose:
    def test_is_valid_by_the_specification(self) -> None:
        schema = json.loads((ROOT / "tests" / "data" / "compose-spec.json").read_text())
        jsonschema.Draft201909Validator(schema).validate(COMPOSE)

    @pytest.mark.skipif(shutil.which("docker-compose") is None, reason="needs a container engine's Compose")
    def test_is_accepted_by_version_1_of_compose(self) -> None:
        done = subprocess.run(["docker-compose", "config", "--quiet"], cwd=ROOT, capture_output=True, text=True,
                              check=False)
        assert (done.returncode, done.stderr) == (0, "")

    def test_runs_the_site_its_servers_and_a_proxy(self) -> None:
        assert PARTS.keys() == {*OURS, "caddy", "postgres", "pgbouncer", "redis"}

    def test_starts_the_same_commands_as_the_demo_and_the_tests(self) -> None:
        for service, command in SITE.items():
            words = PARTS[service]["command"]
            assert tuple(words[:2 + len(command)]) == ("python", "manage.py", *command)
            assert command[0] in get_commands()

    def test_gives_each_service_a_reaper_and_no_new_privileges(self) -> None:
        for service in OURS:
            part = PARTS[service]
            assert (part["cap_drop"], part["init"], "privileged" in part) == (["ALL"], True, False), service
            assert "no-new-privileges:true" in part["security_opt"], service

    def test_gives_capabilities_only_to_the_worker_and_to_the_proxy(self) -> None:
        added = {service: part["cap_add"] for service, part in PARTS.items() if "cap_add" in part}
        assert added == {"worker": ["SETUID", "SETGID", "KILL"], "caddy": ["NET_BIND_SERVICE"]}

    def test_runs_only_the_worker_as_root_with_the_group_of_the_site(self) -> None:
        assert PARTS["worker"]["user"] == "0:1000"
        assert all("user" not in PARTS[service] for service in OURS if service != "worker")

    def test_gives_the_worker_the_permissions_for_sandboxes(self) -> None:
        options = dict(re.split("[=:]", option, maxsplit=1) for option in PARTS["worker"]["security_opt"]
                       if not option.startswith("$"))
        assert options["systempaths"] == "unconfined"
        assert (ROOT / options["seccomp"]).is_file()
        assert "${SQUAREFIELD_WORKER_CGROUPS:-writable-cgroups=true}" in PARTS["worker"]["security_opt"]

    def test_shows_archives_to_the_worker_without_letting_it_change_them(self) -> None:
        volumes = {volume.split(":")[0]: volume.split(":")[2:] for volume in PARTS["worker"]["volumes"]}
        assert volumes == {"bots": ["ro"], "builds": []}

    def test_lets_a_worker_reach_only_the_database_and_the_broker(self) -> None:
        beside = {name for name, part in PARTS.items()
                  if {"workers"} & set(part.get("networks", [])) and name != "worker"}
        assert PARTS["worker"]["networks"] == ["workers"]
        assert beside == {"postgres", "pgbouncer", "redis"}
        assert COMPOSE["networks"]["workers"]["internal"] is True

    def test_publishes_only_the_ports_of_the_proxy(self) -> None:
        assert [name for name, part in PARTS.items() if "ports" in part] == ["caddy"]

    def test_allows_several_workers(self) -> None:
        assert not {"container_name", "ports", "hostname"} & PARTS["worker"].keys()

    def test_restarts_services_that_end_and_checks_their_health_without_python(self) -> None:
        for service in PARTS.keys() - ONCE:
            assert PARTS[service]["restart"] == "unless-stopped"
            words = " ".join(PARTS[service]["healthcheck"]["test"])
            assert words
            assert not re.search(r"python|celery|manage\.py", words), service

    def test_limits_memory(self) -> None:
        assert [service for service, part in PARTS.items() if "mem_limit" not in part] == []

    def test_waits_only_for_services_with_a_health_check_or_an_end(self) -> None:
        waits = [wait for part in PARTS.values() for wait in part.get("depends_on", {}).items()]
        assert {name for name, wait in waits if wait["condition"] == "service_healthy"} <= PARTS.keys() - ONCE
        assert {name for name, wait in waits if wait["condition"] != "service_healthy"} <= ONCE

    def test_persists_redis_data_and_gives_its_users_rights(self) -> None:
        words = PARTS["redis"]["command"]
        assert words[words.index("--appendonly") + 1] == "yes"
        assert words[words.index("--aclfile") + 1] == "/run/secrets/redis_acl"


class TestSettingsInCompose:
    def test_are_those_of_the_page_of_settings(self) -> None:
        wanted = {name for name, _ in ROW.findall(PAGE.read_text(encoding="utf-8"))} - NOT_PASSED_ON
        for service in OURS:
            without = {"REDIS_URL"} if service in ONCE else set()
            assert environment_of(service).keys() - {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"} == wanted - without

    def test_contain_no_secret(self) -> None:
        secret = re.compile("SQUAREFIELD_(SECRET_KEY|METRICS_TOKEN|PUSH_KEY)|(DATABASE|REDIS|EMAIL)_URL")
        for service in OURS:
            values = [value for name, value in environment_of(service).items() if secret.fullmatch(name)]
            assert len(values) >= 4
            assert all(str(value).startswith("/run/secrets/") for value in values), service

    def test_name_only_secrets_that_the_service_has(self) -> None:
        for service, part in PARTS.items():
            named = set(re.findall(r"/run/secrets/(\w+)", json.dumps(part)))
            assert named <= set(part.get("secrets", [])), service

    def test_give_each_kind_of_process_an_account_of_its_own(self) -> None:
        for service in SERVICES:
            secrets = [name for name in PARTS[service]["secrets"] if name.startswith(("database_url", "redis_url"))]
            assert secrets == [f"database_url_{service}", f"redis_url_{service}"]


class TestSecrets:
    def test_are_all_that_compose_reads_for_the_operator_alone(self, tmp_path: Path) -> None:
        written = write_secrets(tmp_path / "secrets")
        assert written.keys() == COMPOSE["secrets"].keys()
        assert (tmp_path / "secrets").stat().st_mode & 0o777 == 0o700
        assert all((tmp_path / "secrets" / name).stat().st_mode & 0o777 == 0o644 for name in written)

    def test_remain_when_the_command_is_repeated_for_another_address(self, tmp_path: Path) -> None:
        before = write_secrets(tmp_path)
        after = write_secrets(tmp_path, "--database", "pgbouncer:6432")
        changed = {f"database_url_{kind}" for kind in SERVICES}
        assert {name for name in after if after[name] != before[name]} == changed
        assert after["database_url_web"] == before["database_url_web"].replace("postgres:5432", "pgbouncer:6432")
        assert write_secrets(tmp_path) == before


def write_secrets(directory: Path, *options: str) -> dict[str, str]:
    """Run the script, and return the secrets in the directory."""
    subprocess.run(["sh", str(ROOT / ".docker" / "secrets.sh"), *options, str(directory)], check=True,
                   stdout=subprocess.DEVNULL)
    return {path.name: path.read_text() for path in directory.iterdir()}


class TestDockerfile:
    TEXT = (ROOT / "Dockerfile").read_text()

    def test_installs_the_lock_with_its_hashes(self) -> None:
        assert "--require-hashes -r /build/run.txt" in self.TEXT

    def test_does_not_run_the_site_as_root(self) -> None:
        assert re.findall(r"^USER (\S+)", self.TEXT, re.MULTILINE) == ["1000:1000", "postgres", "0:1000"]

    def test_starts_the_web_server_and_the_worker_by_default(self) -> None:
        commands = re.findall(r"^CMD (.*)", self.TEXT, re.MULTILINE)
        assert json.loads(commands[0]) == PARTS["web"]["command"]
        assert json.loads(commands[-1]) == PARTS["worker"]["command"]

    def test_has_the_targets_that_compose_builds(self) -> None:
        targets = set(re.findall(r"^FROM \S+ AS (\S+)", self.TEXT, re.MULTILINE))
        assert {part["build"]["target"] for part in PARTS.values() if "build" in part} <= targets

    def test_copies_every_package_and_document_of_the_site(self) -> None:
        allowed = set(re.findall(r"^!(\S+)", (ROOT / ".dockerignore").read_text(), re.MULTILINE))
        packages = {path.parent.name for path in ROOT.glob("*/__init__.py")}
        scripts = {name for name in allowed if name.startswith(".docker/")}
        # A site builds the files of its release from these four and its own code.
        release = {"CHANGELOG.md", "LICENSE", "README.md", "pyproject.toml"}
        assert packages | release | {"manage.py", "requirements/run.txt", "docs"} == allowed - scripts
        assert all((ROOT / name).is_file() and name in self.TEXT for name in scripts)

    def test_keeps_the_languages_of_the_site(self, settings: object) -> None:
        pruned = (ROOT / ".docker" / "prune.sh").read_text()
        line = next(line for line in pruned.splitlines() if "*/locale/*" in line)
        assert re.findall(r"! -name (\w+)", line) == [code for code, _ in settings.LANGUAGES]  # type: ignore[attr-defined]
