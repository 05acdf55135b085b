from django.apps import AppConfig


class TournamentsConfig(AppConfig):
    name = "tournaments"
    verbose_name = "Tournaments"

    def ready(self) -> None:
        # Tasks bind to the Celery application that is imported first, which must be ours.
        from tournaments import celery  # noqa: F401
        from tournaments.operations import checks, security_log  # noqa: F401 - the checks register themselves
        from tournaments.web.accounts import sessions

        security_log.listen()
        sessions.listen()
