"""A starter bot: plays random legal turns in every ruleset."""

from random import Random

from squarefield.sdk import Bot, Clock, Position, Turn, View, run


class Starter(Bot):
    """Random bot. Start your work at `choose`."""

    name = "Starter in Python"

    def choose(self, position: Position, clock: Clock) -> Turn:
        """Choose your turn here. `position.after(turn)` returns the position after a turn."""
        # Optional: what the bot thinks, such as View(win=0.62, depth=7).
        self.view = View(nodes=1)
        return position.random_turn(Random())


if __name__ == "__main__":
    run(Starter())
