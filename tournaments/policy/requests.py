"""How much a request may bring, how many the API answers, and how long answers are shared."""

from tournaments.policy import env

# The most that a request may bring, archives included; and how long its body may take, in addition to 1 s per 64 KiB.
MAX_BODY_BYTES = env.int("SQUAREFIELD_MAX_BODY_BYTES", default=128 * 2**20)
BODY_SECONDS = env.float("SQUAREFIELD_BODY_SECONDS", default=60.0)
# Requests per minute: of an address that is not signed in, of an account, and among them uploads, bundles, and
# questions to bots with the turns of casual games.
API_RATES = {
    "anonymous": env.int("SQUAREFIELD_API_ANONYMOUS", default=60),
    "signed-in": env.int("SQUAREFIELD_API_SIGNED_IN", default=600),
    "uploads": env.int("SQUAREFIELD_API_UPLOADS", default=10),
    "bundles": env.int("SQUAREFIELD_API_BUNDLES", default=10),
    "questions": env.int("SQUAREFIELD_API_QUESTIONS", default=60),
}
# The parts of a busy page that are the same for all visitors are drawn at most once in this time; 0: every time.
SHARED_PAGE_SECONDS = env.float("SQUAREFIELD_SHARED_PAGE_SECONDS", default=2.0)
# An event's tables are computed once for each of its revisions, and are cached for at most this long.
KEPT_TABLE_SECONDS = 600.0
