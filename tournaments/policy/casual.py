"""How much people may ask bots, and how long it is kept."""

from tournaments.policy import env

# Questions to bots that a person or a visitor may have open at a time, and may put in an hour.
OPEN_QUESTIONS = env.int("SQUAREFIELD_OPEN_QUESTIONS", default=3)
QUESTIONS_PER_HOUR = env.int("SQUAREFIELD_QUESTIONS_PER_HOUR", default=60)
# Casual games, in the same way.
OPEN_CASUAL_GAMES = env.int("SQUAREFIELD_OPEN_CASUAL_GAMES", default=3)
CASUAL_GAMES_PER_HOUR = env.int("SQUAREFIELD_CASUAL_GAMES_PER_HOUR", default=20)
# The most that a bot's clock shows in a question from a recorded game.
LONGEST_QUESTION_SECONDS = env.float("SQUAREFIELD_LONGEST_QUESTION_SECONDS", default=30.0)
# A casual game without a clock is abandoned when its person does not play for this long.
CASUAL_PATIENCE_SECONDS = env.int("SQUAREFIELD_CASUAL_PATIENCE_SECONDS", default=3600)
# Casual games and questions are deleted this many days after their end; 0 keeps them.
CASUAL_DAYS = env.int("SQUAREFIELD_CASUAL_DAYS", default=90)
