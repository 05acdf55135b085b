"""Plays one game between two bots: asks for turns, checks them, charges time, and turns faults into forfeits.

A game ends by rule, by conduct (the bot at fault loses) or by policy (the ply cap: a draw). Any other problem is
raised as an exception and never becomes a result. In all cases, both processes have been killed afterwards.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Final

from engines.records.record import Fault, GameRecord, SeatRecord, TurnRecord
from engines.records.time_control import ClockKind, TimeControl
from engines.referee.clock import Deadline
from engines.referee.conduct import BotFault
from engines.referee.functions import Function, FunctionSeat
from engines.referee.judging import OpeningError, judge, open_game, result_of
from engines.referee.seat import Player, Seat
from engines.rules.outcome import default_ply_cap
from engines.rules.ruleset import Position, Ruleset
from engines.sandbox.isolation.limits import DEFAULT, Limits

OnTurn = Callable[[Position, TurnRecord], None]
__all__ = ["OpeningError", "Player", "default_ply_cap", "judge", "play_game", "stop_bots"]

# Long enough for a bot to write its last output, and short enough that none outlives its game by 100 ms.
_QUIT_SECONDS: Final = 0.05


def play_game(
    ruleset: Ruleset,
    size: int,
    players: tuple[Player | Function, Player | Function],
    *,
    time_control: TimeControl,
    ply_cap: int | None = None,
    opening: Sequence[str] = (),
    seed: int | None = None,
    on_turn: OnTurn | None = None,
    ponder: bool = False,
    limits: Limits = DEFAULT,
    tier: str = "",
) -> GameRecord:
    """Play one game; `players[0]` has seat 0 and moves first. A function plays in this process, without limits.

    The turns of `opening` are sent to both bots before the first turn is requested; they count as plies. `on_turn` is
    called with the position after each turn of a bot, and may raise an exception to abort the game. If `ponder` is
    true, a bot may think while the other is to move; otherwise it is frozen. The `limits` on output and on the
    handshake are enforced here. `seed`, from which the opening was drawn, and `tier` are stored in the record.

    Seat 0 completes the handshake first, so if both bots would fail it, seat 0 loses. Raises SetupError if the ruleset
    does not have this size, OpeningError if the opening cannot be played, HostStarved if a bot could not have kept to
    its time because of the host, and any exception from `players` and `on_turn`.
    """
    cpu_began = time.thread_time()
    cap = default_ply_cap(size) if ply_cap is None else ply_cap
    game = _Game(ruleset, size, opening, cap, on_turn=on_turn, ponder=ponder)
    with ExitStack() as ends:
        for number, player in enumerate(players):
            game.seats.append(player.sit(number, limits))
            ends.callback(game.seats[number].process.kill)
        metered = all(seat.process.cpu_seconds() is not None for seat in game.seats)
        kind = ClockKind.CPU if metered else ClockKind.WALL
        fault = game.run(time_control, kind)
        stop_bots(game.seats, None if fault is None else game.seats[fault.seat])
    first, second = game.seats
    return GameRecord(
        ruleset=ruleset.slug, rules=ruleset.version, size=size, time_control=time_control, clock=kind, tier=tier,
        seats=(_seat_record(first), _seat_record(second)), opening=tuple(game.opening), turns=tuple(game.turns),
        result=result_of(game.position, fault), fault=fault, overhead=time.thread_time() - cpu_began, seed=seed,
        stderr=(first.channel.log.text(), second.channel.log.text()),
    )


class _Game:
    """The state of a game in progress."""

    def __init__(self, ruleset: Ruleset, size: int, opening: Sequence[str], ply_cap: int,
                 *, on_turn: OnTurn | None, ponder: bool) -> None:
        self.ruleset = ruleset
        self.position, self.opening = open_game(ruleset, size, opening)
        self.seats: list[Seat | FunctionSeat] = []
        self.turns: list[TurnRecord] = []
        self._plies_left = ply_cap - len(self.opening)
        self._on_turn = on_turn
        self._ponder = ponder
        self._asked = 0
        self._turn_began = 0.0

    def run(self, control: TimeControl, kind: ClockKind) -> Fault | None:
        """Play until the rules, a fault or the ply cap end the game. Return the fault, if any."""
        colours = self.ruleset.colours
        opening = [(colours[ply % 2], text) for ply, text in enumerate(self.opening)]
        try:
            for number, seat in enumerate(self.seats):
                self._asked, self._turn_began = number, time.thread_time()
                seat.handshake(self.ruleset, self.position.size, control, kind, opening)
                self._rest(seat)
            news = None
            while self.position.outcome is None and self._plies_left > 0:
                news = self._one_turn(news)
        except BotFault as fault:
            return self._fault(fault)
        return None

    def _one_turn(self, news: tuple[str, str] | None) -> tuple[str, str]:
        """Request a turn from the seat to move. Return its colour and turn, to be sent to the other seat."""
        self._turn_began = time.thread_time()
        position = self.position
        self._asked = position.seat_to_move
        seat = self.seats[self._asked]
        if not self._ponder:
            seat.process.thaw()
        move = seat.move(news)
        self._rest(seat)
        turn = judge(position, move.text)
        text = position.format(turn)
        self.position = position.after(turn)
        record = TurnRecord(text, move.charged, move.wall, time.thread_time() - self._turn_began, move.view)
        self.turns.append(record)
        self._plies_left -= 1
        if self._on_turn is not None:
            self._on_turn(self.position, record)
        return seat.colour, record.turn

    def _fault(self, fault: BotFault) -> Fault:
        """Return the fault for the record. Raises HostStarved if the host is at fault."""
        seat = self.seats[self._asked]
        seconds, wall = seat.timer.charged(), seat.timer.wall()
        return Fault(self._asked, fault.kind, fault.line, seat.excuse(fault), len(self.opening) + len(self.turns),
                     seconds, wall, time.thread_time() - self._turn_began)

    def _rest(self, seat: Seat | FunctionSeat) -> None:
        """Keep a bot that is not to move from using the core of the bot that is thinking."""
        if not self._ponder:
            seat.process.freeze()


def stop_bots(seats: Sequence[Seat | FunctionSeat], at_fault: Seat | FunctionSeat | None) -> None:
    """Send `quit` to all bots except the one at fault, and collect the stderr of all of them."""
    leaving = [seat for seat in seats if seat is not at_fault]
    for seat in leaving:
        seat.process.thaw()
        seat.channel.say_quit()
    deadline = Deadline(_QUIT_SECONDS)
    for seat in leaving:
        seat.channel.await_exit(deadline)
    for seat in seats:
        seat.channel.collect()


def _seat_record(seat: Seat | FunctionSeat) -> SeatRecord:
    return SeatRecord(seat.name, seat.program, seat.handshake_seconds)
