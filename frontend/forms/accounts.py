"""What people fill in. A form takes only what has the right shape; the service's verbs judge it."""

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.core.files import File
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tournaments.models.lifecycle import TokenScope
from tournaments.models.notices import NOTICES
from tournaments.services.accounts import accounts, teams, tokens
from tournaments.web.uploads import small_enough


class ProfileForm(forms.Form):
    """What somebody says about themselves."""

    about = forms.CharField(required=False, max_length=accounts.LONGEST_ABOUT, strip=False, label=_("About you"),
                            widget=forms.Textarea(attrs={"rows": 4}), help_text=_("Shown on your page, as plain text."))
    link = forms.CharField(required=False, max_length=accounts.LONGEST_LINK, label=_("Your own page"),
                           widget=forms.URLInput(attrs={"placeholder": "https://"}))


class TokenForm(forms.Form):
    """A new token."""

    name = forms.CharField(max_length=tokens.LONGEST_NAME, label=_("What is it for?"),
                           widget=forms.TextInput(attrs={"placeholder": _("my laptop")}))
    days = forms.TypedChoiceField(coerce=int, initial=90, label=_("Expires"),
                                  choices=[(30, _("in 30 days")), (90, _("in 90 days")), (365, _("in a year")),
                                           (0, _("never"))])
    scope = forms.ChoiceField(label=_("May"), choices=[
        (TokenScope.EVERYTHING, _("do all that you may")), (TokenScope.UPLOADS, _("upload, and read")),
        (TokenScope.READING, _("only read"))])


class TeamForm(forms.Form):
    """A new team."""

    name = forms.CharField(max_length=teams.LONGEST_NAME, label=_("Its name"))


class MemberForm(forms.Form):
    """Somebody to be added to a team."""

    username = forms.CharField(max_length=150, label=_("Username"))

    def clean_username(self) -> User:
        """The person."""
        user = User.objects.filter(username=self.cleaned_data["username"], is_active=True).first()
        if user is None:
            raise forms.ValidationError(gettext("There is no account %(name)r.") % {
                "name": self.cleaned_data["username"]})
        return user


class UploadForm(forms.Form):
    """A bot's archive."""

    archive = forms.FileField(label=_("The archive"), help_text=_("A .zip, .tar or .tar.gz with bot.toml at its top."),
                              widget=forms.FileInput(attrs={"accept": ".zip,.tar,.gz,.tgz"}))

    def __init__(self, *args: Any, user: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._user = user

    def clean_archive(self) -> File:
        """The file, if it is no larger than its sender's quota."""
        return small_enough(self.cleaned_data["archive"], self._user)


class MailForm(forms.Form):
    """Which kinds of notices are also sent by mail."""

    mail_on = forms.MultipleChoiceField(required=False, label=_("Send me mail when"),
                                        widget=forms.CheckboxSelectMultiple, choices=list(NOTICES.items()))


class WebhookForm(forms.Form):
    """Where notices are posted, and which."""

    url = forms.CharField(max_length=500, label=_("Address"), widget=forms.URLInput(attrs={"placeholder": "https://"}),
                          help_text=_("Where notices are posted: https, and an address of the public internet."))
    kinds = forms.MultipleChoiceField(required=False, label=_("Tell it when"), choices=list(NOTICES.items()),
                                      widget=forms.CheckboxSelectMultiple,
                                      help_text=_("Nothing chosen means everything."))
