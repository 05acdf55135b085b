"""Rate games with the model of the official tables. Needs numpy and scipy."""

from collections.abc import Mapping
from typing import Any

from ratings.fit.pairs import from_games
from ratings.official import LINE_FACTS, Estimate, official
from ratings.rate.games import Games


def by_davidson(games: Games, anchors: Mapping[str, float]) -> dict[str, Any]:
    """Fit all games. Games of one pair from one opening form one cluster; so do its games without an opening.

    In a ladder's file, the players are numbered by their IDs, so that every digit is the same.
    """
    players = [games.ids.get(name, place) for place, name in enumerate(games.names)]
    table = official(
        from_games((players[game.first], players[game.second], game.score, game.opening or "") for game in games.games),
        anchors={players[games.names.index(name)]: elo for name, elo in anchors.items()})
    name_of = dict(zip(players, games.names, strict=True))
    notes = []
    if len(table.components) > 1:
        notes.append(f"the players form {len(table.components)} groups that never met: ratings of players with "
                     "different `component` cannot be compared")
    return {
        "model": "davidson", "version": table.model, "notes": notes,
        **_estimate("first_move_advantage", table.first_move_advantage),
        **_estimate("draw_parameter", table.draw_parameter),
        **_estimate("draw_rate", table.draw_rate),
        "connected": len(table.components) <= 1, "exact": table.exact,
        **({"input": table.input} if games.ids else {}),
        "players": [{"name": name_of[line.player], **{fact: getattr(line, fact) for fact in LINE_FACTS}}
                    for line in table.lines],
    }


def _estimate(name: str, estimate: Estimate) -> dict[str, Any]:
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
