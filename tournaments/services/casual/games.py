"""Casual games: a person plays a bot in the browser, turn by turn. The bot's turns are questions to it."""

from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext

from engines.records.record import EndedBy
from engines.records.time_control import TimeControl
from engines.rules import openings
from engines.rules.errors import TurnError
from engines.rules.notation import RESIGN
from engines.rules.outcome import Ending
from engines.rules.registry import find
from engines.rules.ruleset import SetupError
from tournaments.models import CasualGame, Question, Version
from tournaments.models.lifecycle import QUESTION_TRANSITIONS, CasualStatus, QuestionStatus
from tournaments.platform.keys import LINK
from tournaments.platform.refusals import Refused
from tournaments.selectors.shared.permissions import Forbidden, refuse_banned
from tournaments.services.accounts.visitors import Asker, Limit, refuse_too_many
from tournaments.services.casual import turns
from tournaments.services.casual.questions import enqueue, refuse_unaskable
from tournaments.services.casual.turns import PACES, flag, is_persons_turn, lock_game, overdue, plies, position_of
from tournaments.services.shared.failures import each
from tournaments.services.shared.locks import Lock, hold

AT_ONCE: Final = 100


class CasualRefused(Refused):
    """The game is not possible, or the action is not possible now."""


@dataclass(frozen=True, slots=True)
class Terms:
    """Terms of a casual game. `opening` asks for a balanced opening, drawn by the seed of `begin`."""

    ruleset: str
    size: int
    pace: str
    seat: int
    opening: bool = False


def begin(*, asker: Asker, version: Version, terms: Terms, seed: int, now: datetime) -> CasualGame:
    """Start a game against a version. Raises CasualRefused, QuestionRefused, TooMany, Forbidden."""
    if asker.user is not None:
        refuse_banned(user=asker.user)
    refuse_unaskable(version, terms.ruleset)
    ruleset = find(terms.ruleset)
    try:
        ruleset.check_size(terms.size)
    except SetupError as error:
        raise CasualRefused(f"{error}.") from None
    pace = PACES.get(terms.pace)
    if pace is None or terms.seat not in (0, 1):
        raise CasualRefused(gettext("The pace must be one of %(paces)s, and the seat 0 or 1."), paces=", ".join(PACES))
    opening = openings.draw(ruleset, terms.size, seed) if terms.opening else ()
    with transaction.atomic():
        hold(Lock.QUESTIONS)
        refuse_too_many(asker, CasualGame.objects.all(), _limit(), now)
        facts: dict[str, Any] = asker.facts
        game = CasualGame(
            **facts, token=LINK.make(), version=version, ruleset=terms.ruleset, size=terms.size, seat=terms.seat,
            base_seconds=pace.base_seconds, increment_seconds=pace.increment_seconds, bot_seconds=pace.bot_seconds,
            left_seconds=pace.base_seconds, opening=list(opening), created_at=now, turn_began_at=now)
        turns.turn_to(game, position_of(game), now)
        _ask_if_due(game, asker, now)
    return game


def play(*, asker: Asker, game: CasualGame, text: str, ply: int, now: datetime) -> CasualGame:
    """Play the person's turn after ply `ply`; if their time has run out, the game ends instead.

    Raises Forbidden, and CasualRefused, which also covers turns that the rules forbid.
    """
    _refuse_others(asker, game)
    with transaction.atomic():
        game = lock_game(game.pk)
        _refuse_unless_turn(game, ply)
        if game.deadline_at < now:
            flag(game, now)
            return game
        taken = max(0.0, (now - game.turn_began_at).total_seconds())
        if game.left_seconds is not None:
            game.left_seconds = max(0.0, game.left_seconds - taken) + game.increment_seconds
        try:
            turns.add_turn(game, text, taken, now)
        except TurnError as error:
            # The cause has the facts from which a page says why in its own words.
            raise CasualRefused(gettext("Invalid turn: %(error)s."), error=error) from error
        _ask_if_due(game, asker, now)
    return game


