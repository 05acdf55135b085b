"""Order of a worker's queues: questions first, because people wait for them, analyses last, the others in turn."""

from kombu.utils.scheduling import round_robin_cycle

from tournaments.platform.messaging.queues import ANALYSES_QUEUE, QUESTIONS_QUEUE


class QuestionsFirst(round_robin_cycle):
    """Kombu's round-robin, with the queue of questions always first, and that of analyses always last."""

    def consume(self, n: int) -> list[str]:
        return sorted(super().consume(n), key=lambda queue: (queue != QUESTIONS_QUEUE, queue == ANALYSES_QUEUE))
