"""Analysis of a game by a worker process: it shows each position to the judges, and records their verdicts."""

import logging
import time
from collections.abc import Iterator, Sequence
from typing import Any

from django.conf import settings

from engines.records.record import GameRecord
from engines.records.time_control import TimeControl
from engines.referee.host import HostStarved
from engines.referee.questions import Question, ask
from engines.rules.registry import find
from tournaments.models import Analysis, Version
from tournaments.platform.logs import about
from tournaments.scoring.analysis import Verdict
from tournaments.services.casual import judging
from tournaments.services.casual.judging import AnalysisLease
from tournaments.worker.attempts import attempt, name_of
from tournaments.worker.database.place import borrowing_now
from tournaments.worker.heartbeat import Heartbeat
from tournaments.worker.worker import WorkerContext, this_process

log = logging.getLogger(__name__)

claim, finish, interrupt, note, void = map(borrowing_now, (
    judging.claim, judging.finish, judging.interrupt, judging.note, judging.void))
# Pages poll the progress every few seconds.
_NOTE_SECONDS = 2.0
# A judge that fails this often in a row is not asked again about this game.
_MOST_FAULTS = 3


def analyse(analysis_id: int) -> None:
    """Judge positions of the game, if the analysis can be claimed: all that are left, or as many as time allows."""
    context = this_process()
    with context.taking(claim, analysis_id=analysis_id) as lease:
        if lease is None:
            return
        with about(analysis=analysis_id, attempt=lease.number, worker=context.name):
            _analyse(context, lease)


def _analyse(context: WorkerContext, lease: AnalysisLease) -> None:
    rows = attempt(lease, lambda heartbeat: _judge(context, lease, heartbeat), void=void, rest=context.rest)
    if rows is None:
        return
    done = len(rows) == lease.work.positions
    counts = (finish if done else interrupt)(lease, rows)
    log.info("%s: %d of %d positions%s", name_of(lease), len(rows), lease.work.positions,
             "" if counts else ", but too late")


def _judge(context: WorkerContext, lease: AnalysisLease, heartbeat: Heartbeat) -> list[Any]:
    """Return the verdicts so far, more than before."""
    rows = list(lease.work.verdicts)
    began = noted = time.monotonic()
    for question in list(_questions(lease.work))[len(rows):]:
        heartbeat.check()
        rows.append(judgements(context, lease.work.judges, question, heartbeat, rows))
        now = time.monotonic()
        if now - began >= settings.ANALYSIS_SLICE_SECONDS:
            break
        if now - noted >= _NOTE_SECONDS:
            note(lease, rows)
            noted = now
    return rows


def judgements(context: WorkerContext, judges: Sequence[Version], question: Question, heartbeat: Heartbeat,
               before: Sequence[Any]) -> list[dict[str, str]]:
    """Return each judge's verdict on the position, as JSON data."""
    return [_verdict(context, version, question, heartbeat).to_json()
            if not _has_failed([row[place] for row in before[-_MOST_FAULTS:]]) else Verdict(reason="gave up").to_json()
            for place, version in enumerate(judges)]


def _has_failed(last: Sequence[dict[str, str]]) -> bool:
    return len(last) == _MOST_FAULTS and all("turn" not in verdict for verdict in last)


def _verdict(context: WorkerContext, version: Version, question: Question, heartbeat: Heartbeat) -> Verdict:
    try:
        answer = ask(question, context.player(version, heartbeat))
    except HostStarved:
        # The judge had no fair chance here. The rest of the game does not have to wait for it.
        return Verdict(reason="busy host")
    if answer.fault is not None:
        context.excuse(version)
        return Verdict(reason=answer.fault.kind.value)
    return Verdict(answer.turn, answer.view)


def _questions(analysis: Analysis) -> Iterator[Question]:
    """Yield the positions to judge: the one before each turn of the bots."""
    record = GameRecord.from_dict(analysis.game.record)
    turns, control = [text for text, _ in record.plies], TimeControl(per_turn=analysis.seconds)
    for ply in range(len(record.opening), len(turns)):
        yield Question(find(record.ruleset), record.size, tuple(turns[:ply]), control, analysis.seconds)
