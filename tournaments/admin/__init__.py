"""The organiser's admin. Facts are read-only; all actions are verbs of the services."""

from django.conf import settings
from django.contrib import admin

from tournaments.admin.accounts import accounts, bans, entrance, second_factors
from tournaments.admin.bots import bots
from tournaments.admin.casual import analyses, questions
from tournaments.admin.events import events, rulings, series
from tournaments.admin.ladders import anchors, ladder_play
from tournaments.admin.matches import matches, workers
from tournaments.admin.notices import notices
from tournaments.admin.operations import audit, failures
from tournaments.admin.shared import index

admin.site.site_title = admin.site.site_header = settings.SITE_NAME
admin.site.index_template = "admin/tournaments/index.html"
admin.site.index = index.index
admin.site.login = entrance.enter
