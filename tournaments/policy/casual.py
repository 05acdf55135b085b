"""Limits on questions to bots and casual games."""

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
