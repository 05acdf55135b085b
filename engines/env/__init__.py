"""Environments for training bots: many games at once, with observations and masks in NumPy arrays.

`BatchEnv` needs NumPy (the extra `env`). The wrappers for other libraries are modules of their own: `zoo` (PettingZoo),
`gym` (Gymnasium) and `spiel` (OpenSpiel).
"""

from engines.env.errors import ExtraMissing, IllegalAction, WrongArray

try:
    from engines.env.actions import SKIP, action_count, action_name
    from engines.env.arrays import Spec, spec
    from engines.env.batch import BatchEnv, Step
    from engines.env.planes import PLANES
    from engines.env.state import State
    from engines.env.symmetries import Symmetries, symmetries
except ModuleNotFoundError as error:
    if error.name != "numpy":
        raise
    raise ExtraMissing("numpy") from error

__all__ = [
    "PLANES", "SKIP", "BatchEnv", "ExtraMissing", "IllegalAction", "Spec", "State", "Step", "Symmetries", "WrongArray",
    "action_count", "action_name", "spec", "symmetries",
]
