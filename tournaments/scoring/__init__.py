"""Points, tie-breaks and standings of an event, and what can be verified of one. Pure: nothing here needs Django."""
