"""The place for a second connection to the database: one holder at a time, and never one that does not exist."""

import os
import threading

import pytest

from tournaments.worker.database import place


@pytest.fixture
def limited(monkeypatch):
    monkeypatch.setattr(place, "_files", [])
    place.limit()
    yield
    os.close(place._files[0])


class TestThePlace:
    def test_is_free_although_a_process_that_was_forked_in_the_meantime_lives(self, limited):
        awaited, release = os.pipe()
        with place.borrowed():
            # As Celery's pool does at any moment, also while another thread sends a heartbeat.
            child = os.fork()
            if child == 0:
                os.close(release)
                os.read(awaited, 1)
                os._exit(0)
        taken = threading.Event()

        def take():
            with place.borrowed():
                taken.set()

        threading.Thread(target=take, daemon=True).start()
        assert taken.wait(60)
        os.close(release)
        os.waitpid(child, 0)
        os.close(awaited)
