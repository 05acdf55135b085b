"""Sessions in the database that end some time after their last page, and two weeks after the sign-in.

A session's row expires settings.IDLE_SECONDS after it was last seen. That it was seen is noted every NOTE_SECONDS at
most, by that one column: a reader costs no write per page, and what other requests put into the session in the meantime
stays.

Kept because docs/security.md promises that an unused session ends, and staff's sooner: Django's own engine ends a
session at a fixed time after its last write.
"""

import time
from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.contrib.sessions.backends import db
from django.utils import timezone

NOTE_SECONDS: Final = 300
# Where a session keeps when it was opened.
BEGAN: Final = "signed_in_at"


class SessionStore(db.SessionStore):
    """Django's own, in the database, with rows that expire as above; the cookie lasts for two weeks."""

    def __init__(self, session_key: str | None = None) -> None:
        super().__init__(session_key)
        self._expires_at: datetime | None = None

    def load(self) -> dict[str, Any]:
        """What is in the session; nothing of one that has ended."""
        row = self._get_session_from_db()
        if row is None:
            return {}
        data: dict[str, Any] = self.decode(row.session_data)
        if data.get(BEGAN, time.time()) + settings.SESSION_COOKIE_AGE < time.time():
            self._session_key = None
            return {}
        self._expires_at = row.expire_date
        return data

    def get_expiry_date(self, **kwargs: Any) -> datetime:
        """When the row is none any more, if nobody comes until then."""
        return kwargs.get("modification", timezone.now()) + timedelta(seconds=settings.IDLE_SECONDS)

    @property
    def idle_seconds(self) -> float:
        """For how long it was not seen, as far as that was noted; 0 of a session that was not loaded."""
        if self._expires_at is None:
            return 0.0
        return (self.get_expiry_date() - self._expires_at).total_seconds()

    def note(self) -> None:
        """Write down that it was seen, if that is worth a write."""
        often = min(NOTE_SECONDS, settings.IDLE_SECONDS / 10, settings.IDLE_STAFF_SECONDS / 10)
        if self._expires_at is None or abs(self.idle_seconds) < often:
            return
        # One from before there were limits.
        self.setdefault(BEGAN, time.time())
        self._expires_at = self.get_expiry_date()
        self.model.objects.filter(session_key=self.session_key).update(expire_date=self._expires_at)
