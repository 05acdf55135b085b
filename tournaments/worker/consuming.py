"""Consumption of messages by a worker: it starts some time after connecting, and stops while the worker drains.

When Redis or the network comes back, all workers would connect, and then query the database for matches, at the same
instant. Each worker therefore retries at random intervals, and begins to take messages at a random moment within a
period that grows with the number of workers. The dispatcher's window limits what all of them can take at once.
"""

import functools
import random
import time
from typing import Any, Final

from celery import bootsteps
from celery.worker import consumer
from celery.worker.control import Panel
from kombu import Connection

from tournaments.platform import heartbeat_file
from tournaments.worker.presence import Presence

# The site sends no control commands, but whoever can write to Redis could: `shutdown` ends a worker, and `rate_limit`
# nearly stops it. The channel stays open (docs/decisions/0003-dispatch.md), but all commands on it are unknown.
Panel.data.clear()

_LOOK_SECONDS: Final = 0.5
_BEAT_SECONDS: Final = 20.0


class Consumer(consumer.Consumer):
    """Celery's consumer with random intervals; Celery itself would retry after 2, 4, 6 … s on all workers alike."""

    def ensure_connected(self, conn: Connection) -> Connection:
        """Connect, retrying at random intervals of up to about 10 s until it succeeds."""
        draw = random.uniform
        conn.ensure_connection = functools.partial(  # type: ignore[method-assign]
            conn.ensure_connection, interval_start=draw(0.5, 2), interval_step=draw(1, 3), interval_max=draw(6, 10))
        return super().ensure_connected(conn)


class QueueSubscription(bootsteps.StartStopStep):
    """Step that opens and closes a consumer's queues by its worker's presence; restarted at each connection."""

    requires = ("celery.worker.consumer.tasks:Tasks",)
    presence: Presence

    def __init__(self, parent: consumer.Consumer, **options: Any) -> None:
        super().__init__(parent, **options)
        self._queues = list(parent.app.amqp.queues.consume_from)
        self._opens_at = 0.0
        self._close(parent)

    def start(self, parent: consumer.Consumer) -> None:
        """Begin to check, after connecting, whether to take messages."""
        self._opens_at = time.monotonic() + random.uniform(0, self.presence.spread_seconds)  # noqa: S311 - no secret
        self._look(parent)
        parent.timer.call_repeatedly(_LOOK_SECONDS, self._look, (parent,))
        # In the loop that reads Redis, so that a worker that hangs in it looks unhealthy.
        heartbeat_file.beat()
        parent.timer.call_repeatedly(_BEAT_SECONDS, heartbeat_file.beat)

    def stop(self, parent: consumer.Consumer) -> None:
        """Close the queues after a disconnect, so that the next connection begins without queues."""
        self._close(parent)

    def _look(self, parent: consumer.Consumer) -> None:
        wanted = not self.presence.draining and time.monotonic() >= self._opens_at
        if wanted == bool(parent.app.amqp.queues.consume_from):
            return
        for queue in self._queues:
            if wanted:
                parent.add_task_queue(queue)
            else:
                parent.cancel_task_queue(queue)

    def _close(self, parent: consumer.Consumer) -> None:
        parent.app.amqp.queues.deselect(self._queues)


def intake_of(presence: Presence) -> type[QueueSubscription]:
    """Return the step for the consumer of the worker with this presence."""
    return type("Intake", (QueueSubscription,), {"presence": presence, "__module__": __name__})
