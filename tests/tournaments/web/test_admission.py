"""Places to be worked on: who gets one, in which order, and who is sent away."""

import threading
import time
from contextlib import ExitStack

import pytest

from tournaments.web.admission import AdmissionQueue, Overloaded

SOON = 60


class Somebody(threading.Thread):
    """Asks for a place; `came` is its number among those who got one, `refused` whether it was sent away."""

    def __init__(self, places: AdmissionQueue, order: list[str], name: str, *, writes: bool = False) -> None:
        super().__init__(daemon=True, name=name)
        self.places, self.order, self.writes = places, order, writes
        self.refused = False

    def run(self) -> None:
        try:
            with self.places.place(writes=self.writes):
                self.order.append(self.name)
        except Overloaded:
            self.refused = True


def standing_by(places: AdmissionQueue) -> int:
    return len(places._readers) + len(places._writers)


def line_up(places: AdmissionQueue, order: list[str], *people: tuple[str, bool]) -> list[Somebody]:
    """Have them stand by, one after the other."""
    crowd = []
    for name, writes in people:
        before = standing_by(places)
        crowd.append(Somebody(places, order, name, writes=writes))
        crowd[-1].start()
        deadline = time.monotonic() + SOON
        while standing_by(places) == before:
            assert time.monotonic() < deadline, f"{name} does not stand by"
    return crowd


class TestPlaces:
    def test_are_given_while_there_are_any(self):
        places = AdmissionQueue(2, standing_by=0, patience_seconds=SOON)
        with (places.place(writes=False), places.place(writes=True),
              pytest.raises(Overloaded), places.place(writes=False)):
            pass
        with places.place(writes=False), places.place(writes=False):
            pass

    def test_are_given_in_the_order_of_coming_and_to_writers_first(self):
        places, order = AdmissionQueue(1, standing_by=4, patience_seconds=SOON), []
        with places.place(writes=False):
            crowd = line_up(places, order, ("first reader", False), ("second reader", False), ("first writer", True),
                            ("second writer", True))
        for each in crowd:
            each.join(SOON)
        assert order == ["first writer", "second writer", "first reader", "second reader"]

    def test_are_refused_at_once_to_who_comes_when_many_stand_by_but_to_readers_and_writers_apart(self):
        places, order = AdmissionQueue(1, standing_by=1, patience_seconds=SOON), []
        with places.place(writes=False):
            crowd = line_up(places, order, ("reader", False))
            with pytest.raises(Overloaded), places.place(writes=False):
                pass
            crowd += line_up(places, order, ("writer", True))
        for each in crowd:
            each.join(SOON)
        assert order == ["writer", "reader"]

    def test_are_refused_to_who_has_stood_by_for_long_and_nobody_keeps_that_place(self):
        places, order = AdmissionQueue(1, standing_by=2, patience_seconds=0.05), []
        with places.place(writes=False):
            late = Somebody(places, order, "late")
            late.start()
            late.join(SOON)
        assert (late.refused, standing_by(places)) == (True, 0)
        with places.place(writes=False):
            pass

    def test_come_back_when_the_work_fails(self):
        places = AdmissionQueue(1, standing_by=0, patience_seconds=SOON)
        with pytest.raises(ValueError, match="no"), places.place(writes=True):
            raise ValueError("no")
        with places.place(writes=True):
            pass

    def test_are_never_more_nor_lost_among_many(self):
        places = AdmissionQueue(3, standing_by=200, patience_seconds=0.02)
        at_work, most, lock = 0, 0, threading.Lock()
        outcomes: list[bool] = []

        def work(number: int) -> None:
            nonlocal at_work, most
            try:
                with places.place(writes=number % 3 == 0):
                    with lock:
                        at_work += 1
                        most = max(most, at_work)
                    time.sleep(0.002)
                    with lock:
                        at_work -= 1
            except Overloaded:
                outcomes.append(False)
            else:
                outcomes.append(True)

        crowd = [threading.Thread(target=work, args=(number,)) for number in range(150)]
        for each in crowd:
            each.start()
        for each in crowd:
            each.join(SOON)
        assert (len(outcomes), most <= 3, standing_by(places)) == (150, True, 0)
        with ExitStack() as all_places:
            for _ in range(3):
                all_places.enter_context(places.place(writes=False))
