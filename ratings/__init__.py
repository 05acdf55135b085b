"""Ratings: the pure arithmetic, and the Django code around it (models, services, admin)."""

from typing import Final

# Half width of a 95 % interval in standard deviations: the normal distribution's 97.5 % point.
Z95: Final = 1.959963984540054
