"""An unfinished turn in a player's words: what its stones do, what can follow, and why a cell is closed.

`engines.rules.explaining` has the facts. A refusal without words of its own names only the cell.
"""

from collections.abc import Sequence
from typing import Final

from django.utils.translation import gettext, gettext_noop, ngettext

from engines.rules.errors import IllegalTurn
from engines.rules.explaining import Explanation
from engines.rules.notation import cell_name
from engines.rules.ruleset import Effect

# Number of cells that a sentence names; it counts the others.
_NAMED: Final = 4
_COMPLETE: Final = gettext_noop("The turn is complete: end it, or take back a stone.")
_GROWS_NOTHING: Final = gettext_noop("%(first)s touches none of the groups that you had before this turn, so a stone "
                                     "there grows nothing.")
# Why a cell is closed, by the rule of the refusal. %(first)s, %(second)s and %(third)s are the cells that it names.
_CLOSED: Final = {
    "occupied": gettext_noop("%(first)s is not empty."),
    "twice": gettext_noop("%(first)s has a stone of this turn."),
    "stones": _COMPLETE, "discs": _COMPLETE, "no-crosscut": _COMPLETE, "bonus-many": _COMPLETE,
    "bonus-few": gettext_noop("A stone here leaves too few cells for your bonus stones: as many as possible must be "
                              "placed."),
    "crosscut": gettext_noop("A bonus stone must not form a crosscut; on %(first)s it would form one with %(others)s."),
    "superko": gettext_noop("A stone on %(first)s would repeat an earlier position of the board."),
    "grown-twice": gettext_noop("%(first)s and %(second)s would both grow the group of %(third)s: each group grows by "
                                "one stone per turn."),
    "two-starts": gettext_noop("%(first)s starts a group, and a turn can start only one."),
    "start-with-growth": _GROWS_NOTHING,
    "start-touches": gettext_noop("%(first)s touches only a stone of this turn: a stone there neither grows a group "
                                  "nor starts one."),
    "diagonal": gettext_noop("%(first)s and %(second)s would touch diagonally without being in one group."),
    "order": gettext_noop("The stone that starts a group ends the turn. Take it back to grow groups first."),
}
_ORDINALS: Final = ("first", "second", "third")


def closed(refusal: IllegalTurn, size: int, cell: int | None = None) -> str:
    """Say why a stone cannot be placed, as a sentence. `cell` is its cell, if the refusal might name none."""
    names = _names(refusal.cells, size)
    if refusal.rule not in _CLOSED:
        where = names or ([] if cell is None else [cell_name(cell, size)])
        return gettext("%(cell)s is not possible now.") % {"cell": where[0] if where else gettext("This turn")}
    return gettext(_CLOSED[refusal.rule]) % {**dict(zip(_ORDINALS, names, strict=False)), "others": _listed(names[1:])}


def effect(done: Effect, size: int) -> str:
    """Say what a stone does, as a sentence or two; "" if it only fills its cell."""
    facts = {"cell": cell_name(done.cell, size), "groups": _listed(_names(done.groups or (), size))}
    said = [_grouping(done, facts)]
    if done.captured:
        said.append(gettext("%(cell)s captures %(stones)s.") % {
            **facts, "stones": _listed(_names(done.captured, size))})
    if done.lost:
        said.append(gettext("It has no liberty, so %(stones)s are removed.") % {
            "stones": _listed(_names(done.lost, size))})
    if done.square:
        side = {**facts, "side": done.square, "best": done.best}
        said.append(gettext("%(cell)s completes a square of side %(side)s, the largest so far.") % side
                    if done.square > done.best else
                    gettext("%(cell)s completes a square of side %(side)s; only one larger than %(best)s would count.")
                    % side)
    return " ".join(filter(None, said))


def so_far(facts: Explanation, size: int) -> str:
    """Say what the last stone does, what can follow, and whether the turn can end. There must be a stone."""
    said = [effect(facts.placed[-1], size) or gettext("Stone on %(cell)s.") % {
        "cell": cell_name(facts.placed[-1].cell, size)}]
    if facts.wins:
        said.append(gettext("This turn wins."))
    if facts.growable:
        said.append(ngettext("Your %(groups)s group may also grow.", "Your %(groups)s groups may also grow.",
                             len(facts.growable)) % {"groups": _listed(_names(facts.growable, size))})
    if facts.unfinished is not None:
        said.append(_missing(facts.unfinished, size))
    elif not facts.open:
        said.append(gettext(_COMPLETE))
    else:
        said.append(gettext("End the turn, or add a stone."))
    return " ".join(said)


def _grouping(done: Effect, facts: dict[str, str]) -> str:
    if done.groups is None:
        return ""
    count = len(done.groups)
    if done.grows:
        return (gettext("%(cell)s starts a group.") if not count else
                ngettext("%(cell)s grows your %(groups)s group.", "%(cell)s grows and joins your %(groups)s groups.",
                         count)) % facts
    return ngettext("%(cell)s joins your %(groups)s group.", "%(cell)s joins your %(groups)s groups together.",
                    count) % facts if count else ""


def _missing(refusal: IllegalTurn, size: int) -> str:
    """Say what the turn still needs."""
    if refusal.rule == "bonus-few":
        return ngettext("Place %(count)s more bonus stone.", "Place %(count)s more bonus stones.",
                        refusal.count) % {"count": refusal.count}
    if refusal.rule == "discs":
        return ngettext("Place %(count)s more disc.", "Place %(count)s more discs.", refusal.count) % {
            "count": refusal.count}
    if refusal.rule == "diagonal":
        first, second = _names(refusal.cells, size)
        return gettext("%(first)s and %(second)s touch diagonally: add a stone that joins their groups.") % {
            "first": first, "second": second}
    return gettext("Add a stone.")


def _names(cells: Sequence[int], size: int) -> list[str]:
    return [cell_name(cell, size) for cell in cells]


def _listed(names: Sequence[str]) -> str:
    """The first names, and the number of the others: "a1, b2 and c3"."""
    if len(names) > _NAMED:
        more = len(names) - _NAMED + 1
        return gettext("%(names)s and %(count)s more") % {"names": ", ".join(names[:_NAMED - 1]), "count": more}
    return gettext(" and ").join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
