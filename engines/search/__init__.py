"""Code shared by the reference bots: evaluators for each ruleset, random completions and the search tree.

The rules themselves are in `engines.rules.games`; nothing here decides which turns are legal or who has won a game.
"""
