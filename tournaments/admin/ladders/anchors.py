"""Anchors: versions with a fixed rating on a ladder. To change an anchor, add it again with the new rating."""

from django import forms
from django.contrib import admin
from django.utils import timezone

from ratings.models import Anchor
from tournaments.admin.shared.service import ServiceAdmin, Verb, VerbForm
from tournaments.models import Ladder, Version
from tournaments.services.ladders.anchors import MOST_ELO, remove_anchor, set_anchor

_LARGEST_ID = 2**63 - 1


class AnchorForm(VerbForm):
    ladder = forms.ModelChoiceField(Ladder.objects.all(),
                                    help_text="Ladder of the anchor. Its ratings will be recomputed.")
    version = forms.IntegerField(min_value=1, max_value=_LARGEST_ID, help_text="ID of the version.")
    rating = forms.FloatField(min_value=-MOST_ELO, max_value=MOST_ELO, help_text=(
        "Fixed Elo. All ratings connected with it by games shift by the same amount; several anchors keep their "
        "average."))

    class Meta:
        model = Anchor
        fields: list[str] = []

    def clean_version(self) -> Version:
        """Return the version."""
        pk = self.cleaned_data["version"]
        version = Version.objects.select_related("bot").filter(pk=pk).first()
        if version is None:
            raise forms.ValidationError(f"There is no version {pk}. Enter the ID of an existing version.")
        return version

    def perform(self) -> Anchor:
        return set_anchor(actor=self.user, now=timezone.now(), **self.cleaned_data)


@admin.register(Anchor)
class AnchorAdmin(ServiceAdmin):
    add_form = AnchorForm
    verbs = {"remove": Verb(remove_anchor, "Remove", "removed",
                            warning="The ratings are recomputed without it.")}
    list_display = ["__str__", "ladder", "rating"]
    list_select_related = ["version__bot", "ladder"]
    list_filter = ["ladder"]
    search_fields = ["version__bot__name", "ladder__name"]
