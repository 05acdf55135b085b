"""Order of a worker's queues: questions first, because people wait for the answers, then the others in turn."""

from kombu.utils.scheduling import round_robin_cycle

from tournaments.platform.messaging.queues import QUESTIONS_QUEUE


class QuestionsFirst(round_robin_cycle):
    """Kombu's round-robin, with the queue of questions always first."""

    def consume(self, n: int) -> list[str]:
        return sorted(super().consume(n), key=lambda queue: queue != QUESTIONS_QUEUE)
