"""Casual games of a bridge on a site: the engine plays from this machine, turn by turn, through the API."""

import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from typing import Any, Final
from urllib.parse import quote

from engines.rules.registry import find
from engines.rules.ruleset import Position
from engines.sdk import Clock
from tournaments.kit.bots import CannotPlay
from tournaments.kit.bridge.translator import BridgeBot
from tournaments.kit.site import NotFound, Rejected, Site, TooMany, Unreachable
from tournaments.kit.terminal import shown

PACES: Final = ("unhurried", "quick", "normal", "long")
SECONDS_BETWEEN_LOOKS = 1.0
# More than enough for a restart of the site, and for the minute in which it counts requests.
_PATIENCE_SECONDS: Final = 90.0
_GAMES: Final = "/api/casual-games/"
_PLAYING: Final = "playing"
_RESULTS: Final = ("won", "drawn", "lost", "without result")


@dataclass(frozen=True, slots=True)
class Match:
    """Terms of the games: the slug of a bot on the site, the ruleset, the board, the time, and the number of games."""

    against: str
    ruleset: str
    size: int
    pace: str
    games: int


def play_on_site(site: Site, bot: BridgeBot, match: Match) -> None:
    """Play the games and print their results; the first seat alternates. Raises Rejected, CannotPlay, EngineFailed."""
    version, results = _version(site, match.against), Counter[str]()
    try:
        for number in range(match.games):
            game = _Game(site, bot, match, version, seat=number % 2)
            print(shown(f"game {number + 1}, {'first' if number % 2 == 0 else 'second'}: {game.page}"), flush=True)
            result = game.play()
            results[result] += 1
            print(shown(f"game {number + 1}: {result} ({game.reason}) after {game.plies} plies"), flush=True)
    finally:
        if count := results.total():
            print(f"{count} {'game' if count == 1 else 'games'}: "
                  + ", ".join(f"{results[result]} {result}" for result in _RESULTS if results[result]), flush=True)


def _version(site: Site, slug: str) -> int:
    """Return the ID of the bot's newest version. Raises CannotPlay."""
    try:
        newest = site.get(f"/api/bots/{quote(slug, safe='')}/").get("newest")
    except NotFound:
        raise CannotPlay(f"{site.address} has no bot {slug!r}: give the last word of its page's URL, such as searcher "
                         "for /bots/searcher/, or correct the site's URL") from None
    if not isinstance(newest, dict) or not isinstance(number := newest.get("id"), int):
        raise CannotPlay(f"{site.address} did not answer like a Squarefield site: check the URL")
    return number


class _Game:
    """One game on the site."""

    def __init__(self, site: Site, bot: BridgeBot, match: Match, version: int, seat: int) -> None:
        bot.begin(match.size)
        self._site = site
        self._bot = bot
        self._seat = seat
        self._position: Position = find(match.ruleset).start(match.size)
        self.plies = 0
        self._facts = site.post(_GAMES, {"version": version, "ruleset": match.ruleset, "size": match.size,
                                         "pace": match.pace, "seat": seat})
        self._address = f"{_GAMES}{self._facts.get('token')}/"

    @property
    def page(self) -> str:
        """The URL of the game's page."""
        return f"{self._site.address}/play/games/{self._facts.get('token')}/"

    @property
    def reason(self) -> str:
        """Why the game ended, in the site's words."""
        return str(self._facts.get("reason") or self._facts.get("status"))

    def play(self) -> str:
        """Play to the end; return "won", "drawn", "lost" or "without result". Resigns if the bridge cannot continue."""
        try:
            while self._facts.get("status") == _PLAYING:
                self._hear()
                if self._facts.get("your_turn"):
                    self._move()
                else:
                    time.sleep(SECONDS_BETWEEN_LOOKS)
                    self._facts = self._look()
        except BaseException:
            with suppress(CannotPlay, Rejected):
                self._site.post(f"{self._address}resign/", {})
                print(shown(f"resigned {self.page}"), flush=True)
            raise
        self.plies = len(self._facts["plies"])
        if self._facts.get("status") != "finished":
            return "without result"
        return {self._seat: "won", None: "drawn"}.get(self._facts.get("winner"), "lost")

    def _hear(self) -> None:
        """Tell the engine the turns that are new."""
        for text in self._facts["plies"][self.plies:]:
            turn = self._position.parse(text)
            self._bot.hear(self._position, turn)
            self._position = self._position.play(turn)
            self.plies += 1

    def _move(self) -> None:
        """Ask the engine for its turn, and send it."""
        left, increment = self._facts.get("left_seconds"), self._facts.get("increment_seconds") or 0.0
        turn = self._bot.choose(self._position, Clock(inf if left is None else left, increment))
        facts = {"turn": self._position.format(turn), "ply": self.plies}
        self._facts = self._patiently(lambda: self._sent(facts))
        if len(self._facts["plies"]) > self.plies:
            self._position = self._position.after(turn)
            self.plies += 1

    def _sent(self, facts: dict[str, Any]) -> dict[str, Any]:
        """Send a turn; return the game. If the connection is lost, the turn may have arrived all the same."""
        try:
            return self._site.post(f"{self._address}turns/", facts)
        except Unreachable:
            time.sleep(SECONDS_BETWEEN_LOOKS)
            game = self._look()
            if len(game["plies"]) > self.plies or game.get("status") != _PLAYING:
                return game
            raise

    def _look(self) -> dict[str, Any]:
        """Return the game's present state."""
        return self._patiently(lambda: self._site.get(self._address))

    @staticmethod
    def _patiently(ask: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Return the site's answer; ask again while it is unavailable or counts too many requests."""
        give_up = time.monotonic() + _PATIENCE_SECONDS
        while True:
            try:
                return ask()
            except (TooMany, Unreachable):
                if time.monotonic() > give_up:
                    raise
                time.sleep(SECONDS_BETWEEN_LOOKS)
