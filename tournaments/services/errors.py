"""What every verb of the service raises when it will not do what it was asked."""


class Refused(ValueError):
    """A request that makes sense to the code but not to the service. `str()` is the sentence to show."""
