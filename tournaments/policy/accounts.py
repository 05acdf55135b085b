"""How long sessions last without use, and what visitors share."""

from tournaments.policy import env

# A session ends this long after its last page; all end two weeks after the sign-in (`settings.SESSION_COOKIE_AGE`).
IDLE_SECONDS = 3600 * env.float("SQUAREFIELD_IDLE_HOURS", default=72.0)
IDLE_STAFF_SECONDS = 3600 * env.float("SQUAREFIELD_IDLE_STAFF_HOURS", default=12.0)
# All visitors of a network together have as much as this number of them; staff have no limit.
VISITORS_PER_NETWORK = env.int("SQUAREFIELD_VISITORS_PER_NETWORK", default=5)
