"""Count what the heartbeats and leases of one worker write to PostgreSQL, by its number of matches at a time.

    python tests/bench/workers/heartbeats.py [--seconds 120] [--slots 1 4 16] [--before CHECKOUT]

The worker's own threads run for that long, with matches that never end. With --before, so do those of an older
checkout.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
HOLD = "hold"
_COUNT = """SELECT (SELECT sum(n_tup_upd + n_tup_ins + n_tup_del) FROM pg_stat_user_tables),
    (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()),
    pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=120, help="length of each measurement (default 120)")
    parser.add_argument("--slots", type=int, nargs="+", default=[1, 4, 16], help="matches at a time")
    parser.add_argument("--before", type=Path, help="checkout of an older release to compare with")
    parser.add_argument("--" + HOLD, type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.hold:
        hold(options.hold, options.seconds)
        return
    checkouts = {"now": ROOT} | ({"before": options.before.resolve()} if options.before else {})
    for slots in options.slots:
        for name, checkout in checkouts.items():
            command = [sys.executable, __file__, "--hold", str(slots), "--seconds", str(options.seconds)]
            done = subprocess.run(command, cwd=checkout, env=os.environ | {"PYTHONPATH": str(checkout)}, check=True,
                                  capture_output=True, text=True)
            print(f"{slots:3} matches, {name:6}: {done.stdout.strip()}", flush=True)


def hold(slots: int, seconds: int) -> None:
    """Hold leases on this many matches for so long; print what was written per minute."""
    from tournaments.setup.embedded import EmbeddedRedis, TemporaryPostgres

    with tempfile.TemporaryDirectory(prefix="sqf-") as scratch, EmbeddedRedis() as redis, TemporaryPostgres() as server:
        os.environ |= {"DJANGO_SETTINGS_MODULE": "tournaments.settings", "SQUAREFIELD_SECRET_KEY": "of no use",
                       "SQUAREFIELD_VAR": scratch, "REDIS_URL": redis.url, "DATABASE_URL": server.url,
                       "SQUAREFIELD_NO_BOOTSTRAP": "1"}
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        from django.db import connection
        from django.utils import timezone

        from tests.factories import make_event, make_version
        from tournaments.models import Match
        from tournaments.models.leased import FULL_TIER
        from tournaments.services.matches.matches import claim
        from tournaments.services.matches.workers import Declaration
        from tournaments.worker.heartbeat import Heartbeat
        from tournaments.worker.presence import Presence

        make_event([make_version("ant"), make_version("bee")], cycles=slots)
        presence = Presence(Declaration("h:1", "h", FULL_TIER, ["scware"], 4, slots, "0.1.0"))
        presence.start()
        with ExitStack() as held:
            for pk in Match.objects.values_list("pk", flat=True):
                lease = claim(match_id=pk, worker="h:1:2", tier=FULL_TIER, now=timezone.now())
                assert lease is not None
                held.enter_context(Heartbeat(lease, f"match {pk}"))
            time.sleep(15)

            def counts() -> list[float]:
                # PostgreSQL shows what a connection has counted up to a second later.
                time.sleep(2)
                with connection.cursor() as cursor:
                    cursor.execute(_COUNT)
                    return [float(value) for value in cursor.fetchone()]

            before = counts()
            time.sleep(seconds)
            rows, transactions, wal = (60 * (after - first) / (seconds + 2)
                                       for first, after in zip(before, counts(), strict=True))
            print(f"{rows:5.0f} rows, {transactions:4.0f} transactions, {wal / 1024:5.0f} KiB of WAL per minute")
        presence.stop()


if __name__ == "__main__":
    main()
