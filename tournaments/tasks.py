"""What Celery runs. The message is an id and nothing else; everything about the work is in the database."""

from celery import shared_task
from django.db import close_old_connections

from tournaments.platform.messaging.queues import ANSWER_QUESTION, CHECK_SUBMISSION, PLAY_MATCH


@shared_task(name=PLAY_MATCH)
def play_match(match_id: int) -> None:
    """Claim the match and play it, or find that there is nothing to do."""
    from tournaments.worker import worker

    # Celery keeps the connection between tasks (CELERY_DB_REUSE_MAX), so a dead one has to be noticed here.
    close_old_connections()
    worker.play(match_id)


@shared_task(name=CHECK_SUBMISSION)
def check_submission(submission_id: int) -> None:
    """Claim the submission and check it, or find that there is nothing to do."""
    from tournaments.worker import checks

    close_old_connections()
    checks.check(submission_id)


@shared_task(name=ANSWER_QUESTION)
def answer_question(question_id: int) -> None:
    """Claim the question and put it to its bot, or find that there is nothing to do."""
    from tournaments.worker import questions

    close_old_connections()
    questions.answer(question_id)
