"""The error of a worker that cannot start."""


class CannotWork(Exception):
    """The worker must take no work. `str()` says in one line what is wrong and how to fix it."""
