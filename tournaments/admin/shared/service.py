"""Base classes of admin pages whose every write is a verb of the service: add forms, buttons and list actions.

A refusal by the service is shown in the form or as a message, and nothing is saved.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone

from ratings.admin import ReadOnly, ReadOnlyAdmin
from tournaments.operations.security_log import sentence_of
from tournaments.platform.refusals import Refused


class VerbForm(forms.ModelForm):
    """A form that creates its row by a verb of the service. `user` is the signed-in user."""

    user: Any = None

    def perform(self) -> Model:
        """Call the verb with `self.cleaned_data`. Raises Refused if the service refuses."""
        raise NotImplementedError

    def _post_clean(self) -> None:
        # A ModelForm would fill and check its own row here. Django calls this once, after the fields.
        if not self.errors:
            try:
                self.instance = self.perform()
            except Refused as refusal:
                self.add_error(None, sentence_of(refusal))

    def save(self, commit: bool = True) -> Model:
        """Return the row, which the verb has already saved."""
        self.save_m2m = lambda: None
        return self.instance


@dataclass(frozen=True, slots=True)
class Verb:
    """An action on a row that has one of these statuses, or on any row.

    `act` takes the row under its model's name, the acting user as `actor`, and `now`. With a `warning`, the button
    needs a second click.
    """

    act: Callable[..., Any]
    label: str
    done: str
    statuses: tuple[str, ...] | None = None
    warning: str = ""


class ServiceAdmin(ReadOnlyAdmin):
    """Read-only rows that `add_form` creates and `verbs` change, subject to Django's add and change permissions."""

    add_form: type[VerbForm] | None = None
    verbs: Mapping[str, Verb] = {}
    change_form_template = "admin/tournaments/verbs.html"

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.add_form is not None and admin.ModelAdmin.has_add_permission(self, request)

    def may_act(self, request: HttpRequest) -> bool:
        """Whether the user may use the verbs: requires Django's permission to change such rows."""
        return admin.ModelAdmin.has_change_permission(self, request)

    # --- adding ------------------------------------------------------------------------------

    def get_form(self, request: HttpRequest, obj: Model | None = None, change: bool = False, **kwargs: Any) -> Any:
        if obj is None and self.add_form is not None:
            return type(self.add_form.__name__, (self.add_form,), {"user": request.user})
        return super().get_form(request, obj, change, **kwargs)

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> Any:
        if obj is None and self.add_form is not None:
            return list(self.add_form.base_fields)
        return super().get_fields(request, obj)

    def save_model(self, request: HttpRequest, obj: Model, form: VerbForm, change: bool) -> None:
        """Do nothing: the form's verb has already written everything."""

    # --- acting ------------------------------------------------------------------------------

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        actions = super().get_actions(request)
        if self.may_act(request):
            actions |= {name: (partial(ServiceAdmin.perform, verb=verb), name, verb.label)
                        for name, verb in self.verbs.items()}
        return actions

    def change_view(self, request: HttpRequest, object_id: str, form_url: str = "",
                    extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the row with the buttons that its status permits; also handle the POST of a button."""
        row = self.get_object(request, object_id)
        if row is None or not self.has_view_permission(request, row):
            return super().change_view(request, object_id, form_url, extra_context)
        may_act = self.may_act(request)
        if request.method == "POST":
            if not may_act or request.POST.get("verb") not in self.verbs:
                raise PermissionDenied
            self.perform(request, [row], verb=self.verbs[request.POST["verb"]])
            return HttpResponseRedirect(request.get_full_path())
        buttons = {name: verb for name, verb in self.verbs.items()
                   if may_act and (verb.statuses is None or self.state(row) in verb.statuses)}
        return super().change_view(request, object_id, form_url,
                                   {"buttons": buttons, **self.tables(row), **(extra_context or {})})

    def state(self, row: Any) -> str:
        """Return the row's status, which determines the permitted verbs."""
        return row.status

    def tables(self, row: Any) -> dict[str, Any]:
        """Return additional context for the page's template."""
        return {}

    def perform(self, request: HttpRequest, rows: Iterable[Any], *, verb: Verb) -> None:
        """Act on each row, and show the result as a message."""
        for row in rows:
            try:
                verb.act(**{self.opts.model_name: row, "actor": request.user, "now": timezone.now()})
            except Refused as refusal:
                messages.error(request, sentence_of(refusal))
            else:
                self.log_change(request, row, f"{verb.done.capitalize()}.")
                messages.success(request, f"{row} is {verb.done}.")


class FactsInline(ReadOnly, admin.TabularInline):
    """Read-only rows that belong to the page's row."""

    show_change_link = True