def resign(*, asker: Asker, game: CasualGame, now: datetime) -> CasualGame:
    """Resign for the person, regardless of the side to move. Raises Forbidden, CasualRefused."""
    _refuse_others(asker, game)
    with transaction.atomic():
        game = lock_game(game.pk)
        if game.status != CasualStatus.PLAYING:
            raise CasualRefused(gettext("The game is already over."))
        if is_persons_turn(game):
            taken = max(0.0, (now - game.turn_began_at).total_seconds())
            game.turns = [*game.turns, [position_of(game).format((RESIGN,)), round(taken, 3)]]
        turns.end(game, now, winner=1 - game.seat, ended_by=EndedBy.RULE, reason=Ending.RESIGNATION)
        _drop_question(game, now)
    return game


def rematch(*, asker: Asker, game: CasualGame, version: Version | None, seed: int, now: datetime) -> CasualGame:
    """Start the next game on the terms of a finished one, with the seats swapped.

    `version` is the one to play now, or None if the bot has none. Raises what `begin` raises.
    """
    _refuse_others(asker, game)
    if game.status == CasualStatus.PLAYING:
        raise CasualRefused(gettext("The game is not over: finish it, or resign, before the rematch."))
    if version is None:
        raise CasualRefused(gettext("This bot has no active version."))
    clocks = game.base_seconds, game.increment_seconds, game.bot_seconds
    pace = next((name for name, pace in PACES.items()
                 if (pace.base_seconds, pace.increment_seconds, pace.bot_seconds) == clocks), "")
    return begin(asker=asker, version=version, seed=seed, now=now, terms=Terms(
        game.ruleset, game.size, pace, 1 - game.seat, opening=bool(game.opening)))


def end_overdue(now: datetime) -> int:
    """End the games in which the person has not played in time; return how many."""
    games = overdue(now).order_by("deadline_at").values_list("pk", flat=True)
    return each("end casual games", games, partial(_end_if_overdue, now=now), now=now, most=AT_ONCE)


def _end_if_overdue(pk: int, *, now: datetime) -> bool:
    with transaction.atomic():
        game = lock_game(pk)
        late = is_persons_turn(game) and game.deadline_at < now
        if late:
            flag(game, now)
    return late


def _refuse_others(asker: Asker, game: CasualGame) -> None:
    if not asker.made(game):
        raise Forbidden(gettext("This is another player's game: you can only watch it."))


def _refuse_unless_turn(game: CasualGame, ply: int) -> None:
    if game.status != CasualStatus.PLAYING:
        raise CasualRefused(gettext("The game is over."))
    if not is_persons_turn(game):
        raise CasualRefused(gettext("It is the bot's turn: wait for its answer."))
    if ply != len(plies(game)):
        raise CasualRefused(gettext("The game has continued in the meantime: look at the board again."))


def _ask_if_due(game: CasualGame, asker: Asker, now: datetime) -> None:
    """Ask the bot for its turn if it is to move."""
    if game.status != CasualStatus.PLAYING or is_persons_turn(game):
        return
    enqueue(asker=asker, version=game.version, ruleset=game.ruleset, size=game.size, turns=plies(game),
        control=TimeControl(per_turn=game.bot_seconds), left=game.bot_seconds, now=now, casual=game)


def _drop_question(game: CasualGame, now: datetime) -> None:
    # A worker that is already asking finds out when it renews its lease or records the answer.
    Question.objects.filter(casual=game, status__in=QUESTION_TRANSITIONS["drop"]).update(
        status=QuestionStatus.DROPPED, lease_until=None, ended_at=now)


def _limit() -> Limit:
    return Limit(gettext("casual games"), settings.OPEN_CASUAL_GAMES, settings.CASUAL_GAMES_PER_HOUR,
                 Q(status=CasualStatus.PLAYING))
