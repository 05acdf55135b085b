"""Series: create, pause, resume and end them."""

from datetime import datetime
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from engines.rules.books import MOST_BYTES
from tournaments.admin.shared.service import ServiceAdmin, Verb, VerbForm
from tournaments.models import Series
from tournaments.models.rulings import WITHDRAWALS
from tournaments.selectors.events import events as reads
from tournaments.services.events import series as verbs


class SeriesForm(VerbForm):
    cycles = forms.IntegerField(initial=1, help_text="Matches per pairing, of two games each.")
    apart_rounds = forms.IntegerField(required=False, help_text="Number of first rounds of a Swiss in which bots of "
                                                                "one owner or team do not meet, if possible.")
    minutes = forms.IntegerField(required=False, help_text="Minutes for which an arena pairs its entrants; empty for "
                                                           "60.")
    streaks = forms.BooleanField(required=False, help_text="Double the points of an arena after two wins in a row.")
    withdrawals = forms.ChoiceField(required=False, choices=WITHDRAWALS,
                                    help_text="Results of an entrant that leaves a round-robin or gauntlet.")
    book = forms.CharField(required=False, strip=False, max_length=MOST_BYTES, widget=forms.Textarea(attrs={"rows": 3}),
                           help_text="Openings of your own, one per line; empty for the ruleset's.")

    class Meta:
        model = Series
        fields = ["name", "description", "ladder", "cron", "time_zone", "enter_ladder", "division_size",
                  "division_moves", "format", "swiss_rounds", "target", "target_value", "max_matches", "max_hours",
                  "seeding", "max_entries", "rated", "private", "openings", "withdrawals", "apart_rounds",
                  "minutes", "streaks"]

    def perform(self) -> Series:
        return verbs.create_series(**self.cleaned_data, created_by=self.user, now=timezone.now())


@admin.register(Series)
class SeriesAdmin(ServiceAdmin):
    add_form = SeriesForm
    verbs = {
        "pause": Verb(verbs.pause_series, "Pause", "paused", ("active",)),
        "resume": Verb(verbs.resume_series, "Resume", "resumed", ("paused",)),
        "end": Verb(verbs.end_series, "End", "ended", ("active", "paused"),
                    "This cannot be undone. An event that is already announced stays scheduled; you can cancel it."),
    }
    page = ("series", "slug")
    list_display = ["name", "ladder", "cron", "time_zone", "active", "announced_run_at", "following_run_at"]
    list_select_related = ["ladder"]
    search_fields = ["name", "slug"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Series]:
        return reads.every_series()

    @admin.display(ordering="announced_run_at")
    def announced_run_at(self, row: Any) -> datetime | None:
        return row.announced_run_at  # type: ignore[no-any-return]

    @admin.display(ordering="following_run_at")
    def following_run_at(self, row: Any) -> datetime | None:
        return row.following_run_at  # type: ignore[no-any-return]

    def state(self, row: Series) -> str:
        return "ended" if row.next_run_at is None else "active" if row.active else "paused"
