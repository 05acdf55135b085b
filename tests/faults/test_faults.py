"""Events that run unattended through faults, on real processes and servers, with one kind of fault after another."""

import pytest
from django.utils.text import slugify

from tests.faults.conftest import BOTS, SEED
from tests.faults.course import hold
from tests.faults.faults import FAULTS

# A format for each of the short runs: one that pairs everything at the start, and those that pair while others play.
SHORT = {
    "a worker killed": {},
    "Redis restarted empty": {"format": "precision", "target": "ratings", "target_value": 60, "max_matches": 90},
    "PostgreSQL restarted": {"format": "arena", "minutes": 1},
}

pytestmark = [pytest.mark.workers, pytest.mark.serial, pytest.mark.slow, pytest.mark.needs_servers,
              pytest.mark.thorough]


class TestAnEvent:
    @pytest.mark.faults_long
    @pytest.mark.timeout(1800)
    @pytest.mark.parametrize("name", FAULTS, ids=slugify)
    def test_finishes_unattended_with_every_result_once(self, backend, note, name, tmp_path):
        self.hold(backend, note, tmp_path, name, bots=BOTS)

    @pytest.mark.parametrize("name", SHORT, ids=slugify)
    def test_finishes_unattended_in_a_short_run(self, backend, note, name, tmp_path):
        self.hold(backend, note, tmp_path, name, bots=9, **SHORT[name])

    def hold(self, backend, note, logs, name, *, bots, **event):
        line = hold(backend, FAULTS[name], bots=bots, seed=SEED, logs=logs, **event)
        note(line)
        assert line.times, "the fault did not strike"
        assert not line.broken, "\n".join(line.broken)
