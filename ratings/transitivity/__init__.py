"""Whether ratings tell the whole story: pairs that differ from the fit, cycles, and the maximal lottery."""

from ratings.transitivity.report import LARGEST, Cycle, Deviation, Transitivity, examine

__all__ = ["LARGEST", "Cycle", "Deviation", "Transitivity", "examine"]
