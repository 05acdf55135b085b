"""Symmetries of a ruleset as permutations, to make several training examples of one."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.env.actions import action_count
from engines.rules.registry import find
from engines.rules.symmetry import table


@dataclass(frozen=True, slots=True)
class Symmetries:
    """Permutations, one row per symmetry; row 0 is the identity.

    Number `i` of an image is number `cells[k, i]` of the original, for planes, and `actions[k, i]`, for masks and
    policies. An action `a` of the original becomes the action `images[k, a]`.
    """

    cells: NDArray[np.int64]
    actions: NDArray[np.int64]
    images: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.cells)

    def planes(self, k: int, observations: NDArray[Any]) -> NDArray[Any]:
        """Return the images of planes, whose last two axes are the board's."""
        flat = observations.reshape(*observations.shape[:-2], -1)
        return flat[..., self.cells[k]].reshape(observations.shape)

    def policies(self, k: int, policies: NDArray[Any]) -> NDArray[Any]:
        """Return the images of masks or policies, whose last axis is that of the actions."""
        return policies[..., self.actions[k]]


@cache
def symmetries(ruleset: str, size: int) -> Symmetries:
    """Return the symmetries that keep the rules and the goal sides of each seat.

    >>> [len(symmetries(slug, 6)) for slug in ("square-grid-hex", "scware", "squ")]
    [2, 4, 8]
    """
    words = range(size * size, action_count(size))
    images = [[*table(symmetry, size), *words] for symmetry in find(ruleset).symmetries]
    forward = np.array(images, dtype=np.int64)
    back = np.argsort(forward, axis=1)
    return Symmetries(back[:, :size * size], back, forward)
