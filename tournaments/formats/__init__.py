"""The formats of events, a module each: who meets whom, who is where in the table, what is left to play. Pure."""
