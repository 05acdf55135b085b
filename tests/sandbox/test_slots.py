"""Slots: the holder of a number holds its uid on the whole machine."""

import os

import pytest

from engines.sandbox.isolation.slots import Slots


@pytest.fixture
def slots(tmp_path):
    """Return the slots of two installations."""
    if os.geteuid() != 0:
        pytest.skip("only root can give each bot its own uid")
    for name in ("ours", "theirs"):
        (tmp_path / name).mkdir()
    return Slots(tmp_path / "ours"), Slots(tmp_path / "theirs")


class TestAUid:
    def test_belongs_to_one_installation_at_a_time(self, slots):
        ours, theirs = slots[0].take(), slots[1].take()
        assert ours.uid != theirs.uid
        ours.release()
        again = slots[1].take()
        assert again.uid == ours.uid
        again.release()
        theirs.release()
