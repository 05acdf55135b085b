"""The organiser's desk. Facts are read-only; what can be done is done by the services' verbs."""

from django.conf import settings
from django.contrib import admin

from tournaments.admin import (
    accounts,
    anchors,
    audit,
    bans,
    bots,
    entrance,
    events,
    failures,
    ladder_play,
    matches,
    notices,
    questions,
    second_factors,
    series,
    workers,
)

__all__ = ["accounts", "anchors", "audit", "bans", "bots", "events", "failures", "ladder_play", "matches",
           "notices", "questions", "second_factors", "series", "workers"]

admin.site.site_title = admin.site.site_header = settings.SITE_NAME
admin.site.index_template = "admin/tournaments/index.html"
admin.site.login = entrance.enter
