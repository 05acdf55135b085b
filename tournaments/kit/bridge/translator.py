"""A bot whose turns come from an engine: it tells the engine every turn, and checks the engine's turns by the rules."""

import sys
from math import inf
from random import Random

from engines.rules.errors import TurnError
from engines.rules.notation import PASS, RESIGN, SWAP, Turn, format_turn
from engines.rules.ruleset import Position
from engines.sdk import Bot, Clock
from tournaments.kit.bridge.engine import Engine
from tournaments.kit.bridge.mapping import Mapping


class BridgeBot(Bot):
    """An engine as a bot. Messages to the author go to standard error."""

    def __init__(self, mapping: Mapping, engine: Engine) -> None:
        # Attributes of the class in other bots; each bridge has those of its engine.
        self.name = mapping.name  # type: ignore[misc]
        self.rulesets = (mapping.ruleset,)  # type: ignore[misc]
        self._mapping = mapping
        self._engine = engine
        self._rng = Random()  # noqa: S311 - a bot's choices are no secrets
        self._turns: list[tuple[Position, Turn]] = []
        self._gives_up = False
        self._clock_told: bool | None = None

    def begin(self, size: int) -> None:
        """Set up the engine's board for a game. Raises MappingRefused, EngineFailed."""
        self._mapping.check_size(size)
        self._turns, self._gives_up, self._clock_told = [], False, None
        self._send("boardsize", size=size)
        self._clear(size)

    def hear(self, position: Position, turn: Turn) -> None:
        """Tell the engine a turn of the seat to move in the position. Raises EngineFailed."""
        self._turns.append((position, turn))
        if turn != (RESIGN,) and position.after(turn).outcome is None:
            self._tell(position, turn)

    def choose(self, position: Position, clock: Clock) -> Turn:
        """Return the engine's turn, or the mapping's substitute. Raises EngineFailed."""
        if self._gives_up:
            return (RESIGN,)
        self._tell_time(position, clock)
        colour = self._mapping.colours[position.seat_to_move]
        seconds = "" if clock.remaining == inf else f"{clock.remaining:g}"
        said = self._send("genmove", colour=colour, seconds=seconds)
        turn, why = self._read(position, said)
        if why:
            turn = self._substitute(position)
            self._say(f"the engine answered {said!r}, which is {why}. The mapping has illegal = "
                      f"{self._mapping.illegal!r}: the bridge plays {format_turn(turn, position.size)}")
        self._turns.append((position, turn))
        if why and turn != (RESIGN,) and position.after(turn).outcome is None:
            self._replay(position.size)
        return turn

    # --- the engine's board ------------------------------------------------------------------

    def _clear(self, size: int) -> None:
        self._send("clear_board", size=size)
        for command in self._mapping.setup:
            self._engine.tell(command)

    def _replay(self, size: int) -> None:
        """Set up the engine's board again, because its last turn was not the one that counts."""
        self._clear(size)
        for position, turn in self._turns:
            self._tell(position, turn)

    def _tell(self, position: Position, turn: Turn) -> None:
        colour, size = self._mapping.colours[position.seat_to_move], position.size
        text = self._mapping.notation.format(turn, size)
        if not text and turn == (SWAP,):
            # An engine without a swap gets the board after it: the same stone in the other colour.
            self._clear(size)
            after = position.after(turn)
            text = self._mapping.notation.format((after.stones.index(position.seat_to_move + 1),), size)
        if not text:
            self._refuse(f"the engine has no word for {format_turn(turn, size)!r}, which the opponent played")
            return
        command = self._mapping.commands["play"].format(colour=colour, turn=text)
        accepted, said = self._engine.ask(command)
        if not accepted:
            self._refuse(f"the engine refused {command!r}, a legal turn: it wrote {'? ' + said!r}")

    def _refuse(self, what: str) -> None:
        self._gives_up = self._mapping.refused == "resign"
        then = "resigns" if self._gives_up else "continues without this turn on the engine's board"
        self._say(f"{what}. The mapping has refused = {self._mapping.refused!r}: the bridge {then}")

    # --- the engine's turn -------------------------------------------------------------------

    def _read(self, position: Position, said: str) -> tuple[Turn, str]:
        """Return the turn that the engine wrote, and why it cannot be played, or ""."""
        turn = self._mapping.notation.parse(said, position.size)
        if turn is None:
            return (), f"not a turn in the mapping's notation, such as {self._mapping.notation.names(position.size)[0]}"
        try:
            position.check(turn)
        except TurnError as error:
            return turn, f"illegal in {position.name}: {error}"
        return turn, ""

    def _substitute(self, position: Position) -> Turn:
        if self._mapping.illegal == "random":
            return position.random_turn(self._rng)
        return (PASS,) if self._mapping.illegal == "pass" and position.is_legal((PASS,)) else (RESIGN,)

    def _tell_time(self, position: Position, clock: Clock) -> None:
        """Tell the engine the clock in GTP's whole seconds, until it refuses."""
        if clock.remaining == inf or self._clock_told is False:
            return
        per_turn = clock.remaining <= clock.increment
        left, increment = max(1, int(clock.remaining)), int(clock.increment)
        if self._clock_told is None:
            stones = 1 if per_turn or increment else 0
            increment = max(1, increment) if per_turn else increment
            self._clock_told = self._try("time_settings", seconds=0 if per_turn else left, increment=increment,
                                         stones=stones)
        if self._clock_told:
            self._clock_told = self._try("time_left", colour=self._mapping.colours[position.seat_to_move],
                                         seconds=left, stones=int(per_turn))

    # --- commands ----------------------------------------------------------------------------

    def _send(self, name: str, **facts: object) -> str:
        command = self._mapping.commands[name].format(**facts)
        return self._engine.tell(command) if command else ""

    def _try(self, name: str, **facts: object) -> bool:
        """Send a command that the engine may refuse; return whether it accepted it."""
        command = self._mapping.commands[name].format(**facts)
        accepted, said = self._engine.ask(command) if command else (True, "")
        if not accepted:
            self._say(f"the engine refused {command!r}: it wrote {'? ' + said!r}. It is not told the time; to send "
                      f'nothing, set {name} = "" in [commands]')
        return accepted

    def _say(self, message: str) -> None:
        print(f"bridge: {message}.", file=sys.stderr, flush=True)
