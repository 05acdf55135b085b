"""Who plays on the ladders, trials and challenges: looked at, taken off, brought back and called off."""

from datetime import datetime
from typing import Any

from django.contrib import admin

from ratings.admin import ReadOnlyAdmin
from tournaments.admin.shared.service import ServiceAdmin, Verb
from tournaments.models import Candidacy, Challenge, LadderEntry
from tournaments.models.lifecycle import MATCH_TRANSITIONS
from tournaments.services.ladders import challenges, ladder_play


def _take_off(*, ladderentry: LadderEntry, actor: Any, now: datetime) -> LadderEntry:
    return ladder_play.leave(actor=actor, ladder=ladderentry.ladder, bot=ladderentry.bot, now=now)


def _bring_back(*, ladderentry: LadderEntry, actor: Any, now: datetime) -> LadderEntry:
    return ladder_play.bring_back(actor=actor, ladder=ladderentry.ladder, bot=ladderentry.bot, now=now)


@admin.register(LadderEntry)
class LadderEntryAdmin(ServiceAdmin):
    verbs = {
        "take_off": Verb(_take_off, "Take off", "taken off", ("playing", "rested"),
                         warning="Its matches that have not begun are called off. Its author may let it join again; a "
                                 "ban keeps it away."),
        "bring_back": Verb(_bring_back, "Bring back", "brought back", ("rested",)),
    }
    page = ("bot", "bot.slug")
    list_display = ["bot", "ladder", "version", "active", "matches", "waiting_since", "faults", "probe_at", "rests"]
    list_select_related = ["bot", "ladder", "version__bot"]
    list_filter = ["active", "ladder"]
    search_fields = ["bot__name", "ladder__name"]
    exclude = ["recent"]

    def state(self, row: LadderEntry) -> str:
        if not row.active:
            return "away"
        return "playing" if row.probe_at is None else "rested"


@admin.register(Candidacy)
class CandidacyAdmin(ReadOnlyAdmin):
    page = ("trial", "pk")
    list_display = ["__str__", "ladder", "status", "created_by", "started_at", "ended_at"]
    list_select_related = ["candidate__bot", "current", "ladder", "created_by"]
    list_filter = ["status", "ladder"]
    search_fields = ["bot__name", "created_by__username"]


@admin.register(Challenge)
class ChallengeAdmin(ServiceAdmin):
    verbs = {
        "cancel": Verb(challenges.cancel_challenge, "Call off", "called off", ("open",),
                       warning="This cannot be undone. What was played stays, what is being played is discarded."),
    }
    page = ("challenge", "pk")
    list_display = ["__str__", "ladder", "created_by", "created_at", "cancelled_at"]
    list_select_related = ["first__bot", "second__bot", "ladder", "created_by"]
    list_filter = ["ladder"]
    search_fields = ["first__bot__name", "second__bot__name", "created_by__username"]

    def state(self, row: Challenge) -> str:
        return "open" if row.matches.filter(status__in=MATCH_TRANSITIONS["cancel"]).exists() else "over"
