"""Slots: the holder of a number holds its uid on the whole machine."""

import os

import pytest

from engines.sandbox.isolation import slots as module
from engines.sandbox.isolation.slots import Slots, SlotsInUse


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


class TestKeptSlots:
    @pytest.fixture
    def both(self, tmp_path, monkeypatch):
        """Two processes' views of a machine with four slots; bots have the worker's own uid."""
        monkeypatch.setattr(module, "COUNT", 4)
        monkeypatch.setattr(module.os, "geteuid", lambda: 1)
        return Slots(tmp_path), Slots(tmp_path)

    def test_are_certain_for_the_bots_of_a_match_game_after_game(self, both):
        ours, theirs = both
        with ours.kept():
            others = [theirs.take(), theirs.take()]
            for _ in range(2):
                game = [ours.take(), ours.take()]
                with pytest.raises(SlotsInUse):
                    theirs.take()
                for slot in game:
                    slot.release()
        others += [theirs.take(), theirs.take()]
        for slot in others:
            slot.release()

    def test_are_not_taken_by_halves(self, both):
        ours, theirs = both
        others = [theirs.take() for _ in range(3)]
        with pytest.raises(SlotsInUse), ours.kept():
            pytest.fail("there is only one slot")
        others.append(theirs.take())
        for slot in others:
            slot.release()
