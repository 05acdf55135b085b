"""The watchdog ends a process whose work does not move, and kills a relative that is frozen."""

import os
import signal
import subprocess
import sys
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from tournaments.platform import watchdog

HANGS = """
import threading
from django.conf import settings
settings.configure(STUCK_SECONDS=0.4)
from tournaments.platform import watchdog
watchdog.start()
lock = threading.Lock()
lock.acquire()
with watchdog.watched("a match"):
    lock.acquire()
"""


@pytest.mark.serial
def test_a_process_that_waits_for_a_lock_for_ever_says_so_and_ends() -> None:
    ended = subprocess.run([sys.executable, "-c", HANGS], stderr=subprocess.PIPE, text=True, timeout=180, check=False)
    assert ended.returncode == 1
    assert "a match has not moved for 0 s, so this process ends" in ended.stderr
    assert 'File "<string>", line 10 in <module>' in ended.stderr


class TestALook:
    @pytest.fixture
    def look(self, monkeypatch: Any) -> Any:
        """Return a function that looks this often, after doing something each time, and returns what must end."""
        ends: list[str | int] = []
        monkeypatch.setattr(watchdog, "_end", ends.append)
        monkeypatch.setattr(watchdog, "_clocks", {})

        def look(number: int, act: Any, relatives: Any = tuple) -> list[str | int]:
            left = iter(range(number))
            clocks = {name: getattr(watchdog.time, name) for name in ("pthread_getcpuclockid", "clock_gettime")}

            def sleep(_: float) -> None:
                if next(left, None) is None:
                    raise StopIteration
                act()

            with monkeypatch.context() as patched:
                patched.setattr(watchdog, "time", SimpleNamespace(sleep=sleep, **clocks))
                with pytest.raises(StopIteration):
                    watchdog._run(relatives)
            return ends

        return look

    def test_ends_work_that_has_used_no_processor_time_and_none_that_rests_or_moves(self, look: Any) -> None:
        begun, over = threading.Semaphore(0), threading.Event()

        def wait(work: str) -> None:
            with watchdog.watched(work):
                begun.release()
                over.wait()

        threads = [threading.Thread(target=wait, args=(work,)) for work in ("a match", "a rest")]
        for thread in threads:
            thread.start()
            begun.acquire()
        watchdog.rest("a rest")
        with watchdog.watched("this test"):
            found = look(10, lambda: sum(range(1000)))
            assert found == []
            found = look(11, lambda: sum(range(1000)))
        over.set()
        for thread in threads:
            thread.join()
        assert found == ["a match"]

    def test_kills_a_child_that_is_frozen_and_not_one_that_continues(self, look: Any) -> None:
        child = subprocess.Popen(["sleep", "600"])
        try:
            assert child.pid in watchdog.children()
            os.kill(child.pid, signal.SIGSTOP)
            os.waitpid(child.pid, os.WUNTRACED)
            assert look(11, lambda: None, lambda: [child.pid, os.getpid()]) == [child.pid]
        finally:
            child.kill()
            child.wait()
