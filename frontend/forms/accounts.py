"""Forms for accounts, teams, uploads and notices. They check the format of the input; the services check the rest."""

from datetime import timedelta
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.core.files import File
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tournaments.models.lifecycle import TokenScope
from tournaments.services.accounts import accounts, teams, tokens
from tournaments.services.notices.kinds import CHOICES, COMMON_CHOICES
from tournaments.web.uploads import small_enough


class ProfileForm(forms.Form):
    """A user's public profile."""

    about = forms.CharField(required=False, max_length=accounts.LONGEST_ABOUT, strip=False, label=_("About you"),
                            widget=forms.Textarea(attrs={"rows": 4}), help_text=_("Shown on your page, as plain text."))
    link = forms.CharField(required=False, max_length=accounts.LONGEST_LINK, label=_("Website"),
                           widget=forms.URLInput(attrs={"placeholder": "https://"}))


class TokenForm(forms.Form):
    """A new token."""

    name = forms.CharField(max_length=tokens.LONGEST_NAME, label=_("Token name"),
                           widget=forms.TextInput(attrs={"placeholder": _("my laptop")}))
    days = forms.TypedChoiceField(coerce=int, initial=90, label=_("Expires"),
                                  choices=[(30, _("in 30 days")), (90, _("in 90 days")), (365, _("in one year")),
                                           (0, _("never"))])
    scope = forms.ChoiceField(label=_("Permissions"), choices=[
        (TokenScope.EVERYTHING, _("everything you can do")), (TokenScope.UPLOADS, _("upload and read")),
        (TokenScope.READING, _("read only"))])

    def facts(self) -> dict[str, Any]:
        """The arguments of `make_token`, from a valid form."""
        days = self.cleaned_data["days"]
        return {"name": self.cleaned_data["name"], "scope": self.cleaned_data["scope"],
                "expires_at": timezone.now() + timedelta(days=days) if days else None}


class TeamForm(forms.Form):
    """A new team."""

    name = forms.CharField(max_length=teams.LONGEST_NAME, label=_("Team name"))


class MemberForm(forms.Form):
    """A user to add to a team."""

    username = forms.CharField(max_length=150, label=_("Username"))

    def clean_username(self) -> User:
        """Return the user with that name."""
        user = User.objects.filter(username=self.cleaned_data["username"], is_active=True).first()
        if user is None:
            raise forms.ValidationError(gettext("There is no account %(name)r.") % {
                "name": self.cleaned_data["username"]})
        return user


class UploadForm(forms.Form):
    """A bot's archive."""

    archive = forms.FileField(label=_("Archive"), help_text=_("A .zip, .tar or .tar.gz with bot.toml at its root."),
                              widget=forms.FileInput(attrs={"accept": ".zip,.tar,.gz,.tgz"}))

    def __init__(self, *args: Any, user: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._user = user

    def clean_archive(self) -> File:
        """Return the file if it does not exceed the uploader's size limit."""
        return small_enough(self.cleaned_data["archive"], self._user)


class MailForm(forms.Form):
    """The kinds of notices that are also sent by e-mail."""

    mail_on = forms.MultipleChoiceField(required=False, label=_("Notices by e-mail"),
                                        widget=forms.CheckboxSelectMultiple, choices=list(COMMON_CHOICES.items()))


class BrowserForm(forms.Form):
    """A browser's subscription to push messages."""

    endpoint = forms.CharField(max_length=500)
    p256dh = forms.CharField(max_length=100)
    auth = forms.CharField(max_length=40)


class WebhookForm(forms.Form):
    """The URL of a webhook, and the notices that are posted to it."""

    url = forms.CharField(max_length=500, label=_("URL"), widget=forms.URLInput(attrs={"placeholder": "https://"}),
                          help_text=_("A public https URL to which notices are posted."))
    kinds = forms.MultipleChoiceField(required=False, label=_("Notices"), choices=list(CHOICES.items()),
                                      widget=forms.CheckboxSelectMultiple,
                                      help_text=_("Select none to receive every notice."))

    def __init__(self, *args: Any, user: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if not user.is_staff:
            self.fields["kinds"].choices = list(COMMON_CHOICES.items())
