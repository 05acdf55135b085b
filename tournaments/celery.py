"""The Celery application. docs/decisions/0003-dispatch.md gives the failure test behind each setting."""

import os
import ssl
from typing import Any
from urllib.parse import urlsplit

from celery import Celery
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tournaments.settings")

app = Celery("squarefield")
# Makes the app the default in every thread, because publishing uses `celery.current_app`.
app.set_default()
# Celery ignores its setting `broker_transport` for `redis+socket://` addresses.
TRANSPORT_ALIASES |= dict.fromkeys(("redis", "rediss"), "tournaments.platform.messaging.transport:Transport")


@app.on_configure.connect
def _configure(sender: Celery, **_: object) -> None:
    from django.conf import settings

    sender.conf.update(
        broker_url=settings.REDIS_URL,
        broker_use_ssl=_tls(settings.REDIS_URL),
        result_backend=None,
        task_ignore_result=True,
        # Messages are JSON. All others are discarded unread: Redis is not trusted (docs/explanation/security.md).
        accept_content=["json"],
        task_serializer="json",
        # A message is acknowledged when the match is over. A dead worker's match is requeued in the database by the
        # lease reaper, which alone decides on replays.
        task_acks_late=True,
        task_reject_on_worker_lost=False,
        worker_prefetch_multiplier=1,
        worker_max_tasks_per_child=settings.TASKS_PER_PROCESS,
        # Without remote control, a worker hangs permanently after a restart of Redis.
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
        # This consumer reconnects to Redis at a different time from all other workers.
        worker_consumer="tournaments.worker.consuming:Consumer",
    )
    # Django's fixup would reconnect to the database for every task.
    sender.conf["CELERY_DB_REUSE_MAX"] = 10_000


def _tls(url: str) -> dict[str, Any] | bool:
    """Return kombu's TLS options: without them, it accepts any certificate for a plain `rediss` URL."""
    return urlsplit(url).scheme == "rediss" and {"ssl_cert_reqs": ssl.CERT_REQUIRED}


app.autodiscover_tasks(["tournaments"])
