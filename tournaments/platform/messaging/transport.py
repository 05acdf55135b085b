"""Redis transport for Celery that trusts no message.

Kombu's own transport parses any message on a queue, and the worker dies if that fails. Here each message is validated
first (`queue_messages`), and Celery gets a new one with the task and the ID: a sender cannot choose its headers.
"""

import json
from collections.abc import Callable
from typing import Any, Final

from kombu.transport import redis
from kombu.transport.virtual.base import Empty
from kombu.utils.encoding import bytes_to_str
from redis.exceptions import ResponseError

from tournaments.platform.messaging.queue_messages import Unreadable, drop, free, read, written

# Exceptions that kombu raises for messages that it did not write. LookupError includes KeyError, which kombu would take
# for a lost connection.
_JUNK: Final = (ValueError, TypeError, LookupError, AttributeError)
# Suffix of queues with answers to `celery inspect`, which no worker reads.
_ANSWERS: Final = "celery.pidbox"


class QoS(redis.QoS):
    """Messages that were taken and not yet acknowledged; Redis holds them, too, in kombu's format."""

    def ack(self, delivery_tag: str) -> None:
        self._repairing(super().ack, delivery_tag)

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:  # noqa: FBT001, FBT002
        self._repairing(super().reject, delivery_tag, requeue)

    def restore_visible(self, *limits: int, **options: int) -> None:
        self._repairing(super().restore_visible, *limits, **options)

    def restore_by_tag(self, tag: Any, client: Any = None, leftmost: bool = False) -> None:  # noqa: FBT001, FBT002
        try:
            super().restore_by_tag(tag, client, leftmost)
        except _JUNK as error:
            self._remove_from_indices(tag).execute()
            with self.channel.conn_or_acquire(client) as mine:
                drop(mine, self.unacked_key, f"it cannot be parsed ({type(error).__name__})")

    def _repairing(self, act: Callable[..., Any], *args: Any, **options: Any) -> None:
        """Call `act`, and retry if it failed because a key of kombu's had the wrong type; such keys are deleted."""
        try:
            act(*args, **options)
        except ResponseError:
            if not self.channel.repair():
                raise
            act(*args, **options)


class Channel(redis.Channel):
    """Kombu's channel, for queues of IDs."""

    QoS = QoS

    def _brpop_read(self, **options: Any) -> bool:
        """Deliver the next message like kombu, but drop it if it is unreadable."""
        try:
            try:
                found = self.client.parse_response(self.client.connection, "BRPOP", **options)
            except self.connection_errors:
                self.client.connection.disconnect()
                raise
            if not found:
                raise Empty
            queue = bytes_to_str(found[0]).rsplit(self.sep, 1)[0]
            self._queue_cycle.rotate(queue)
            self._take(found[1], queue)
        except ResponseError:
            # A key that we use has the wrong type. If there is nothing to repair, the error has another cause.
            if not self.repair():
                raise
            raise Empty from None
        finally:
            self._in_poll = None
            self._flush_brpop_reauth()
        return True

    def _take(self, raw: bytes, queue: str) -> None:
        try:
            message = json.loads(raw) if queue.endswith(_ANSWERS) else written(read(raw), queue)
        except Unreadable as reason:
            with self.conn_or_acquire() as client:
                drop(client, queue, str(reason))
            raise Empty from None
        self.connection._deliver(message, queue)  # noqa: SLF001 - as kombu's own channel does

    def _deliver_fanout_message(self, message: Any, exchange: str) -> bool:
        """Deliver a remote command; drop anything else."""
        try:
            return super()._deliver_fanout_message(message, exchange)
        except _JUNK as error:
            with self.conn_or_acquire() as client:
                drop(client, exchange, f"it cannot be parsed ({type(error).__name__})")
            return False

    def _queue_bind(self, exchange: str, *others: Any) -> None:
        try:
            super()._queue_bind(exchange, *others)
        except ResponseError:
            if not self.repair(exchange=exchange):
                raise
            super()._queue_bind(exchange, *others)

    def _size(self, queue: str) -> int:
        try:
            return super()._size(queue)
        except ResponseError:
            if not self.repair(queue):
                raise
            return super()._size(queue)

    def repair(self, queue: str = "", *, exchange: str = "") -> bool:
        """Delete the keys of kombu's that have the wrong type. Returns whether there were any."""
        queues = {*self.active_queues, *filter(None, [queue])}
        keys = {self._q_for_pri(name, step): "list" for name in queues for step in self.priority_steps}
        keys |= {self.unacked_key: "hash", self.unacked_index_key: "zset"}
        if exchange:
            patterns = (self.keyprefix_queue, self.keyprefix_binding_permanent)
            keys |= {pattern % (exchange,): "set" for pattern in patterns}
        with self.conn_or_acquire() as client:
            return free(client, keys)


class Transport(redis.Transport):
    """Transport that replaces kombu's for all Redis URLs (`tournaments.celery`)."""

    Channel = Channel
