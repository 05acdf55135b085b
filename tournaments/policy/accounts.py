"""Idle time before sessions end, and the limits that visitors of a network share."""

from tournaments.policy import env

# Inactivity after which a session ends; every session ends two weeks after sign-in (`settings.SESSION_COOKIE_AGE`).
IDLE_SECONDS = 3600 * env.float("SQUAREFIELD_IDLE_HOURS", default=72.0)
IDLE_STAFF_SECONDS = 3600 * env.float("SQUAREFIELD_IDLE_STAFF_HOURS", default=12.0)
# The visitors of one network share the limits of this number of visitors; staff have no limit.
VISITORS_PER_NETWORK = env.int("SQUAREFIELD_VISITORS_PER_NETWORK", default=5)
