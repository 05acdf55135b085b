"""The organiser's desk. Facts are read-only; what can be done is done by the services' verbs."""

from django.conf import settings
from django.contrib import admin

from tournaments.admin import bots, events, matches

__all__ = ["bots", "events", "matches"]

admin.site.site_title = admin.site.site_header = settings.SITE_NAME
