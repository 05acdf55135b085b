"""The faults. Each is a function that causes the fault once and returns when it is over."""

import os
import signal
import time
from contextlib import suppress
from datetime import datetime
from functools import partial
from shutil import rmtree

from django.utils import timezone
from kombu import Connection

from tests.faults.bots import RULESET
from tests.faults.course import Course, Fault
from tests.faults.machinery.clocks import turn, with_a_wrong_coordinator, with_a_wrong_worker, with_one_clock
from tests.faults.machinery.deployment import deploy, deployed, with_a_web_process
from tests.faults.machinery.disk import fill, with_a_small_disk
from tests.faults.machinery.network import Network
from tests.faults.machinery.processes import children, family, stopped
from tests.faults.site import LEASE_SECONDS, Service
from tests.faults.uploads import kill_web, nothing_half_done, with_an_author
from tournaments.celery import app
from tournaments.models import Attempt, Match
from tournaments.models.lifecycle import AttemptStatus
from tournaments.platform.messaging.queues import queue_of
from tournaments.tasks import play_match

PAUSE_SECONDS = 30.0
# After a worker or one of its processes has died, its matches wait again within this time.
REPEATED_SECONDS = 15.0


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):  # already dead
        os.kill(pid, signal.SIGKILL)


def _one_of(course: Course, command: str) -> Service | None:
    alive = [service for service in course.site.of(command) if service.alive]
    return course.dice.choice(alive) if alive else None


def _playing(course: Course) -> tuple[int, int] | None:
    """Return a worker's main process and its child that plays a match at this moment, or idle ones if none does."""
    workers = Attempt.objects.filter(status=AttemptStatus.RUNNING).order_by("pk").values_list("worker", flat=True)
    pairs = [(int(main), int(child)) for _, main, child in (worker.split(":") for worker in workers)]
    living = {worker.pid for worker in course.site.of("worker") if worker.alive}
    pairs = [pair for pair in pairs if pair[0] in living] or [
        (main, child) for main in sorted(living) for child in children(main)]
    return course.dice.choice(pairs) if pairs else None


def with_usual_leases(course: Course) -> None:
    """Start the site with leases so long that they would show if a match waited for one to run out."""
    del course.site.environment["SQUAREFIELD_LEASE_SECONDS"]
    course.start_as_usual()


def kill_child(course: Course) -> None:
    """Kill a process that plays a match."""
    if playing := _playing(course):
        _kill(playing[1])
        _killed(course).append((f":{playing[0]}:{playing[1]}", timezone.now()))


def kill_worker(course: Course) -> None:
    """Kill a worker: only its main process, whose children must then exit, or all of its processes at once."""
    if playing := _playing(course):
        for pid in course.dice.choice([[playing[0]], family(playing[0])]):
            _kill(pid)
        _killed(course).append((f":{playing[0]}:", timezone.now()))


def _killed(course: Course) -> list[tuple[str, datetime]]:
    """Return what was killed so far: a part of the name under which it claimed matches, and when."""
    killed = course.memory.setdefault("killed", [])
    assert isinstance(killed, list)
    return killed


def repeated_in_time(course: Course) -> list[str]:
    """Report the attempts of killed processes that were judged too late, and an error if there were none."""
    waits = [ended - at for name, at in _killed(course)
             for ended in Attempt.objects.filter(worker__contains=name, status=AttemptStatus.VOID, ended_at__gte=at)
             .values_list("ended_at", flat=True)]
    late = [f"an attempt was judged {wait.total_seconds():.1f} s after its worker was killed" for wait in waits
            if wait.total_seconds() > REPEATED_SECONDS]
    return late if waits else ["no attempt of a killed process is void"]


def kill_coordinator(course: Course) -> None:
    """Kill the coordinator."""
    coordinator = _one_of(course, "coordinator")
    if coordinator is not None:
        _kill(coordinator.pid)


def restart_redis(course: Course) -> None:
    """Kill Redis and restart it a moment later with its data."""
    course.backend.redis.kill()
    time.sleep(course.dice.uniform(0, 2))
    course.backend.redis.start()


def empty_redis(course: Course) -> None:
    """Kill Redis and restart it without its data."""
    course.backend.empty_redis()


def pause_redis(course: Course) -> None:
    """Make Redis hang."""
    with stopped([course.backend.redis.pid]):
        time.sleep(PAUSE_SECONDS)


