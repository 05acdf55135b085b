"""What the site has to say with the next page: in a cookie, so that it costs visitors no row in the database."""

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.contrib.messages.storage.fallback import FallbackStorage
from django.contrib.messages.storage.session import SessionStorage


class HostCookie(CookieStorage):
    """Django's own under the name of settings.MESSAGES_COOKIE_NAME, which no other host can set behind TLS."""

    @property
    def cookie_name(self) -> str:
        return settings.MESSAGES_COOKIE_NAME


class Messages(FallbackStorage):
    """Django's own: the cookie, and the session for what does not fit."""

    storage_classes = (HostCookie, SessionStorage)
