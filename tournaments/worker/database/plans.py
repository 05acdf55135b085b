"""Planning of a worker's statements by PostgreSQL."""

from django.db import connection


def plan_once() -> None:
    """Let PostgreSQL reuse the plans of this process's statements, on connections opened from now on.

    A worker claims and finishes matches by ID: the same plan is good for all of them, and planning takes longer than
    the statement. The limit for claims in docs/reference/benchmarks.md ("Claims, pairing") is measured with it. Through
    a pooler, nothing is prepared, and no plan is reused.
    """
    options = connection.settings_dict["OPTIONS"]
    if "options" in options:
        options["options"] = options["options"].replace("force_custom_plan", "auto")
        connection.close()
