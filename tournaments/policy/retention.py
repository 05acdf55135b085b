"""Days after which rows are deleted (`services/shared/retention`); 0 or less for never."""

from tournaments.policy import env

# Casual games and questions, after their end.
CASUAL_DAYS = env.int("SQUAREFIELD_CASUAL_DAYS", default=90)
# Notices by webhook and mail, after the event that they report.
DELIVERY_DAYS = env.int("SQUAREFIELD_DELIVERY_DAYS", default=30)
# Attempts at matches that did not count, after their end.
VOID_ATTEMPT_DAYS = env.int("SQUAREFIELD_VOID_ATTEMPT_DAYS", default=90)
