"""Limits on uploads."""

from tournaments.policy import env

MAX_ARCHIVE_BYTES = env.int("SQUAREFIELD_MAX_ARCHIVE_BYTES", default=32 * 2**20)
# Uploads per author in 24 hours, unless the profile sets another number; staff have no limit.
UPLOADS_PER_DAY = env.int("SQUAREFIELD_UPLOADS_PER_DAY", default=20)
