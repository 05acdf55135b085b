"""Workers: their declarations, their load, and draining them for an upgrade."""

from django.contrib import admin
from django.utils import timezone

from tournaments.admin.shared.service import ServiceAdmin, Verb
from tournaments.models import Worker
from tournaments.operations import workers as reads
from tournaments.services.matches import workers as verbs


@admin.register(Worker)
class WorkerAdmin(ServiceAdmin):
    verbs = {
        "drain": Verb(verbs.drain, "Drain", "draining", ("online",)),
        "resume": Verb(verbs.resume, "Resume", "taking matches again", ("draining",)),
    }
    list_display = ["name", "state", "tier", "plays", "concurrency", "cores", "busy", "software", "seen_at"]
    list_filter = ["tier", "host", "draining"]
    search_fields = ["name"]

    @admin.display(description="rulesets")
    def plays(self, row: Worker) -> str:
        """Return the slugs of the worker's rulesets."""
        return ", ".join(row.rulesets)

    @admin.display(description="load", ordering="load")
    def busy(self, row: Worker) -> str:
        """Return the machine's load over the last minute, or a dash if it is not reported."""
        return "–" if row.load is None else f"{row.load:.2f}"

    @admin.display
    def state(self, row: Worker) -> str:
        """Return online, draining, stopped (by its own report) or silent."""
        if row.stopped_at is not None:
            return "stopped"
        if not reads.is_online(row, timezone.now()):
            return "silent"
        return "draining" if row.draining else "online"
