"""From results to numbers: pure arithmetic, and its Django edge (models, services, selectors, admin)."""

from typing import Final

# How many standard deviations a 95 % interval reaches to both sides: the normal distribution's 97.5 % point.
Z95: Final = 1.959963984540054
