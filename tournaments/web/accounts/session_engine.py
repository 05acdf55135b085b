"""Sessions in the database that end after a period of inactivity, and two weeks after the sign-in.

A session's row expires settings.IDLE_SECONDS after its last use. Use is recorded at most every NOTE_SECONDS, in that
column alone: reading a page costs no write, and changes that other requests make to the session are kept.

Needed because docs/explanation/security.md promises that unused sessions end, and staff sessions sooner: Django's own
engine ends a session at a fixed time after its last write.
"""

import time
from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.contrib.sessions.backends import db
from django.utils import timezone

NOTE_SECONDS: Final = 300
# Key of the time at which a session was opened.
BEGAN: Final = "signed_in_at"


class SessionStore(db.SessionStore):
    """Django's database store, with rows that expire as above; the cookie lasts for two weeks."""

    def __init__(self, session_key: str | None = None) -> None:
        super().__init__(session_key)
        self._expires_at: datetime | None = None

    def load(self) -> dict[str, Any]:
        """Return the data of the session; empty if it has ended."""
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
        """Return the time at which the row expires unless the session is used before."""
        return kwargs.get("modification", timezone.now()) + timedelta(seconds=settings.IDLE_SECONDS)

    @property
    def idle_seconds(self) -> float:
        """Time since the last recorded use, in seconds; 0 for a session that was not loaded."""
        if self._expires_at is None:
            return 0.0
        return (self.get_expiry_date() - self._expires_at).total_seconds()

    def note(self) -> None:
        """Record the use of the session, unless the last record is recent."""
        often = min(NOTE_SECONDS, settings.IDLE_SECONDS / 10, settings.IDLE_STAFF_SECONDS / 10)
        if self._expires_at is None or abs(self.idle_seconds) < often:
            return
        # The session may date from before there were limits.
        self.setdefault(BEGAN, time.time())
        self._expires_at = self.get_expiry_date()
        self.model.objects.filter(session_key=self.session_key).update(expire_date=self._expires_at)
