"""Celery tasks. A message contains only an ID; everything about the work is in the database."""

from collections.abc import Iterator
from contextlib import contextmanager

from celery import shared_task
from django.db import close_old_connections

from tournaments.platform import watchdog
from tournaments.platform.messaging.queues import ANALYSE_GAME, ANSWER_QUESTION, CHECK_SUBMISSION, PLAY_MATCH


@contextmanager
def _task(name: str) -> Iterator[None]:
    # Celery keeps the connection between tasks (CELERY_DB_REUSE_MAX), so a dead one must be detected here.
    close_old_connections()
    with watchdog.watched(name):
        yield


@shared_task(name=PLAY_MATCH)
def play_match(match_id: int) -> None:
    """Claim the match and play it, unless there is nothing to do."""
    from tournaments.worker import worker

    with _task(f"match {match_id}"):
        worker.play(match_id)


@shared_task(name=CHECK_SUBMISSION)
def check_submission(submission_id: int) -> None:
    """Claim the submission and check it, unless there is nothing to do."""
    from tournaments.worker import checks

    with _task(f"the check of submission {submission_id}"):
        checks.check(submission_id)


@shared_task(name=ANSWER_QUESTION)
def answer_question(question_id: int) -> None:
    """Claim the question and ask the bot, unless there is nothing to do."""
    from tournaments.worker import questions

    with _task(f"question {question_id}"):
        questions.answer(question_id)


@shared_task(name=ANALYSE_GAME)
def analyse_game(analysis_id: int) -> None:
    """Claim the analysis and judge some of its positions, unless there is nothing to do."""
    from tournaments.worker import analyses

    with _task(f"analysis {analysis_id}"):
        analyses.analyse(analysis_id)
