"""Play games between Python functions and programs, with or without a clock.

>>> from random import Random
>>> random = Random(1)
>>> player = lambda position: position.random_turn(random)
>>> record = play("squ", player, player, size=4, names=("left", "right"))
>>> record.result.winner, record.result.reason.value, len(record.turns)
(1, 'board full', 9)

The result is a record: see `squarefield.records`.
"""

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike, fspath
from typing import Final

from engines.records.record import Fault, GameRecord, SeatRecord, TurnRecord
from engines.records.time_control import LONGEST_BASE, Clock, ClockKind, TimeControl, TimeControlError
from engines.referee.conduct import BotFault
from engines.referee.functions import Chooser, Function
from engines.referee.judging import OpeningError, judge, open_game, result_of
from engines.rules.outcome import default_ply_cap
from engines.rules.registry import find
from engines.rules.ruleset import Ruleset

Program = str | PathLike[str]
__all__ = ["Chooser", "OpeningError", "Program", "TimeControlError", "play"]

_NO_CLOCK: Final = TimeControl(LONGEST_BASE)


def play(ruleset: str, first: Chooser | Program, second: Chooser | Program, *, size: int | None = None,
         time: str | None = None, opening: Sequence[str] = (), names: tuple[str, str] | None = None,
         ply_cap: int | None = None, unsafe_local: bool = False) -> GameRecord:
    """Play one game and return its record. `first` has the first seat.

    A player is a function, from a position to a legal turn (or its text), or a program: the name of a reference bot, a
    bot's directory or archive, or a Python file. Programs run in a sandbox, which needs Linux and bubblewrap; with
    `unsafe_local` they run without one, as your user: only for your own bots. Functions run in this process.

    `time` is a time control such as `"5+0.1"` (seconds per game and per turn) or `"0.5/turn"`; without it, there is
    practically no limit: the record says `86400+0`, and programs receive no clock. If a player is a function, both are
    charged wall-clock time. Functions cannot be interrupted.
    The turns of `opening` are played first. After `ply_cap` plies, the game is a draw.

    An illegal turn or an exceeded clock forfeits the game. An exception in a function is raised. Raises UnknownRuleset,
    SetupError, OpeningError or TimeControlError for arguments that make no game, and for programs CannotPlay or
    SandboxError.
    """
    rules = find(ruleset)
    control = _NO_CLOCK if time is None else TimeControl.parse(time)
    players = [Function(_name_of(player), player) if callable(player) else fspath(player) for player in (first, second)]
    functions = [player for player in players if isinstance(player, Function)]
    if len(functions) == len(players):
        labels = names or (functions[0].name, functions[1].name)
        return _play_functions(rules, size, functions, labels, control, opening, ply_cap)
    return _play_programs(rules, size, players, names, control, opening, ply_cap, unsafe_local=unsafe_local)


def _name_of(chooser: Chooser) -> str:
    return getattr(chooser, "__name__", type(chooser).__name__)


def _play_functions(rules: Ruleset, size: int | None, players: Sequence[Function], names: tuple[str, str],
                    control: TimeControl, opening: Sequence[str], ply_cap: int | None) -> GameRecord:
    """Play one game without the modules of the sandbox, which need Linux."""
    position, opened = open_game(rules, size, opening)
    plies_left = (default_ply_cap(position.size) if ply_cap is None else ply_cap) - len(opened)
    seats = [player.sit(number) for number, player in enumerate(players)]
    for seat in seats:
        seat.clock = Clock(control, ClockKind.WALL)
    turns: list[TurnRecord] = []
    fault = None
    while position.outcome is None and plies_left > len(turns) and fault is None:
        seat = seats[position.seat_to_move]
        try:
            move = seat.choose(position)
            turn = judge(position, move.text)
        except BotFault as error:
            seconds = seat.timer.seconds
            fault = Fault(position.seat_to_move, error.kind, error.line, str(error), len(opened) + len(turns), seconds,
                          seconds)
        else:
            turns.append(TurnRecord(position.format(turn), move.charged, move.wall))
            position = position.after(turn)
    return GameRecord(
        ruleset=rules.slug, rules=rules.version, size=position.size, time_control=control, clock=ClockKind.WALL,
        tier="", seats=(SeatRecord(names[0], seats[0].program), SeatRecord(names[1], seats[1].program)),
        opening=tuple(opened), turns=tuple(turns), result=result_of(position, fault), fault=fault)


def _play_programs(rules: Ruleset, size: int | None, players: Sequence[Function | str], names: tuple[str, str] | None,
                   control: TimeControl, opening: Sequence[str], ply_cap: int | None, *,
                   unsafe_local: bool) -> GameRecord:
    from engines.referee.play import play_game
    from engines.sandbox import Sandbox
    from tournaments.kit.bots import stage_for
    from tournaments.kit.pool import player_of

    with Sandbox.open(unsafe_local=unsafe_local) as sandbox:
        first, second = (player if isinstance(player, Function) else
                         replace(player_of(sandbox, stage_for(sandbox, player, rules)), timed=control != _NO_CLOCK)
                         for player in players)
        if names is not None:
            first, second = replace(first, name=names[0]), replace(second, name=names[1])
        return play_game(rules, rules.default_size if size is None else size, (first, second), time_control=control,
                         opening=opening, ply_cap=ply_cap, tier=sandbox.tier.value)
