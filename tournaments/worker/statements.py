"""How a worker's statements are planned by PostgreSQL."""

from django.db import connection


def plan_once() -> None:
    """Let PostgreSQL keep the plans of this process's statements, on connections that are opened from now on.

    A worker claims and finishes matches by their ids: one plan is as good for any of them, and making it takes longer
    than the statement. The limit for claims in docs/benchmarks.md ("Claims, pairing") is measured with it.
    """
    options = connection.settings_dict["OPTIONS"]
    if "options" in options:
        options["options"] = options["options"].replace("force_custom_plan", "auto")
        connection.close()
