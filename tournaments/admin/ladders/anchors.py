"""Anchors: versions whose ratings on a ladder are given. Set again to change one; removed by its button."""

from django import forms
from django.contrib import admin
from django.utils import timezone

from ratings.models import Anchor
from tournaments.admin.shared.service import ServiceAdmin, Verb, VerbForm
from tournaments.models import Ladder, Version
from tournaments.services.ladders.anchors import MOST_ELO, remove_anchor, set_anchor

_LARGEST_ID = 2**63 - 1


class AnchorForm(VerbForm):
    ladder = forms.ModelChoiceField(Ladder.objects.all(), help_text="Where. Its official table is computed again.")
    version = forms.IntegerField(min_value=1, max_value=_LARGEST_ID, help_text="The version's id.")
    rating = forms.FloatField(min_value=-MOST_ELO, max_value=MOST_ELO, help_text=(
        "Its Elo from now on. All ratings that games connect with it move by as much; several anchors have theirs on "
        "average."))

    class Meta:
        model = Anchor
        fields: list[str] = []

    def clean_version(self) -> Version:
        """The version itself."""
        pk = self.cleaned_data["version"]
        version = Version.objects.select_related("bot").filter(pk=pk).first()
        if version is None:
            raise forms.ValidationError(f"There is no version {pk}.")
        return version

    def perform(self) -> Anchor:
        return set_anchor(actor=self.user, now=timezone.now(), **self.cleaned_data)


@admin.register(Anchor)
class AnchorAdmin(ServiceAdmin):
    add_form = AnchorForm
    verbs = {"remove": Verb(remove_anchor, "Remove", "removed",
                            warning="The official table is computed again without it.")}
    list_display = ["__str__", "ladder", "rating"]
    list_select_related = ["version__bot", "ladder"]
    list_filter = ["ladder"]
    search_fields = ["version__bot__name", "ladder__name"]
