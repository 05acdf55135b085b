"""The shape of a bundle's event.json and of each line of its games.jsonl. Pure.

Each member that `verification` uses has a type and limits, which are those of a site or wider. Other members are
ignored: earlier and later releases write others.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final

from engines.records.bundle import BundleError

Shape = Callable[[Any, str], None]
_ID: Final = 2**63 - 1
_ENTRIES: Final = 100_000
_ROUNDS: Final = 100_000
_ELO: Final = 1e6


def check_event(event: Any) -> None:
    """Raise BundleError, with the member at fault, if event.json does not have its shape."""
    _EVENT(event, "event.json")


def check_game(game: Any, where: str) -> None:
    """Raise BundleError, with the member at fault, if the line of games.jsonl does not have its shape."""
    _GAME(game, where)


def _whole(least: int, most: int) -> Shape:
    def check(value: Any, where: str) -> None:
        _refuse_unless(type(value) is int and least <= value <= most, where, f"a whole number from {least} to {most}")
    return check


def _number(least: float, most: float) -> Shape:
    def check(value: Any, where: str) -> None:
        _refuse_unless(type(value) in (int, float) and least <= value <= most, where,
                       f"a number from {least:g} to {most:g}")
    return check


def _text(most: int) -> Shape:
    def check(value: Any, where: str) -> None:
        _refuse_unless(isinstance(value, str) and len(value) <= most, where, f"text of at most {most} characters")
    return check


def _flag(value: Any, where: str) -> None:
    _refuse_unless(isinstance(value, bool), where, "true or false")


def _moment(value: Any, where: str) -> None:
    try:
        aware = datetime.fromisoformat(value).tzinfo is not None
    except (TypeError, ValueError):
        aware = False
    _refuse_unless(aware, where, "a time with its zone, such as 2026-11-28T14:00:00+00:00")


def _maybe(shape: Shape) -> Shape:
    def check(value: Any, where: str) -> None:
        if value is not None:
            shape(value, where)
    return check


def _list(item: Shape, most: int, *, least: int = 0, key: str = "") -> Shape:
    """Return the shape of a list; with `key`, no two of its items have the same value of that member."""
    def check(value: Any, where: str) -> None:
        _refuse_unless(isinstance(value, list) and least <= len(value) <= most, where,
                       f"a list of {least} to {most} items")
        seen: dict[Any, int] = {}
        for number, one in enumerate(value):
            item(one, f"{where}[{number}]")
            if key and seen.setdefault(one[key], number) != number:
                raise BundleError(f"{where}: items {seen[one[key]]} and {number} have the same {key}")
    return check


def _object(required: dict[str, Shape], optional: dict[str, Shape] | None = None) -> Shape:
    def check(value: Any, where: str) -> None:
        _refuse_unless(isinstance(value, dict), where, "an object")
        for name, shape in required.items():
            if name not in value:
                raise BundleError(f"{where} has no {name}")
            shape(value[name], f"{where}, {name}")
        for name, shape in (optional or {}).items():
            if name in value:
                shape(value[name], f"{where}, {name}")
    return check


def _refuse_unless(right: bool, where: str, wanted: str) -> None:  # noqa: FBT001 - the condition is the argument
    if not right:
        raise BundleError(f"{where} is not {wanted}")


_COUNT: Final = _whole(0, 2**31 - 1)
_BOT: Final = _text(80)
_PLACE: Final = _whole(0, _ENTRIES)
_PLACES: Final = _list(_PLACE, _ENTRIES)
_PAIR: Final = _list(_PLACE, 2, least=2)
_VERSION: Final = {"bot": _BOT, "name": _text(200), "version": _COUNT, "sha256": _text(64),
                   "artefact_sha256": _text(64)}
_GAME: Final = _object({
    "game": _whole(0, _ID), "match": _whole(0, _ID), "round": _COUNT, "pairing": _COUNT, "number": _COUNT,
    "ended_at": _moment, "seats": _list(_object(_VERSION), 2, least=2), "record": _object({}),
}, {"period": _maybe(_COUNT)})
_TIE: Final = _object({"pair": _PAIR, "played": _flag, "gone": _PLACES}, {
    "scores": _list(_number(-_ELO, _ELO), 2, least=2), "open": _flag})
_EVENT: Final = _object({
    "event": _object({
        "name": _text(80), "format": _text(20), "cycles": _whole(1, 2**15 - 1), "tie_breaks": _list(_text(40), 40),
    }, {"slug": _text(80), "status": _text(20), "seed": _whole(0, _ID), "rated": _flag,
        "withdrawals": _text(20), "started_at": _maybe(_moment),
        "ended_at": _maybe(_moment)}),
    "ladder": _object({"ruleset": _text(40), "size": _whole(1, 100)}),
    "entries": _list(_object({**_VERSION, "left_at": _maybe(_moment)}, {
        "runs_the_gauntlet": _flag,
        "disqualified": _maybe(_object({"annulled": _flag}, {"reason": _text(4000), "round": _COUNT})),
    }), _ENTRIES, key="bot"),
    "standings": _list(_object({
        "place": _whole(1, _ENTRIES), "bot": _BOT, "points": _number(0, 2**31), "wins": _COUNT, "draws": _COUNT,
        "losses": _COUNT, "tie_breaks": _list(_maybe(_number(-1e12, 1e12)), 40),
    }, {"table": _text(80)}), _ENTRIES, key="bot"),
}, {
    "byes": _list(_list(lambda value, where: (_BOT if isinstance(value, str) else _COUNT)(value, where), 2, least=2),
                  _ENTRIES),
    "book": _object({"sha256": _text(64), "openings": _list(_list(_text(400), 400), 10_000)}),
    "changed_pairings": _list(_object({"round": _COUNT, "first": _BOT, "second": _maybe(_BOT)}), _ENTRIES),
    # Facts of single formats.
    "stages": _list(_list(_BOT, _ENTRIES), _ROUNDS),
    "rounds_planned": _maybe(_COUNT), "apart_rounds": _COUNT,
    "pairings": _list(_object({}, {
        "ties": _list(_TIE, _ENTRIES), "bye": _maybe(_PLACE), "rests": _list(_list(_number(0, _ENTRIES), 2, least=2),
                                                                              _ENTRIES),
        "pairs": _list(_PAIR, _ENTRIES), "absent": _PLACES}), _ROUNDS),
    "aside": _list(_list(_BOT, 2, least=2), _ENTRIES),
    "unplayed": _list(_object({"bot": _BOT, "opponent": _maybe(_BOT), "result": _number(0, 1), "voluntary": _flag,
                               "for_good": _flag}), _ENTRIES),
    "left": _PLACES, "stopped": _maybe(_text(200)),
    "model": _text(40),
    "target": _maybe(_object({"kind": _text(20), "value": _COUNT, "max_matches": _COUNT, "max_hours": _maybe(_COUNT),
                              "seed": _whole(0, _ID)})),
    "minutes": _COUNT, "streaks": _flag,
    "waves": _list(_object({"free": _PLACES, "open": _COUNT, "seconds": _number(0, 2**31),
                            "matches": _list(_list(lambda value, where: (
                                _text(20) if isinstance(value, str) else _PLACE)(value, where), 3, least=3),
                                _ENTRIES)}), _ROUNDS),
})
