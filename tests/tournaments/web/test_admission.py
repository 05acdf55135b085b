"""Admission of requests to a limited number of places: order, waiting and refusals."""

import threading
from contextlib import ExitStack
from types import SimpleNamespace

import pytest

from tests.waiting import wait_for
from tournaments.web import admission
from tournaments.web.admission import AdmissionQueue, Overloaded

SOON = 60


class Requester(threading.Thread):
    """Requests a place; it adds its name to `order` when admitted."""

    def __init__(self, places: AdmissionQueue, order: list[str], name: str, *, writes: bool) -> None:
        super().__init__(daemon=True, name=name)
        self.places, self.order, self.writes = places, order, writes

    def run(self) -> None:
        with self.places.place(writes=self.writes):
            self.order.append(self.name)


def standing_by(places: AdmissionQueue) -> int:
    return len(places._readers) + len(places._writers)


def line_up(places: AdmissionQueue, order: list[str], *people: tuple[str, bool]) -> list[Requester]:
    """Start requesters one after the other, each when the one before is waiting."""
    crowd = []
    for name, writes in people:
        before = standing_by(places)
        crowd.append(Requester(places, order, name, writes=writes))
        crowd[-1].start()
        wait_for(lambda before=before: standing_by(places) > before, f"{name} to wait")
    return crowd


def admits(places: AdmissionQueue, count: int) -> bool:
    """Return whether there are just so many free places."""
    with ExitStack() as all_places:
        for _ in range(count):
            all_places.enter_context(places.place(writes=False))
        with pytest.raises(Overloaded), places.place(writes=False):
            pass
    return standing_by(places) == 0


class TestAdmissionQueue:
    def test_admits_requests_while_there_are_places(self):
        places = AdmissionQueue(2, standing_by=0, patience_seconds=SOON)
        with (places.place(writes=False), places.place(writes=True),
              pytest.raises(Overloaded), places.place(writes=False)):
            pass
        assert admits(places, 2)

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

    def test_refuses_after_its_patience_and_frees_the_place(self):
        places = AdmissionQueue(1, standing_by=2, patience_seconds=0)
        with places.place(writes=False), pytest.raises(Overloaded), places.place(writes=False):
            pass
        assert admits(places, 1)

    def test_admits_a_request_that_got_its_place_just_after_its_patience(self, monkeypatch):
        places, first = AdmissionQueue(1, standing_by=1, patience_seconds=0), ExitStack()

        class TooLate(threading.Event):
            def wait(self, timeout=None):
                first.close()
                return False

        first.enter_context(places.place(writes=False))
        with monkeypatch.context() as patched:
            patched.setattr(admission, "threading", SimpleNamespace(Event=TooLate))
            with places.place(writes=True):
                assert standing_by(places) == 0
        assert admits(places, 1)

    def test_frees_the_place_when_the_work_fails(self):
        places = AdmissionQueue(1, standing_by=0, patience_seconds=SOON)
        with pytest.raises(ValueError, match="no"), places.place(writes=True):
            raise ValueError("no")
        assert admits(places, 1)
