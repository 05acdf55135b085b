"""Two simultaneous events of different sizes on the same workers."""

import pytest
from django.utils import timezone

from tests.tournaments.site import finished
from tournaments.models import Attempt, Event, Match
from tournaments.models.lifecycle import EventStatus
from tournaments.services.events.scheduling import create_event
from tournaments.services.ladders.ladders import create_ladder
from tournaments.services.matches.shares import SMALLEST_WINDOW, window_for

pytestmark = [pytest.mark.workers, pytest.mark.serial, pytest.mark.slow, pytest.mark.needs_servers]

PLACES = 2
WINDOW = window_for(PLACES)


@pytest.fixture
def hold(enter, staff):
    """Return a function that creates a round-robin, starting now, of some of five random bots on one ladder."""
    ladder = create_ladder(ruleset="square-grid-hex", size=3, base_seconds=60.0)
    versions = [enter(f"bot {number}", staff) for number in range(1, 6)]

    def hold(name: str, bots: int, cycles: int) -> Event:
        now = timezone.now()
        return create_event(name=name, ladder=ladder, versions=versions[:bots], cycles=cycles, starts_at=now,
                            created_by=staff, now=now, seed=3)

    return hold


def begun(event: Event) -> list[Attempt]:
    """The first attempts at the event's matches, in the order in which they were claimed."""
    return list(Attempt.objects.filter(match__event=event, number=1).order_by("started_at"))


class TestTwoEvents:
    def test_share_the_workers_so_the_small_one_need_not_wait(self, site, hold):
        """The bound follows from these rules. A queue is first in, first out, and a place on it goes to the event with
        the fewest matches on the queue and at the workers. When the small event starts, the large one has filled the
        queue with WINDOW matches. The next places go to the small one until both have equally many, however many
        matches end before the coordinator looks again. From then on, it gets every second place. So its last match is
        preceded only by matches of the large event that were on the queue when it started, by as many more as it has
        itself, and by those that the other workers may claim out of turn.
        """
        site.environment["SQUAREFIELD_DISPATCH_WINDOW"] = str(WINDOW)  # also before the worker declares its capacity
        site.start("coordinator")
        large = hold("Large", bots=5, cycles=4)
        site.wait_for(lambda: Match.objects.filter(event=large, published_at__isnull=False).count() == WINDOW)
        small = hold("Small", bots=2, cycles=WINDOW // 2)
        site.wait_for(lambda: Event.objects.get(pk=small.pk).status == EventStatus.RUNNING)
        site.start("worker", "--concurrency", str(PLACES))
        site.wait_for(lambda: finished(large, small))

        assert (len(begun(large)), len(begun(small))) == (40, 8)
        last_of_small = begun(small)[-1].started_at
        before = sum(attempt.started_at < last_of_small for attempt in begun(large))
        assert 0 < before <= WINDOW + len(begun(small)) + PLACES - 1 < len(begun(large))
        large.refresh_from_db()
        small.refresh_from_db()
        assert small.ended_at <= large.ended_at

    def test_share_a_window_of_the_size_assumed_here(self):
        assert WINDOW == SMALLEST_WINDOW == 16