def restart_postgres(course: Course) -> None:
    """Restart PostgreSQL, alternating between a fast shutdown and an immediate one, which requires recovery."""
    child = course.backend.postgres.child
    process = child.process
    assert process is not None
    process.send_signal(signal.SIGQUIT if len(course.struck) % 2 else signal.SIGINT)
    process.wait(60)
    child.kill()
    time.sleep(course.dice.uniform(0, 2))
    course.backend.postgres.start()


def pause_postgres(course: Course) -> None:
    """Make PostgreSQL hang, with all of its processes."""
    with stopped(family(course.backend.postgres.pid)):
        time.sleep(PAUSE_SECONDS)


def with_a_network(course: Course) -> None:
    """Start the site with one worker behind a network that can be cut."""
    site, backend = course.site, course.backend
    postgres = backend.root / "pg" / ".s.PGSQL.5432"
    near = backend.root / "net"
    network = Network(near, postgres, backend.redis.socket)
    site.undo.callback(rmtree, near)
    site.undo.callback(network.close)
    course.memory["network"] = network
    course.start_as_usual()
    site.start("worker", "--concurrency", "2", environment={
        "DATABASE_URL": site.environment["DATABASE_URL"].replace(str(postgres.parent), str(near)),
        "REDIS_URL": f"redis+socket://{near / backend.redis.socket.name}"})


def cut_off(course: Course) -> None:
    """Cut off a worker for longer than its lease, by its network or by stopping all of its processes."""
    seconds = LEASE_SECONDS + 5
    network = course.memory["network"]
    assert isinstance(network, Network)
    if len(course.struck) % 2:
        worker = course.dice.choice(course.site.of("worker"))
        with stopped(family(worker.pid) if worker.alive else []):
            time.sleep(seconds)
        return
    network.cut()
    time.sleep(seconds)
    network.restore()


def late_results_refused(course: Course) -> list[str]:
    """Report an error if no result was refused as too late: then the fault had no effect."""
    logs = "".join(service.log() for service in course.site.of("worker"))
    return [] if "finished too late" in logs or Match.LEASE_LOST in logs else ["no worker finished too late"]


def redeliver(course: Course) -> None:
    """Enqueue the ids of all matches, whatever their status, three times and shuffled."""
    ids = list(Match.objects.filter(event=course.event).values_list("pk", flat=True)) * 3
    course.dice.shuffle(ids)
    with Connection(course.backend.redis.url) as connection:
        producer = app.amqp.Producer(connection)
        for pk in ids:
            play_match.apply_async((pk,), queue=queue_of(RULESET), producer=producer)


def stall_a_coordinator(course: Course) -> None:
    """Stop one of the coordinators at a random moment, so that it continues with outdated data."""
    coordinator = _one_of(course, "coordinator")
    if coordinator is not None:
        with stopped([coordinator.pid]):
            time.sleep(course.dice.uniform(0.5, 3))


FAULTS = {fault.name: fault for fault in (
    Fault("a worker's process killed", kill_child, every=2.0, most=12, prepare=with_usual_leases,
          after=repeated_in_time),
    Fault("a worker killed", kill_worker, every=4.0, prepare=with_usual_leases, after=repeated_in_time),
    Fault("coordinator killed", kill_coordinator, every=4.0),
    Fault("Redis restarted", restart_redis, every=5.0, most=5),
    Fault("Redis restarted empty", empty_redis, every=5.0, most=5),
    Fault("Redis paused", pause_redis, every=5.0, most=2),
    Fault("PostgreSQL restarted", restart_postgres, every=5.0, most=6),
    Fault("PostgreSQL paused", pause_postgres, every=5.0, most=2),
    Fault("web killed", kill_web, every=1.0, most=4, prepare=with_an_author, after=nothing_half_done),
    Fault("workers' disk full", fill, every=5.0, most=2, prepare=with_a_small_disk),
    Fault("a worker's clock wrong", partial(turn, name="worker"), most=6, prepare=with_a_wrong_worker),
    Fault("a coordinator's clock wrong", partial(turn, name="coordinator"), most=6, prepare=with_a_wrong_coordinator),
    Fault("the machine's clock set", partial(turn, name="machine"), most=6, prepare=with_one_clock),
    Fault("a worker cut off", cut_off, every=5.0, most=4, prepare=with_a_network, after=late_results_refused),
    Fault("ids delivered again", redeliver, every=4.0, most=4),
    Fault("three coordinators", stall_a_coordinator, every=1.0, most=12,
          prepare=lambda course: course.start_as_usual(coordinators=3)),
    Fault("a new version deployed", deploy, every=5.0, most=2, prepare=with_a_web_process, after=deployed),
)}
