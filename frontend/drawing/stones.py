"""The colours of stones in both themes. Each seat has the colour that its ruleset names.

site.css defines the same colours as `--red`, `--red-edge` and `--red-on`; `seats` assigns them to the seats. The edge
of a stone contrasts with the board and the page, and the marks on it contrast with the stone.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from engines.rules.drawing import LIGHT, Paint
from engines.rules.registry import RULESETS

DARK: Final[Mapping[str, Paint]] = {
    "black": Paint("#08090a", "#a5a29c", "#fff"),
    "white": Paint("#f7f5f0", "#8b8882", "#1c1b1a"),
    "red": Paint("#e5484d", "#ffc2c0", "#200404"),
    "blue": Paint("#4a86e8", "#a9c7f7", "#0b1830"),
}


def seats(colours: Sequence[str]) -> str:
    """The `style` attribute that gives seat 0 and seat 1 these colours within an element."""
    return ";".join(f"--seat{seat}{part}:var(--{colour}{part})"
                    for seat, colour in enumerate(colours) for part in ("", "-edge", "-on"))


def seats_of(slug: str) -> str:
    """The `style` attribute for a ruleset; "" for a removed ruleset, which leaves both seats grey."""
    return seats(RULESETS[slug].colours) if slug in RULESETS else ""


def sheet(colours: Sequence[str], paints: Mapping[str, Paint] = LIGHT) -> str:
    """The rules of site.css for stones and goal sides, for standalone pictures."""
    both = [f".s{seat}{{fill:{fill};stroke:{edge};stroke-width:3}}"
            f".goal{seat}{{stroke:{fill}}}.rim{seat}{{stroke:{edge}}}"
            f".on{seat}{{fill:{on}}}.g{seat}{{stroke:{edge}}}.gone.g{seat}{{fill:{fill};fill-opacity:.35}}"
            for seat, (fill, edge, on) in enumerate(paints[colour] for colour in colours)]
    return (f"{''.join(both)}.ring{{fill:none;stroke:{paints[colours[1]].on};stroke-width:3}}"
            ".goal{fill:none;stroke-width:12;stroke-linecap:round}.goal.rim{stroke-width:18}"
            ".goal1,.rim1{stroke-dasharray:38 32}")
