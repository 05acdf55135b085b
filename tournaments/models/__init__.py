"""The service's nouns. Facts (submissions, versions, games, attempts) are inserted and never edited."""

from tournaments.models.bots import Bot, Submission, Version
from tournaments.models.events import Entry, Event, Ladder, Round
from tournaments.models.matches import Attempt, Game, Match

__all__ = ["Attempt", "Bot", "Entry", "Event", "Game", "Ladder", "Match", "Round", "Submission", "Version"]
