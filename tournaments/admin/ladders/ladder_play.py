"""Ladder entries, trials and challenges, with actions on them."""

from datetime import datetime
from typing import Any

from django.contrib import admin

from ratings.admin import ReadOnlyAdmin
from tournaments.admin.shared.service import ServiceAdmin, Verb
from tournaments.models import Candidacy, Challenge, Contender, LadderEntry
from tournaments.models.lifecycle import MATCH_TRANSITIONS
from tournaments.services.ladders import challenges, ladder_play


def _take_off(*, ladderentry: LadderEntry, actor: Any, now: datetime) -> LadderEntry:
    return ladder_play.leave(actor=actor, ladder=ladderentry.ladder, bot=ladderentry.bot, now=now)


def _bring_back(*, ladderentry: LadderEntry, actor: Any, now: datetime) -> LadderEntry:
    return ladder_play.bring_back(actor=actor, ladder=ladderentry.ladder, bot=ladderentry.bot, now=now)


@admin.register(LadderEntry)
class LadderEntryAdmin(ServiceAdmin):
    verbs = {
        "take_off": Verb(_take_off, "Remove from ladder", "removed", ("playing", "suspended"),
                         warning="Its matches that have not started are cancelled. Its author can let it join again, "
                                 "unless you ban the bot."),
        "bring_back": Verb(_bring_back, "Bring back", "brought back", ("suspended",)),
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
        return "playing" if row.probe_at is None else "suspended"


@admin.register(Candidacy)
class CandidacyAdmin(ReadOnlyAdmin):
    internal = True
    page = ("trial", "pk")
    list_display = ["__str__", "ladder", "status", "created_by", "started_at", "ended_at"]
    list_select_related = ["candidate__bot", "current", "ladder", "created_by"]
    list_filter = ["status", "ladder"]
    search_fields = ["bot__name", "created_by__username"]


@admin.register(Contender)
class ContenderAdmin(ReadOnlyAdmin):
    internal = True
    page = ("trial", "candidacy_id")
    list_display = ["__str__", "candidacy", "place", "status", "reason"]
    list_select_related = ["version__bot", "candidacy__candidate__bot", "candidacy__current"]
    list_filter = ["status"]
    search_fields = ["version__bot__name"]


@admin.register(Challenge)
class ChallengeAdmin(ServiceAdmin):
    verbs = {
        "cancel": Verb(challenges.cancel_challenge, "Cancel", "cancelled", ("open",),
                       warning="This cannot be undone. Finished games are kept; running games are discarded."),
    }
    page = ("challenge", "pk")
    list_display = ["__str__", "ladder", "created_by", "created_at", "cancelled_at"]
    list_select_related = ["first__bot", "second__bot", "ladder", "created_by"]
    list_filter = ["ladder"]
    search_fields = ["first__bot__name", "second__bot__name", "created_by__username"]

    def state(self, row: Challenge) -> str:
        return "open" if row.matches.filter(status__in=MATCH_TRANSITIONS["cancel"]).exists() else "over"
