"""The formats of events, one module each: pairings, standings, and what is left to play. Pure."""
