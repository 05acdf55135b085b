"""pytest plugin: write a line per test, with its processor seconds and the planted faults that it reached.

With SQF_COVERAGE, a path, it also measures lines and branches of the four packages in the process of the tests.
"""

import json
import os
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage

import faults_runtime
import pytest

faults_runtime._TEST = ""
_notes = open(f"{os.environ['SQF_REACH']}/tests-{os.getpid()}.jsonl", "a") if "SQF_REACH" in os.environ else None  # noqa: PTH123, SIM115
_coverage = None
if "SQF_COVERAGE" in os.environ:
    import coverage

    _coverage = coverage.Coverage(branch=True, data_file=os.environ["SQF_COVERAGE"], data_suffix=True,
                                  source=["engines", "ratings", "tournaments", "frontend"], omit=["*/migrations/*"])
    _coverage.start()


def _seconds():
    return sum(sum(getrusage(who)[:2]) for who in (RUSAGE_SELF, RUSAGE_CHILDREN))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item):
    faults_runtime.reached.clear()
    before = _seconds()
    result = yield
    if _notes:
        line = {"test": item.nodeid, "seconds": round(_seconds() - before, 3),
                "reached": sorted(faults_runtime.reached)}
        _notes.write(json.dumps(line) + "\n")
        _notes.flush()
    return result


def pytest_runtest_logreport(report):
    if _notes and report.failed:
        line = {"failed": report.nodeid, "why": str(report.longrepr)[-1500:]}
        _notes.write(json.dumps(line) + "\n")


def pytest_unconfigure():
    if _coverage:
        _coverage.stop()
        _coverage.save()
