"""The organiser's desk. Facts are read-only; what can be done is done by the services' verbs."""

from tournaments.admin import bots, events, matches

__all__ = ["bots", "events", "matches"]
