"""Numbers of matches that ladders, trials and challenges may queue."""

from tournaments.policy import env

# Games per author on ladders, in trials and in challenges in 24 hours, unless the profile sets another number; staff
# have no limit.
GAMES_PER_DAY = env.int("SQUAREFIELD_GAMES_PER_DAY", default=2000)
# Ladder matches per ruleset to keep queued or running, for each match that its workers can play at a time; and the
# maximum number of these per bot.
LADDER_DEPTH = env.int("SQUAREFIELD_LADDER_DEPTH", default=2)
LADDER_MATCHES_OF_A_BOT = env.int("SQUAREFIELD_LADDER_MATCHES_OF_A_BOT", default=2)
# Delay after a rating period until the ladder's ratings include it; longer if the computation is slow.
OFFICIAL_SECONDS = env.float("SQUAREFIELD_OFFICIAL_SECONDS", default=10.0)
# Trial matches per ruleset to keep queued or running, for each match that its workers can play at a time; the maximum
# number of these per trial; and the maximum number of running trials per author.
TRIAL_DEPTH = env.float("SQUAREFIELD_TRIAL_DEPTH", default=0.5)
TRIAL_MATCHES = env.int("SQUAREFIELD_TRIAL_MATCHES", default=4)
OPEN_TRIALS = env.int("SQUAREFIELD_OPEN_TRIALS", default=10)
# Maximum number of open challenges per user.
OPEN_CHALLENGES = env.int("SQUAREFIELD_OPEN_CHALLENGES", default=10)
