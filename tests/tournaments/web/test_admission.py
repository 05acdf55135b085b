"""Admission of requests to a limited number of places: order, waiting and refusals."""

import threading
import time
from contextlib import ExitStack

import pytest

from tournaments.web.admission import AdmissionQueue, Overloaded

SOON = 60


class Requester(threading.Thread):
    """Requests a place; it adds its name to `order` when admitted, and `refused` is set otherwise."""

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


def line_up(places: AdmissionQueue, order: list[str], *people: tuple[str, bool]) -> list[Requester]:
    """Start requesters one after the other, each when the one before is waiting."""
    crowd = []
    for name, writes in people:
        before = standing_by(places)
        crowd.append(Requester(places, order, name, writes=writes))
        crowd[-1].start()
        deadline = time.monotonic() + SOON
        while standing_by(places) == before:
            assert time.monotonic() < deadline, f"{name} is not waiting"
    return crowd


class TestAdmissionQueue:
    def test_admits_requests_while_there_are_places(self):
        places = AdmissionQueue(2, standing_by=0, patience_seconds=SOON)
        with (places.place(writes=False), places.place(writes=True),
              pytest.raises(Overloaded), places.place(writes=False)):
            pass
        with places.place(writes=False), places.place(writes=False):
            pass

    def test_admits_in_order_of_arrival_with_writers_first(self):
        places, order = AdmissionQueue(1, standing_by=4, patience_seconds=SOON), []
        with places.place(writes=False):
            crowd = line_up(places, order, ("first reader", False), ("second reader", False), ("first writer", True),
                            ("second writer", True))
        for each in crowd:
            each.join(SOON)
        assert order == ["first writer", "second writer", "first reader", "second reader"]

    def test_refuses_at_once_when_too_many_readers_or_writers_wait(self):
        places, order = AdmissionQueue(1, standing_by=1, patience_seconds=SOON), []
        with places.place(writes=False):
            crowd = line_up(places, order, ("reader", False))
            with pytest.raises(Overloaded), places.place(writes=False):
                pass
            crowd += line_up(places, order, ("writer", True))
        for each in crowd:
            each.join(SOON)
        assert order == ["writer", "reader"]

    def test_refuses_after_a_long_wait_and_frees_the_place(self):
        places, order = AdmissionQueue(1, standing_by=2, patience_seconds=0.05), []
        with places.place(writes=False):
            late = Requester(places, order, "late")
            late.start()
            late.join(SOON)
        assert (late.refused, standing_by(places)) == (True, 0)
        with places.place(writes=False):
            pass

    def test_frees_the_place_when_the_work_fails(self):
        places = AdmissionQueue(1, standing_by=0, patience_seconds=SOON)
        with pytest.raises(ValueError, match="no"), places.place(writes=True):
            raise ValueError("no")
        with places.place(writes=True):
            pass

    def test_never_exceeds_or_loses_places_under_load(self):
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
