"""Limits on questions to bots, casual games and analyses of games."""

from tournaments.policy import env

# Questions to bots that an account or a visitor may have open at a time, and may ask per hour.
OPEN_QUESTIONS = env.int("SQUAREFIELD_OPEN_QUESTIONS", default=3)
QUESTIONS_PER_HOUR = env.int("SQUAREFIELD_QUESTIONS_PER_HOUR", default=60)
# The same limits for casual games.
OPEN_CASUAL_GAMES = env.int("SQUAREFIELD_OPEN_CASUAL_GAMES", default=3)
CASUAL_GAMES_PER_HOUR = env.int("SQUAREFIELD_CASUAL_GAMES_PER_HOUR", default=20)
# Maximum remaining time on a bot's clock in a question about a recorded game.
LONGEST_QUESTION_SECONDS = env.float("SQUAREFIELD_LONGEST_QUESTION_SECONDS", default=30.0)
# A casual game without a clock is abandoned if the player does not move for this long.
CASUAL_PATIENCE_SECONDS = env.int("SQUAREFIELD_CASUAL_PATIENCE_SECONDS", default=3600)
# Analyses of games that an account may have open at a time, and may ask for per hour; staff have no limit.
OPEN_ANALYSES = env.int("SQUAREFIELD_OPEN_ANALYSES", default=2)
ANALYSES_PER_HOUR = env.int("SQUAREFIELD_ANALYSES_PER_HOUR", default=6)
# Budget of each judge: seconds per position, and at most this many seconds for a whole game.
ANALYSIS_POSITION_SECONDS = env.float("SQUAREFIELD_ANALYSIS_POSITION_SECONDS", default=1.0)
ANALYSIS_GAME_SECONDS = env.float("SQUAREFIELD_ANALYSIS_GAME_SECONDS", default=120.0)
# After this many seconds, a worker interrupts an analysis, so that other work can go first.
ANALYSIS_SLICE_SECONDS = env.float("SQUAREFIELD_ANALYSIS_SLICE_SECONDS", default=10.0)
