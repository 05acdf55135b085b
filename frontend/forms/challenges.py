"""The form for a challenge: ladder, the user's version, opponent and number of matches."""

import re
from typing import Any, Final

from django import forms
from django.db.models import Q, QuerySet
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tournaments.models import Ladder, Version
from tournaments.models.lifecycle import VersionStatus
from tournaments.selectors.shared.permissions import own_bots
from tournaments.services.ladders.challenges import MOST_MATCHES

_NAMED: Final = re.compile(r"(?P<bot>.+?)(?:\s+v(?P<number>\d{1,9}))?\s*")


class ChallengeForm(forms.Form):
    """A new challenge."""

    ladder = forms.ModelChoiceField(Ladder.objects.all(), to_field_name="slug", empty_label=None, label=_("Ladder"),
                                    help_text=_("Sets the ruleset, board and time control. The games are unrated."))
    first = forms.ModelChoiceField(Version.objects.none(), empty_label=None, label=_("Your version"))
    second = forms.CharField(max_length=80, label=_("Opponent"),
                             help_text=_("A bot's name, for its newest active version. Add v2, for example, to choose "
                                         "version 2. It can be your own bot."))
    # Not `matches`, as in the API: in the browser, a field of that name would hide the form's `matches()` method.
    match_count = forms.IntegerField(min_value=1, max_value=MOST_MATCHES, initial=2, label=_("Matches"))

    def __init__(self, *args: Any, user: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["match_count"].help_text = gettext("1 to %(most)s matches of two games each, seats swapped.") % {
            "most": MOST_MATCHES}
        self.fields["first"].queryset = own_versions(user)

    def facts(self) -> dict[str, Any]:
        """The arguments of `challenge`, from a valid form."""
        return {"matches" if name == "match_count" else name: fact for name, fact in self.cleaned_data.items()}

    def clean_second(self) -> Version:
        """Return the named version."""
        named = _NAMED.fullmatch(self.cleaned_data["second"])
        bot, number = (named["bot"].strip(), named["number"]) if named else ("", None)
        versions = Version.objects.select_related("bot").filter(Q(bot__name__iexact=bot) | Q(bot__slug=bot))
        found = (versions.filter(number=number) if number else
                 versions.filter(status=VersionStatus.ACTIVE)).order_by("-number").first()
        if found is None:
            raise forms.ValidationError(
                gettext("There is no version %(number)s of %(bot)r.") % {"number": number, "bot": bot} if number else
                gettext("There is no bot %(bot)r with an active version.") % {"bot": bot})
        return found


def own_versions(user: Any) -> QuerySet[Version]:
    """The active versions of the bots that the user can manage."""
    return Version.objects.filter(bot__in=own_bots(user), status=VersionStatus.ACTIVE
                                  ).select_related("bot__team").order_by("bot__slug", "-number")
