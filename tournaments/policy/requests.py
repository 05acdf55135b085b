"""Limits on the size and number of requests, and how long responses are shared."""

from tournaments.policy import env

# Maximum size of a request, archives included; and the time allowed for its body, in addition to 1 s per 64 KiB.
MAX_BODY_BYTES = env.int("SQUAREFIELD_MAX_BODY_BYTES", default=128 * 2**20)
BODY_SECONDS = env.float("SQUAREFIELD_BODY_SECONDS", default=60.0)
# Requests per minute: per address if not signed in, and per account; within these, uploads, bundles, and questions to
# bots together with turns of casual games. Pictures are those of games that have to be drawn, on pages.
API_RATES = {
    "anonymous": env.int("SQUAREFIELD_API_ANONYMOUS", default=60),
    "signed-in": env.int("SQUAREFIELD_API_SIGNED_IN", default=600),
    "uploads": env.int("SQUAREFIELD_API_UPLOADS", default=10),
    "bundles": env.int("SQUAREFIELD_API_BUNDLES", default=10),
    "questions": env.int("SQUAREFIELD_API_QUESTIONS", default=60),
    "pictures": env.int("SQUAREFIELD_API_PICTURES", default=30),
}
# The parts of a busy page that are the same for all visitors are rendered at most once in this time; 0 for every
# request.
SHARED_PAGE_SECONDS = env.float("SQUAREFIELD_SHARED_PAGE_SECONDS", default=2.0)
# An event's tables are computed once per revision, and cached for at most this long.
KEPT_TABLE_SECONDS = 600.0
