"""Events that run into trouble overnight: real processes, real servers, and one kind of fault after the other."""

import pytest
from django.utils.text import slugify

from tests.faults.conftest import BOTS, SEED
from tests.faults.course import hold
from tests.faults.faults import FAULTS

pytestmark = [pytest.mark.workers, pytest.mark.serial, pytest.mark.slow, pytest.mark.needs_servers]


class TestAnEvent:
    @pytest.mark.faults_long
    @pytest.mark.timeout(1800)
    @pytest.mark.parametrize("name", FAULTS, ids=slugify)
    def test_ends_by_itself_with_every_result_once(self, ground, note, name, tmp_path):
        self.hold(ground, note, tmp_path, name, bots=BOTS)

    @pytest.mark.parametrize("name", ["a worker killed", "Redis restarted empty", "PostgreSQL restarted"], ids=slugify)
    def test_ends_by_itself_with_every_result_once_in_short(self, ground, note, name, tmp_path):
        self.hold(ground, note, tmp_path, name, bots=9)

    def hold(self, ground, note, logs, name, *, bots):
        line = hold(ground, FAULTS[name], bots=bots, seed=SEED, logs=logs)
        note(line)
        assert line.times, "the fault did not strike"
        assert not line.broken, "\n".join(line.broken)
