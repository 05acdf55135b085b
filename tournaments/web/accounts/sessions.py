"""Sessions that end by themselves: some time after their last page, and two weeks after the sign-in.

A session's row expires settings.IDLE_SECONDS after it was last seen. That it was seen is noted every NOTE_SECONDS at
most, by that one column: a reader costs no write a page, and what other requests put into the session meanwhile stays.
A request that asks neither who reads nor for the session, such as a live part that has not changed, does not count.
"""

import time
from datetime import datetime, timedelta
from typing import Any, Final

from allauth.account.signals import authentication_step_completed
from django.conf import settings
from django.contrib.auth import middleware
from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.contrib.sessions.backends import db
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.functional import SimpleLazyObject

from tournaments.operations.security_log import tell

NOTE_SECONDS: Final = 300
_BEGAN: Final = "signed_in_at"


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
        if data.get(_BEGAN, time.time()) + settings.SESSION_COOKIE_AGE < time.time():
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
        self.setdefault(_BEGAN, time.time())
        self._expires_at = self.get_expiry_date()
        self.model.objects.filter(session_key=self.session_key).update(expire_date=self._expires_at)


class AuthenticationMiddleware(middleware.AuthenticationMiddleware):
    """Django's own; staff is signed out who was not seen for settings.IDLE_STAFF_SECONDS."""

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        request.user = SimpleLazyObject(lambda: _user(request))

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """Who signs out leaves no page behind in the browser; cookies and the choice of colours are nobody's secret."""
        if getattr(request, "signed_out", False):
            response["Clear-Site-Data"] = '"cache"'
        return response


def _user(request: HttpRequest) -> Any:
    known = hasattr(request, "_cached_user")
    user = middleware.get_user(request)
    if known or not user.is_authenticated:
        return user
    if user.is_staff and request.session.idle_seconds > settings.IDLE_STAFF_SECONDS:
        tell("session ended", user=user, reason="idle")
        request.session.flush()
        user = request._cached_user = AnonymousUser()  # noqa: SLF001 - where Django keeps it, and looks for it
    else:
        request.session.note()
    return user


@receiver(authentication_step_completed)
def _change_the_key(request: HttpRequest, *, reauthenticated: bool = False, **_: Any) -> None:
    """Who gave their password once more has another key than whoever may have seen the old one; as at the sign-in."""
    if reauthenticated:
        request.session.cycle_key()


@receiver(user_logged_out)
def _note_the_end(request: HttpRequest, **_: Any) -> None:
    request.signed_out = True


@receiver(user_logged_in)
def _note_the_beginning(request: HttpRequest, **_: Any) -> None:
    request.session[_BEGAN] = time.time()
