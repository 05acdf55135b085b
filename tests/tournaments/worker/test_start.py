"""The start of a worker: the isolation that it needs, and the line that says what it will play."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import pytest

from engines.rules.registry import RULESETS
from engines.sandbox import Runtime, Sandbox, Tier
from tests.conftest import ROOT
from tournaments.setup.bootstrap import restarts
from tournaments.worker.start.isolation import intention, matches_at_a_time

REASON = "no cgroups are mounted here"
# The worker's own cgroups are found in the table of mounts: without a mount there are none.
WITHOUT_CGROUPS = ["unshare", "--mount", "sh", "-c", 'umount --recursive --lazy /sys/fs/cgroup && exec "$@"', "sh"]


@contextmanager
def worker(environment: Mapping[str, str], *, before: Sequence[str] = ()) -> Iterator["subprocess.Popen[str]"]:
    """Run `manage.py worker` with a pipe for its messages."""
    command = [*before, sys.executable, "manage.py", "worker", "--concurrency", "2"]
    with subprocess.Popen(command, cwd=ROOT, env={**environment, restarts.VARIABLE: "0"}, text=True,
                          stderr=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        yield process
        process.terminate()


class TestTheLineOfAWorker:
    @pytest.fixture
    def sandbox(self, tmp_path):
        return lambda tier, reason="": Sandbox(Runtime(tmp_path / "runtime"), tier, reason=reason)

    def test_names_rulesets_matches_and_isolation(self, sandbox):
        said = intention(sandbox(Tier.STANDARD), list(RULESETS), 4)
        assert said.startswith(f"This worker plays {', '.join(RULESETS)}, 4 matches at a time, with bots of all "
                               "authors. Sandbox: standard tier; ")
        assert ("each bot has a user ID of its own." in said) == (os.geteuid() == 0)
        assert "does not play" not in said

    def test_names_what_is_left_out(self, sandbox):
        said = intention(sandbox(Tier.STANDARD), ["squ"], 1)
        others = ", ".join(slug for slug in RULESETS if slug != "squ")
        assert said.startswith("This worker plays squ, 1 match at a time, ")
        assert said.endswith(f" It does not play {others}: --rulesets leaves them out.")

    @pytest.mark.parametrize("tier", [Tier.REDUCED, Tier.UNSAFE_LOCAL])
    def test_says_why_it_plays_only_bots_of_staff(self, sandbox, tier):
        assert intention(sandbox(tier, REASON), ["squ"], 1).startswith(
            "This worker plays squ, 1 match at a time, only with bots uploaded by the site's staff, because the "
            f"sandbox has only the tier {tier}: {REASON}.")

    def test_is_about_one_match_at_a_time_without_cgroups(self, sandbox):
        assert [matches_at_a_time(sandbox(tier), 4) for tier in (Tier.STANDARD, Tier.REDUCED)] == [4, 1]


@pytest.mark.serial
@pytest.mark.workers
class TestAWorkerWithoutCgroups:
    @pytest.fixture
    def without_cgroups(self, site_environment):
        if shutil.which("bwrap") is None:
            pytest.skip("bubblewrap is not installed")
        if os.geteuid() != 0:
            pytest.skip("needs cgroups: only root can hide those of this machine")
        return site_environment

    def test_exits_with_the_reason_and_the_remedy(self, without_cgroups):
        with worker({**without_cgroups, "SQUAREFIELD_ALLOW_REDUCED": "off"}, before=WITHOUT_CGROUPS) as process:
            last = process.stderr.read().splitlines()[-1]
            assert process.wait(60) == 1
        assert last.startswith("CommandError: This worker may not play other authors' bots: the sandbox has only the "
                               f"tier reduced, because {REASON}")
        assert "SQUAREFIELD_ALLOW_REDUCED=1" in last

    def test_starts_if_permitted_and_says_what_it_plays(self, without_cgroups):
        with worker({**without_cgroups, "SQUAREFIELD_ALLOW_REDUCED": "on"}, before=WITHOUT_CGROUPS) as process:
            said = next((line for line in process.stderr if line.startswith("This worker")), "")
        assert "1 match at a time, only with bots uploaded by the site's staff" in said
        assert REASON in said
