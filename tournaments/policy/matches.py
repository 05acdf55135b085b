"""Leases of claimed work, numbers of attempts, and the dispatch of IDs to workers."""

from tournaments.policy import env

LEASE_SECONDS = env.int("SQUAREFIELD_LEASE_SECONDS", default=90)
# A worker that plays and sends no heartbeat for this long is taken for dead, within this time plus a second. It sends
# one every third of this time.
SILENCE_SECONDS = env.int("SQUAREFIELD_SILENCE_SECONDS", default=12)
MAX_ATTEMPTS = 5
# A worker replaces each of its processes after this many matches, checks, questions and analyses.
TASKS_PER_PROCESS = env.int("SQUAREFIELD_TASKS_PER_PROCESS", default=500)
# IDs that have not been claimed are republished after this time.
REPUBLISH_SECONDS = env.int("SQUAREFIELD_REPUBLISH_SECONDS", default=8)
# Maximum number of attempts per version in 24 hours that are void because the host starved it; after that, losses on
# time count.
STARVED_VOIDS_PER_DAY = env.int("SQUAREFIELD_STARVED_VOIDS_PER_DAY", default=20)
# Number of IDs on a queue while no worker has declared itself.
DISPATCH_WINDOW = env.int("SQUAREFIELD_DISPATCH_WINDOW", default=64)
# A worker without a heartbeat for this long counts as offline. Idle workers send one every third of this time.
WORKER_SEEN_SECONDS = env.int("SQUAREFIELD_WORKER_SEEN_SECONDS", default=30)
# A process whose work has not moved for this long ends (`platform.watchdog`).
STUCK_SECONDS = env.int("SQUAREFIELD_STUCK_SECONDS", default=300)
STANDSTILL_SECONDS = env.int("SQUAREFIELD_STANDSTILL_SECONDS", default=40)
