r"""The bot's side of the protocol: subclass `Bot`, implement `choose`, and pass an instance to `run`.

>>> from random import Random
>>> class Novice(Bot):
...     name = "Novice"
...     def choose(self, position, clock):
...         return position.random_turn(Random(1))
>>> novice = Session(Novice())
>>> [novice.answer(line) for line in ("set_ruleset squ", "boardsize 4", "genmove red")]
['=\n\n', '=\n\n', '= a2\n\n']

A bot is a directory with a `bot.toml` and its program, which ends with `run(Novice())`; `squarefield new` creates one.
"""

from engines.rules.notation import PASS, RESIGN, SWAP, Turn
from engines.rules.ruleset import Position
from engines.sdk import ANY, Bot, Clock, Refusal, Session, View, run

__all__ = ["ANY", "PASS", "RESIGN", "SWAP", "Bot", "Clock", "Position", "Refusal", "Session", "Turn", "View", "run"]
