"""A web process that is killed during uploads and writes through the API."""

import http.client
import json
import os
import signal
import socket
import time
from contextlib import suppress

from tests.factories import make_user
from tests.faults.bots import quick_bot
from tests.faults.course import PATIENCE_SECONDS, Course
from tests.faults.machinery.processes import await_true, family
from tournaments.models import Challenge, Ladder, Match, Submission, Version
from tournaments.services.accounts.tokens import make_token
from tournaments.services.bots.archives import content_hash

_BOUNDARY = "faults"
_FIRST_NUMBER = 1000


def with_an_author(course: Course) -> None:
    """Start the site, and give an author a token."""
    from django.utils import timezone

    course.start_as_usual()
    course.site.start_web()
    owner = make_user("organiser")
    _, token = make_token(user=owner, name="faults", now=timezone.now(), expires_at=None)
    course.memory |= {"token": token, "before": _archives(course)}
    assert await_true(lambda: _status(course, "GET", "/health/live") == 200, PATIENCE_SECONDS)


def kill_web(course: Course) -> None:
    """Kill web during an upload that is retried, during one that is not, and during a write through the API."""
    number = _FIRST_NUMBER + 2 * len(course.struck)
    _upload(course, number, again=True)
    _upload(course, number + 1, again=False)
    _write(course)


def nothing_half_done(course: Course) -> list[str]:
    """Return archives without a submission and submissions without an archive, in words."""
    # Web cleans up at startup and every hour.
    os.kill(course.site.of("coordinator")[0].pid, signal.SIGKILL)
    assert await_true(course.site.is_up, PATIENCE_SECONDS)
    await_true(lambda: not _orphans(course), 60)
    said = [f"archive {name} belongs to no submission" for name in _orphans(course)]
    said += [f"submission {submission.pk} has no archive" for submission in Submission.objects.exclude(archive="")
             if not (course.backend.archives / submission.archive.name).exists()]
    return said + [f"challenge {challenge.pk} is incomplete" for challenge in Challenge.objects.all()
                   if Match.objects.filter(challenge=challenge).count() != 2]


def _upload(course: Course, number: int, *, again: bool) -> None:
    archive = quick_bot(number)
    head = (f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="archive"; filename="bot.zip"\r\n'
            "Content-Type: application/zip\r\n\r\n").encode()
    body = head + archive + f"\r\n--{_BOUNDARY}--\r\n".encode()
    kind = f"multipart/form-data; boundary={_BOUNDARY}"
    _ask_and_kill(course, "/api/submissions/", kind, body)
    mine = Submission.objects.filter(sha256=content_hash(archive), archive__gt="")
    if again and not mine.exists():
        assert _status(course, "POST", "/api/submissions/", kind, body) == 202, "the retry was refused"
        assert mine.count() == 1


def _write(course: Course) -> None:
    first, second = Version.objects.filter(number=1).order_by("pk")[:2]
    body = json.dumps({"ladder": Ladder.objects.get().slug, "first": first.pk, "second": second.pk,
                       "matches": 2}).encode()
    before = Challenge.objects.count()
    _ask_and_kill(course, "/api/challenges/", "application/json", body)
    if Challenge.objects.count() == before:
        assert _status(course, "POST", "/api/challenges/", "application/json", body) == 201
    assert Challenge.objects.count() == before + 1


def _ask_and_kill(course: Course, path: str, kind: str, body: bytes) -> None:
    """Send a request or half of it, kill web a moment later, and wait until it has restarted."""
    web, dice = course.site.of("web")[0], course.dice
    whole = dice.random() < 0.7
    head = (f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {course.memory['token']}\r\n"
            f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n").encode()
    with socket.create_connection(("127.0.0.1", course.site.port)) as connection:
        connection.sendall(head + (body if whole else body[:len(body) // 2]))
        time.sleep(dice.uniform(0, 0.15))
        for pid in dice.choice([[web.pid], family(web.pid)]):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def back() -> bool:
        course.site.supervise()
        return web.alive and _status(course, "GET", "/health/live") == 200

    assert await_true(lambda: not web.alive, 60)
    assert await_true(back, PATIENCE_SECONDS), "web did not restart"


def _status(course: Course, method: str, path: str, kind: str = "", body: bytes = b"") -> int:
    """Return the status of the response; 0 if there is none."""
    connection = http.client.HTTPConnection("127.0.0.1", course.site.port, timeout=PATIENCE_SECONDS)
    headers = {"Authorization": f"Bearer {course.memory['token']}", "Content-Type": kind} if body else {}
    try:
        connection.request(method, path, body or None, headers)
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        connection.close()


def _archives(course: Course) -> set[str]:
    return {f"bots/{path.name}" for path in (course.backend.archives / "bots").iterdir()}


def _orphans(course: Course) -> set[str]:
    before = course.memory["before"]
    assert isinstance(before, set)
    return _archives(course) - before - set(Submission.objects.values_list("archive", flat=True))
