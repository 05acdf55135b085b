"""Rate games with Elo and Glicko-2, period by period."""

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from typing import Any

from ratings import elo, glicko2
from ratings.rate.games import Game, Games


def by_elo(games: Games, k: float | None) -> dict[str, Any]:
    """Elo by frozen rating periods, with this K, or with the usual, which falls from 32 to 8 with a player's games.

    Without periods, each game is its own period, in the order of the file.
    """
    standings = {place: elo.Standing() for place in range(len(games.names))}
    gain = elo.k_factor if k is None else lambda _: k
    count = 0
    for period in _periods(games) if games.periods else ([game] for game in games.games):
        results = (elo.Result(n, (game.first, game.second), game.score) for n, game in enumerate(period))
        standings |= elo.rate_period(standings, results, gain)[1]
        count += 1
    notes = [] if games.periods else ["no column period: each game is its own period, in the order of the file"]
    return {
        "model": "elo", "k": k, "periods": count, "notes": notes,
        "players": [{
            "name": games.names[place], "rating": standing.value,
            "low": standing.value - elo.half_width(standing.information, gain(standing.games)),
            "high": standing.value + elo.half_width(standing.information, gain(standing.games)),
            "games": standing.games, "wins": standing.wins, "draws": standing.draws,
            "losses": standing.games - standing.wins - standing.draws,
        } for place, standing in standings.items()],
    }


def by_glicko2(games: Games, tau: float) -> dict[str, Any]:
    """Glicko-2 by rating periods; without periods, the whole file is one. Players start as newcomers."""
    players = [glicko2.Player() for _ in games.names]
    results = [[0, 0, 0] for _ in games.names]
    # The last period that a player's numbers include; None before the first.
    rated: list[int | None] = [None] * len(players)
    count = 0
    for now, period in enumerate(_periods(games)):
        count += 1
        for place in {seat for game in period for seat in (game.first, game.second)}:
            players[place] = _waited(players[place], rated[place], now - 1)
            rated[place] = now
        for game in period:
            results[game.first][round(2 * game.score)] += 1
            results[game.second][2 - round(2 * game.score)] += 1
        for place, player in glicko2.rate_period(
                players, ((game.first, game.second, game.score) for game in period), tau).items():
            players[place] = player
    notes = [] if games.periods else ["no column period: the whole file is one period"]
    return {
        "model": "glicko2", "tau": tau, "periods": count, "notes": notes,
        "players": [_line(games.names[place], _waited(player, rated[place], count - 1), results[place])
                    for place, player in enumerate(players)],
    }


def _line(name: str, player: glicko2.Player, results: list[int]) -> dict[str, Any]:
    losses, draws, wins = results
    low, high = player.interval
    return {"name": name, "rating": player.rating, "low": low, "high": high, "deviation": player.deviation,
            "volatility": player.volatility, "games": sum(results), "wins": wins, "draws": draws, "losses": losses}


def _waited(player: glicko2.Player, since: int | None, until: int) -> glicko2.Player:
    """The player at the end of the period `until`, from its numbers at the end of `since`."""
    return player if since is None or since >= until else glicko2.idle(player, until - since)


def _periods(games: Games) -> Iterator[list[Game]]:
    """The games of each period, sorted so that the order of the lines in the file does not matter."""
    for _, period in groupby(sorted(games.games, key=attrgetter("period")), attrgetter("period")):
        yield sorted(period, key=lambda game: game[:3])
