"""How many matches ladders, trials and challenges queue."""

from tournaments.policy import env

# Matches that an author's bots are given on ladders and in challenges in 24 hours, unless the profile says otherwise;
# staff have no limit.
GAMES_PER_DAY = env.int("SQUAREFIELD_GAMES_PER_DAY", default=2000)
# Ladder matches of a ruleset to have on hand, queued or being played, for each match that its workers play at a time;
# and how many of these a bot may have at a time.
LADDER_DEPTH = env.int("SQUAREFIELD_LADDER_DEPTH", default=2)
LADDER_MATCHES_OF_A_BOT = env.int("SQUAREFIELD_LADDER_MATCHES_OF_A_BOT", default=2)
# A ladder's official table has the games of a rating period this long after it; later where computing takes long.
OFFICIAL_SECONDS = env.float("SQUAREFIELD_OFFICIAL_SECONDS", default=10.0)
# Trial matches of a ruleset to have on hand, for each match that its workers play at a time; how many of these a trial
# may have at a time; and how many trials of an author's bots may run at a time.
TRIAL_DEPTH = env.float("SQUAREFIELD_TRIAL_DEPTH", default=0.5)
TRIAL_MATCHES = env.int("SQUAREFIELD_TRIAL_MATCHES", default=4)
OPEN_TRIALS = env.int("SQUAREFIELD_OPEN_TRIALS", default=10)
# Challenges of a person that may be open at a time.
OPEN_CHALLENGES = env.int("SQUAREFIELD_OPEN_CHALLENGES", default=10)
