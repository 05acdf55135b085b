"""The Celery application. Each setting was chosen by breaking it (docs/decisions/0003-dispatch.md)."""

import os
import ssl
from typing import Any
from urllib.parse import urlsplit

from celery import Celery
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tournaments.settings")

app = Celery("squarefield")
# In every thread: what publishes finds it as `celery.current_app`.
app.set_default()
# Celery's setting `broker_transport` is not heeded with an address of the kind `redis+socket://`.
TRANSPORT_ALIASES |= dict.fromkeys(("redis", "rediss"), "tournaments.platform.messaging.transport:Transport")


@app.on_configure.connect
def _configure(sender: Celery, **_: object) -> None:
    from django.conf import settings

    sender.conf.update(
        broker_url=settings.REDIS_URL,
        broker_use_ssl=_tls(settings.REDIS_URL),
        result_backend=None,
        task_ignore_result=True,
        # A message is JSON, and anything else is thrown away unread: Redis is not believed (docs/security.md).
        accept_content=["json"],
        task_serializer="json",
        # A message is acknowledged when the match is over; a dead worker's match is queued again by the lease
        # reaper in the database, which is the only authority on replays.
        task_acks_late=True,
        task_reject_on_worker_lost=False,
        worker_prefetch_multiplier=1,
        worker_max_tasks_per_child=500,
        # With remote control off a worker hangs for good after a restart of Redis.
        worker_enable_remote_control=True,
        worker_send_task_events=False,
        broker_connection_retry_on_startup=True,
        broker_transport_options={
            "visibility_timeout": 3600,
            "unacked_restore_interval": 10,
            "unacked_restore_throttle": 1,
            "queue_order_strategy": "tournaments.worker.order:QuestionsFirst",
        },
        timezone="UTC",
        worker_hijack_root_logger=False,
        # It does not come back to Redis at the same instants as all the others.
        worker_consumer="tournaments.worker.consuming:Consumer",
    )
    # Django's fixup would reconnect to the database for every task.
    sender.conf["CELERY_DB_REUSE_MAX"] = 10_000


def _tls(url: str) -> dict[str, Any] | bool:
    """What kombu is told of TLS: of itself it takes any certificate where a `rediss` address says nothing of it."""
    return urlsplit(url).scheme == "rediss" and {"ssl_cert_reqs": ssl.CERT_REQUIRED}


app.autodiscover_tasks(["tournaments"])
