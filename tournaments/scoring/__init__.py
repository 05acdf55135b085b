"""Points, tie-breaks and standings of an event, and their verification. Pure: nothing here needs Django."""
