"""Users with an account and visitors without one, who ask bots questions or play them; and their limits.

A visitor is identified by a random key in a signed cookie. Clearing the cookie makes a new visitor, but on the same
network: all visitors on a network together have the limits of a few of them.
"""

import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any, Final

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy

from tournaments.platform.refusals import Refused

WINDOW: Final = timedelta(hours=1)
# A home's or a school's IPv6 addresses begin with the same 64 bits, and each machine can use any number of them.
_NETWORK_BITS: Final = 64
_SALT: Final = "squarefield.visitors"


class TooMany(Refused):
    """The asker wants more than the site allows at a time or in an hour."""


# Refusals of too many at a time, and of too many in the last hour.
_OWN: Final = (
    gettext_lazy("You have %(count)s open %(what)s, the most allowed at a time: wait for one to end."),
    gettext_lazy("You have had %(count)s %(what)s in the last hour, the most allowed: come back later."),
)
_NETWORK: Final = (
    gettext_lazy("Visitors from your network have %(count)s open %(what)s, the most allowed at a time: wait, or sign "
                 "in."),
    gettext_lazy("Visitors from your network have had %(count)s %(what)s in the last hour, the most allowed: come "
                 "back later, or sign in."),
)


@dataclass(frozen=True, slots=True)
class Asker:
    """An account, or a visitor with a key and a network. Rows of theirs have only one of `user` and `visitor`."""

    user: Any = None
    visitor: str = ""
    network: str = ""

    @property
    def facts(self) -> dict[str, Any]:
        """Columns stored with what they ask for."""
        if self.user is not None:
            return {"user": self.user}
        return {"visitor": self.visitor, "network": self.network}

    def made(self, row: Any) -> bool:
        """Return whether they created this row. A visitor who has since signed in still has the cookie."""
        if row.user_id is not None:
            return self.user is not None and self.user.pk == row.user_id
        return bool(self.visitor) and secrets.compare_digest(self.visitor, row.visitor)

    @property
    def own(self) -> Q:
        """Condition on the rows that they created."""
        if self.user is not None:
            return Q(user=self.user)
        return Q(user=None, visitor=self.visitor)


@dataclass(frozen=True, slots=True)
class Limit:
    """The most that an asker may have open at a time, and begin in an hour. `what` is the plural of their name."""

    what: str
    at_once: int
    per_hour: int
    open: Q = field(default_factory=Q)


def network_of(address: str) -> str:
    """Return a keyed hash of the network that an address is in. The address itself is not stored.

    An IPv4 address is a network of its own, even when it is written as IPv6; the network of an IPv6 address is its
    first 64 bits.
    """
    try:
        read = ip_address(address.strip().partition("%")[0])
    except ValueError:
        network = "unknown"
    else:
        if isinstance(read, IPv6Address) and read.ipv4_mapped is not None:
            read = read.ipv4_mapped
        bits = _NETWORK_BITS if isinstance(read, IPv6Address) else read.max_prefixlen
        network = str(ip_network((read, bits), strict=False))
    return salted_hmac(_SALT, network, algorithm="sha256").hexdigest()[:32]


def refuse_too_many(asker: Asker, made: QuerySet[Any], limit: Limit, now: datetime) -> None:
    """Raise TooMany if the asker has as many as the limit allows. `made` are the rows of all askers.

    Hold a lock, so that two requests at once do not both take the last place.
    """
    if asker.user is not None and asker.user.is_staff:
        return
    _refuse(made.filter(asker.own), limit, 1, _OWN, now)
    if asker.user is None:
        _refuse(made.filter(user=None, network=asker.network), limit, settings.VISITORS_PER_NETWORK, _NETWORK, now)


def _refuse(theirs: QuerySet[Any], limit: Limit, shares: int, said: tuple[Any, Any], now: datetime) -> None:
    going_on = theirs.filter(limit.open).count()
    if going_on >= limit.at_once * shares:
        raise TooMany(said[0], count=going_on, what=limit.what)
    recent = theirs.filter(created_at__gt=now - WINDOW).count()
    if recent >= limit.per_hour * shares:
        raise TooMany(said[1], count=recent, what=limit.what)
