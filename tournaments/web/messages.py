"""Messages for the next page, stored in a cookie so that visitors need no row in the database."""

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.contrib.messages.storage.fallback import FallbackStorage
from django.contrib.messages.storage.session import SessionStorage


class HostCookie(CookieStorage):
    """Django's storage under the name settings.MESSAGES_COOKIE_NAME, which no other host can set behind TLS."""

    @property
    def cookie_name(self) -> str:
        return settings.MESSAGES_COOKIE_NAME


class Messages(FallbackStorage):
    """Django's storage: the cookie, and the session for messages that do not fit."""

    storage_classes = (HostCookie, SessionStorage)
