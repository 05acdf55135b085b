from django.apps import AppConfig


class TournamentsConfig(AppConfig):
    name = "tournaments"
    verbose_name = "Tournaments"

    def ready(self) -> None:
        # Tasks bind to the application that is imported first: let it be ours.
        from tournaments import celery  # noqa: F401
        from tournaments.operations import security_log
        from tournaments.web.accounts import sessions

        security_log.listen()
        sessions.listen()
