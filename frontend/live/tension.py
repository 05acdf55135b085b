"""The facts that make the tension of running games (`tournaments.scoring.tension`), and its reason in words."""

from collections.abc import Sequence
from typing import Any, Final

from django.utils.translation import gettext, ngettext

from engines.rules.registry import find
from frontend.live.replays import live_document
from frontend.text.core_words import translated
from frontend.text.wording import percent
from tournaments.scoring.tension import Facts, Tension, tension
from tournaments.selectors.matches import stakes
from tournaments.selectors.matches.live import LiveGame

# The caption of rulesets that measure a position by the stones that both sides need.
_STONES: Final = "Stones to connect: %(counts)s"


def tensions_of(running: Sequence[LiveGame]) -> list[tuple[Tension, Facts]]:
    """The tension of each of these games, with its facts."""
    ratings, tables = stakes.ratings_of([live.match for live in running]), stakes.tables_of(running)
    found = [facts_of(live, ratings, stakes.gap(live.match, tables.get(live.match.event_id, ()))) for live in running]
    return [(tension(facts), facts) for facts in found]


def facts_of(live: LiveGame, ratings: stakes.Ratings, gap: float | None) -> Facts:
    """The facts about this game; `gap` is the distance of the players in their event."""
    match, turns = live.match, live_document(live)["turns"]
    rated = [ratings.get((match.ladder_id, version.bot_id)) for version in live.seats]
    first, second = rated
    counts = turns[-1]["measure"]["counts"] if turns and "measure" in turns[-1] else []
    in_stones = find(match.ladder.ruleset).caption == _STONES
    deciding = next((pair for pair in counts if pair[0] != pair[1]), (0, 0))
    return Facts(stones=tuple(counts[0]) if in_stones and counts else None,
                 lead=abs(deciding[0] - deciding[1]) if counts and not in_stones else None,
                 filled=_filled(turns, match.ladder.size), chance=_chance(live, turns),
                 rating=None if first is None or second is None else (first + second) / 2, gap=gap)


def reason_in_words(facts: Facts, reason: str, slug: str) -> str:
    """The words that say why the director shows a game of this ruleset."""
    if reason == "stones" and facts.stones is not None:
        return _stones(facts.stones, slug)
    if reason == "stones":
        return gettext("the board fills, and the lead is small") if facts.lead else gettext("the board fills, and the "
                                                                                             "game is level")
    if reason == "even":
        return gettext("the bots expect a close game: %(chance)s for the first player") % {
            "chance": percent(facts.chance)}
    if reason == "rating":
        return gettext("both players have high ratings")
    if reason == "standings":
        return gettext("the players are close in the standings")
    return gettext("the newest game")


def _stones(stones: tuple[int | None, int | None], slug: str) -> str:
    first, second = stones
    if first is not None and first == second:
        return ngettext("both sides need %(stones)s stone", "both sides need %(stones)s stones", first) % {
            "stones": first}
    one, other = (translated(colour) for colour in find(slug).colours)
    return gettext("%(one)s needs %(few)s, %(other)s needs %(more)s stones to connect") % {
        "one": one, "few": first, "other": other, "more": second}


def _chance(live: LiveGame, turns: Sequence[dict[str, Any]]) -> float | None:
    """The mean of both bots' last reports, as the chance of seat 0."""
    last: dict[int, float] = {}
    for turn, played in zip(turns[len(live.match.opening):], live.turns, strict=False):
        if played.view and played.view.win is not None:
            last[turn["seat"]] = played.view.win if turn["seat"] == 0 else 1 - played.view.win
    return sum(last.values()) / len(last) if last else None


def _filled(turns: Sequence[dict[str, Any]], size: int) -> float:
    stones: set[int] = set()
    for turn in turns:
        for cell, seat in turn["ops"]:
            (stones.discard if seat is None else stones.add)(cell)
    return len(stones) / size**2
