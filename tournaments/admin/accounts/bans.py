"""Bans of people and bots, and lifting them."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.utils import timezone

from tournaments.admin.shared.service import ServiceAdmin, Verb, VerbForm
from tournaments.models import Ban, Bot
from tournaments.services.accounts import bans


class BanForm(VerbForm):
    user = forms.CharField(required=False, max_length=150, help_text="Name of the account to ban: may not upload, "
                                                                     "enter, challenge or organise.")
    bot = forms.CharField(required=False, max_length=60, help_text="Or the bot to ban, by its place in addresses: is "
                                                                   "not paired, entered or given versions.")
    reason = forms.CharField(widget=forms.Textarea(attrs={"rows": 3, "class": "vLargeTextField"}), max_length=2000,
                             help_text="Why, as its subject is told.")

    class Meta:
        model = Ban
        fields: list[str] = []

    def clean_user(self) -> Any:
        """The account itself."""
        return self._found(get_user_model().objects, "username", "user")

    def clean_bot(self) -> Any:
        """The bot itself."""
        return self._found(Bot.objects, "slug", "bot")

    def _found(self, rows: Any, key: str, name: str) -> Any:
        given = self.cleaned_data[name]
        if not given:
            return None
        row = rows.filter(**{key: given}).first()
        if row is None:
            raise forms.ValidationError(f"There is none called {given!r}.")
        return row

    def perform(self) -> Ban:
        return bans.ban(actor=self.user, now=timezone.now(), **self.cleaned_data)


@admin.register(Ban)
class BanAdmin(ServiceAdmin):
    add_form = BanForm
    verbs = {"lift": Verb(bans.lift, "Lift", "lifted", ("stands",))}
    list_display = ["__str__", "reason", "created_by", "created_at", "lifted_at"]
    list_select_related = ["user", "bot", "created_by"]
    list_filter = [("lifted_at", admin.EmptyFieldListFilter)]
    search_fields = ["user__username", "bot__name", "reason"]

    def state(self, row: Ban) -> str:
        """Whether it stands."""
        return "stands" if row.lifted_at is None else "lifted"
