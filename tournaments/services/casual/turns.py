"""Effect of a turn on a casual game. Callers hold the game's row."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy

from engines.records.record import EndedBy
from engines.referee.play import default_ply_cap
from engines.referee.questions import Answer, position_after
from engines.rules.outcome import Adjudication
from engines.rules.registry import find
from engines.rules.ruleset import Position
from tournaments.models import CasualGame
from tournaments.models.lifecycle import CASUAL_TRANSITIONS, CasualStatus
from tournaments.services.shared.wakeups import Step, wake

# Allowance for sending a person's turn to the server.
GRACE_SECONDS: Final = 1.0


@dataclass(frozen=True, slots=True)
class Pace:
    """Time for both sides: the person has a clock for the game, or none; the bot has a fixed time per turn."""

    words: Any
    bot_seconds: float
    base_seconds: float | None = None
    increment_seconds: float = 0.0


PACES: Final = {
    "unhurried": Pace(gettext_lazy("No clock for you; 3 s per turn for the bot"), 3.0),
    "quick": Pace(gettext_lazy("3 min + 2 s per turn for you; 1 s per turn for the bot"), 1.0, 180.0, 2.0),
    "normal": Pace(gettext_lazy("10 min + 5 s per turn for you; 3 s per turn for the bot"), 3.0, 600.0, 5.0),
    "long": Pace(gettext_lazy("30 min + 15 s per turn for you; 10 s per turn for the bot"), 10.0, 1800.0, 15.0),
}


def lock_game(pk: int) -> CasualGame:
    """Return the game's current row, locked until the transaction ends."""
    return CasualGame.objects.select_related("version__bot").select_for_update(of=("self",)).get(pk=pk)


def plies(game: CasualGame) -> list[str]:
    """Return all turns of the game as text, those of the opening first."""
    return [*game.opening, *(text for text, _ in game.turns)]


def position_of(game: CasualGame) -> Position:
    """Return the present position of the game."""
    return position_after(find(game.ruleset), game.size, plies(game))


def is_persons_turn(game: CasualGame) -> bool:
    """Return whether the game is in progress and waits for the person."""
    return game.status in CASUAL_TRANSITIONS["play"] and game.deadline_at is not None


def add_turn(game: CasualGame, text: str, seconds: float, now: datetime) -> None:
    """Play a turn for the side to move, and end the game if the turn does. Raises TurnError."""
    before = position_of(game)
    turn = before.parse(text)
    before.check(turn)
    game.turns = [*game.turns, [before.format(turn), round(seconds, 3)]]
    position = before.after(turn)
    if (outcome := position.outcome) is not None:
        end(game, now, winner=outcome.winner, ended_by=EndedBy.RULE, reason=outcome.reason)
    elif len(plies(game)) >= default_ply_cap(game.size):
        end(game, now, winner=None, ended_by=EndedBy.POLICY, reason=Adjudication.PLY_CAP)
    else:
        turn_to(game, position, now)


def turn_to(game: CasualGame, position: Position, now: datetime) -> None:
    """Give the turn to the side to move in the position; the person's clock starts with their turn."""
    game.turn_began_at, game.deadline_at = now, None
    if position.seat_to_move == game.seat:
        patience = (settings.CASUAL_PATIENCE_SECONDS if game.left_seconds is None
                    else game.left_seconds + GRACE_SECONDS)
        game.deadline_at = now + timedelta(seconds=patience)
        wake(Step.END_CASUAL_GAMES)
    game.save()


def end(game: CasualGame, now: datetime, *, status: str = CasualStatus.FINISHED, winner: int | None = None,
        ended_by: str = "", reason: str = "") -> None:
    """End the game; `ended_by` and `reason` are those of a finished game."""
    game.status, game.winner, game.ended_by, game.reason = status, winner, str(ended_by), str(reason)
    game.ended_at, game.deadline_at = now, None
    game.save()


def apply_answer(game: CasualGame, answer: Answer, now: datetime) -> None:
    """Apply the bot's answer: play its turn, or end the game by its fault."""
    if answer.fault is not None:
        end(game, now, winner=game.seat, ended_by=EndedBy.CONDUCT, reason=answer.fault.kind)
    else:
        add_turn(game, answer.turn, answer.seconds, now)


def overdue(now: datetime) -> QuerySet[Any]:
    """Return the games in which the person should have played by now."""
    return CasualGame.objects.filter(status__in=CASUAL_TRANSITIONS["end"], deadline_at__lt=now)


def flag(game: CasualGame, now: datetime) -> None:
    """End a game in which the person has not played in time: lost on time or, without a clock, abandoned."""
    if game.base_seconds is None:
        end(game, now, status=CasualStatus.ABANDONED)
    else:
        end(game, now, winner=1 - game.seat, ended_by=EndedBy.CONDUCT, reason="time")
