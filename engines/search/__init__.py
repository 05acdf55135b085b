"""What the reference bots share: judgement of positions per ruleset, random completions and the tree.

The rules themselves stay in `engines.rules.games`; nothing here decides what is legal or who has won a game.
"""
