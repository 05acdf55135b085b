"""The table at the end: the effect of each fault on its event."""

from dataclasses import dataclass

HEADINGS = ("fault", "times", "matches", "lost", "twice", "penalised", "replayed", "recovery", "event")


@dataclass(frozen=True, slots=True)
class Line:
    """The result of an event. `void` attempts were replayed; `broken` lists promises that do not hold, in words."""

    fault: str
    times: int
    matches: int
    lost: int
    doubled: int
    charged: int
    void: int
    recovery: float
    seconds: float
    broken: tuple[str, ...] = ()

    def cells(self) -> tuple[str, ...]:
        """Return the cells of the table's row."""
        return (self.fault, str(self.times), str(self.matches), str(self.lost), str(self.doubled), str(self.charged),
                str(self.void), f"{self.recovery:.1f} s", f"{self.seconds:.0f} s")


def table(lines: list[Line]) -> str:
    """Return the lines as a Markdown table."""
    rows = [HEADINGS, *(line.cells() for line in lines)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    rows.insert(1, tuple("-" * width for width in widths))
    return "\n".join("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
                     for row in rows)
