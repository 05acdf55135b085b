"""Numbers of actions: a turn is built stone by stone, so an action is one stone or a word.

On a board with `size` cells per side, an action is

- 0 to size² - 1: a stone on that cell,
- size²: "end the turn", if the stones so far are a legal turn and more could follow,
- size² + 1: pass,
- size² + 2: swap.

A turn to which nothing can be added ends automatically. Games with one stone per turn never need "end the turn".
"""

from typing import Final

from engines.rules.notation import PASS, SWAP, cell_name

# In a batch, a game with this action is left unchanged.
SKIP: Final = -1
_WORDS: Final = ("end the turn", "pass", "swap")


def action_count(size: int) -> int:
    """Return the number of actions on a board with `size` cells per side."""
    return size * size + len(_WORDS)


def end_turn(size: int) -> int:
    """Return the action that ends a turn."""
    return size * size


def action_of(step: int, size: int) -> int:
    """Return the action for a cell, or for the code PASS or SWAP.

    >>> action_of(5, size=3), action_of(PASS, size=3), action_of(SWAP, size=3)
    (5, 10, 11)
    """
    return step if step >= 0 else size * size - step


def step_of(action: int, size: int) -> int:
    """Return the cell, or the code PASS or SWAP, of any action except "end the turn"."""
    return action if action < size * size else size * size - action


def action_name(action: int, size: int) -> str:
    """Return an action in words.

    >>> [action_name(action, size=3) for action in (0, 8, 9, 10, 11)]
    ['a1', 'c3', 'end the turn', 'pass', 'swap']
    """
    return cell_name(action, size) if action < size * size else _WORDS[action - size * size]


assert (action_of(PASS, 1), action_of(SWAP, 1)) == (2, 3)  # the codes of the words give these numbers
