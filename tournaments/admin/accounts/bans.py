"""Bans of users and bots: impose and lift them."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.utils import timezone

from tournaments.admin.shared.service import ServiceAdmin, Verb, VerbForm
from tournaments.models import Ban, Bot
from tournaments.services.accounts import bans


class BanForm(VerbForm):
    user = forms.CharField(required=False, max_length=150,
                           help_text="Name of the account to ban, which may then not upload, enter, challenge or "
                                     "organise.")
    bot = forms.CharField(required=False, max_length=60,
                          help_text="Or the slug of the bot to ban, which is then not paired, cannot enter events, and "
                                    "accepts no new versions.")
    reason = forms.CharField(widget=forms.Textarea(attrs={"rows": 3, "class": "vLargeTextField"}), max_length=2000,
                             help_text="Reason, as shown to the banned user or the bot's owner.")

    class Meta:
        model = Ban
        fields: list[str] = []

    def clean_user(self) -> Any:
        """Return the account."""
        return self._found(get_user_model().objects, "username", "user")

    def clean_bot(self) -> Any:
        """Return the bot."""
        return self._found(Bot.objects, "slug", "bot")

    def _found(self, rows: Any, key: str, name: str) -> Any:
        given = self.cleaned_data[name]
        if not given:
            return None
        row = rows.filter(**{key: given}).first()
        if row is None:
            raise forms.ValidationError(f"There is no {name} {given!r}. Enter an existing {key}.")
        return row

    def perform(self) -> Ban:
        return bans.ban(actor=self.user, now=timezone.now(), **self.cleaned_data)


@admin.register(Ban)
class BanAdmin(ServiceAdmin):
    add_form = BanForm
    verbs = {"lift": Verb(bans.lift, "Lift", "lifted", ("in force",))}
    list_display = ["__str__", "reason", "created_by", "created_at", "lifted_at"]
    list_select_related = ["user", "bot", "created_by"]
    list_filter = [("lifted_at", admin.EmptyFieldListFilter)]
    search_fields = ["user__username", "bot__name", "reason"]

    def state(self, row: Ban) -> str:
        """Return whether the ban is in force."""
        return "in force" if row.lifted_at is None else "lifted"
