"""What the official tables' model says of games. It needs numpy and scipy."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ratings.fit.pairs import RESULTS, TRIANGLE, PairTable, from_arrays, from_games
from ratings.official import Estimate, official
from ratings.rate.games import Games


def by_davidson(games: Games, anchors: Mapping[str, float]) -> dict[str, Any]:
    """The fit of all games; those of one pair from one opening count as one cluster."""
    places = {name: place for place, name in enumerate(games.names)}
    table = official(pair_table(games), anchors={places[name]: elo for name, elo in anchors.items()})
    notes = []
    if not any(game.opening for game in games.games):
        notes.append("no column opening: games count as independent; where bots repeat games, intervals are too narrow")
    if len(table.components) > 1:
        notes.append(f"the players fall into {len(table.components)} groups that never met: ratings of players with "
                     "different `component` cannot be compared")
    return {
        "model": "davidson", "version": table.model, "notes": notes,
        **_estimate("first_move_advantage", table.first_move_advantage),
        **_estimate("draw_parameter", table.draw_parameter),
        **_estimate("draw_rate", table.draw_rate),
        "connected": len(table.components) <= 1, "exact": table.exact,
        "players": [{
            "name": games.names[line.player], "rating": line.rating, "low": line.low, "high": line.high,
            "error": line.error, "games": line.games, "wins": line.wins, "draws": line.draws, "losses": line.losses,
            "rank": line.rank, "rank_low": line.rank_low, "rank_high": line.rank_high,
            "better_than_next": line.better_than_next, "games_for_25": line.games_for_25, "component": line.component,
        } for line in table.lines],
    }


def pair_table(games: Games) -> PairTable:
    """What `ratings.fit.pairs.from_games` makes of them, without a list for each cluster: a file may have millions."""
    if not games.games:
        return from_games([])
    openings = {game.opening: n for n, game in enumerate(games.games) if game.opening}
    # Without an opening a game is a cluster of its own.
    seats = np.array([game[:2] for game in games.games], dtype=np.int64)
    opening = np.array([openings[game.opening] if game.opening else -1 - n for n, game in enumerate(games.games)])
    column = 2 - np.array([2.0 * game.score for game in games.games]).astype(np.int64) + 3 * (seats[:, 0] > seats[:, 1])
    low, high = seats.min(axis=1), seats.max(axis=1)
    order = np.lexsort((opening, high, low))
    low, high, opening, column = low[order], high[order], opening[order], column[order]
    begins_pair = np.append(True, (low[1:] != low[:-1]) | (high[1:] != high[:-1]))
    begins = np.append(True, opening[1:] != opening[:-1]) | begins_pair
    clusters = np.bincount((np.cumsum(begins) - 1) * RESULTS + column, minlength=RESULTS * begins.sum())
    counts = clusters.reshape(-1, RESULTS).astype(np.float64)
    pairs = np.flatnonzero(begins_pair[begins])
    moments = np.stack([np.add.reduceat(counts[:, i] * counts[:, j], pairs) for i, j in zip(*TRIANGLE, strict=True)], 1)
    return from_arrays(low[begins_pair], high[begins_pair], np.add.reduceat(counts, pairs), moments)


def _estimate(name: str, estimate: Estimate) -> dict[str, Any]:
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
