"""In which order a worker looks at its queues: questions first, for people wait for them, and the others in turn."""

from kombu.utils.scheduling import round_robin_cycle

from tournaments.platform.messaging.queues import QUESTIONS_QUEUE


class QuestionsFirst(round_robin_cycle):
    """Kombu's round-robin, but for the one queue that is always looked at first."""

    def consume(self, n: int) -> list[str]:
        return sorted(super().consume(n), key=lambda queue: queue != QUESTIONS_QUEUE)
