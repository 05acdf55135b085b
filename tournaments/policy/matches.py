"""How long workers keep what they have claimed, and how often it is tried."""

from tournaments.policy import env

LEASE_SECONDS = env.int("SQUAREFIELD_LEASE_SECONDS", default=60)
MAX_ATTEMPTS = 5
# Ids published and not yet claimed are published again after this long.
REPUBLISH_SECONDS = env.int("SQUAREFIELD_REPUBLISH_SECONDS", default=8)
# Attempts of a version in 24 hours that are void because the host starved it; after that its losses on time count.
STARVED_VOIDS_PER_DAY = env.int("SQUAREFIELD_STARVED_VOIDS_PER_DAY", default=20)
# Ids on a queue while no worker has declared itself.
DISPATCH_WINDOW = env.int("SQUAREFIELD_DISPATCH_WINDOW", default=64)
# A worker that was not heard of for this long is not counted on; it reports every third of it.
WORKER_SEEN_SECONDS = env.int("SQUAREFIELD_WORKER_SEEN_SECONDS", default=30)
