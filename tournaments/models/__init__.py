"""The service's nouns. Facts (versions, games, attempts, checks) are inserted, and what they say is never edited."""

from tournaments.models.bots import Bot, Check, Submission, Version
from tournaments.models.events import Entry, Event, Ladder, Round
from tournaments.models.matches import Attempt, Game, Match

__all__ = ["Attempt", "Bot", "Check", "Entry", "Event", "Game", "Ladder", "Match", "Round", "Submission", "Version"]
