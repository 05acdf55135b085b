"""The user's second factor: turn it on or off, or get new recovery codes. All need the password and a code."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from allauth.mfa.adapter import get_adapter
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.debug import sensitive_post_parameters

from frontend.drawing import qr
from frontend.forms.second_factor import ChangeForm, SwitchOnForm
from frontend.views.shared.acting import button
from frontend.views.shared.private import private
from tournaments.platform.encryption import Unsealable, encrypt, unseal
from tournaments.services.accounts import second_factor as verbs
from tournaments.services.accounts.second_factor import SecondFactorRefused, second_factor_of
from tournaments.web.accounts.second_factor import tell, try_code
from tournaments.web.accounts.staff_gate import must_switch_on

_OFFERED = "second-factor-offered"


@login_required
@sensitive_post_parameters("password", "code")
def page(request: HttpRequest) -> HttpResponse:
    """The state of the second factor; if it is off, the secret for the app and the form that turns it on."""
    if request.method != "POST":
        return _shown(request)
    form = SwitchOnForm(request.POST, user=request.user)
    if form.is_valid():
        with _refusals_in_form(form):
            made = verbs.switch_on(user=request.user, secret=_offered(request), now=timezone.now(),
                                   code=form.cleaned_data["code"], password=form.cleaned_data["password"])
            request.session.pop(_OFFERED, None)
            update_session_auth_hash(request, request.user)
            tell(request.user, "on")
            return _codes_shown(request, made)
    return _shown(request, status=400, switch_on_form=form)


@button
@sensitive_post_parameters("codes-password", "codes-code")
def codes(request: HttpRequest) -> HttpResponse:
    """Create new recovery codes. The response itself shows them, as for a new token."""
    form = ChangeForm(request.POST, user=request.user, prefix="codes")
    if form.is_valid():
        with _refusals_in_form(form):
            _try(request, form)
            made = verbs.renew_codes(user=request.user, now=timezone.now())
            tell(request.user, "codes")
            return _codes_shown(request, made)
    return _shown(request, status=400, codes_form=form)


@button
@sensitive_post_parameters("off-password", "off-code")
def off(request: HttpRequest) -> HttpResponse:
    """Turn the second factor off."""
    form = ChangeForm(request.POST, user=request.user, prefix="off")
    if form.is_valid():
        with _refusals_in_form(form):
            _try(request, form)
            verbs.switch_off(user=request.user, password=form.cleaned_data["password"], now=timezone.now())
            update_session_auth_hash(request, request.user)
            tell(request.user, "off")
            messages.success(request, gettext("Your second factor is now off."))
            return redirect("account")
    return _shown(request, status=400, off_form=form)


@contextmanager
def _refusals_in_form(form: ChangeForm) -> Iterator[None]:
    """Show a refusal as an error of the code field."""
    try:
        yield
    except SecondFactorRefused as refusal:
        form.add_error("code", str(refusal))


def _try(request: HttpRequest, form: ChangeForm) -> None:
    """Check the form's code and mark it as used. Raises WrongCode and TooManyCodes."""
    try_code(request, user=request.user, code=form.cleaned_data["code"], now=timezone.now())


def _shown(request: HttpRequest, *, status: int = 200, **filled: Any) -> HttpResponse:
    known = second_factor_of(request.user)
    shown: dict[str, Any] = {"second_factor": known, "is_asked_for": must_switch_on(request.user)}
    if known is None:
        secret = _offered(request)
        address = get_adapter().build_totp_url(request.user, secret)
        shown |= {"secret": " ".join(re.findall(".{1,4}", secret)), "address": address, "picture": qr.svg(address),
                  "switch_on_form": SwitchOnForm(user=request.user)}
    else:
        shown |= {"codes_form": ChangeForm(user=request.user, prefix="codes"),
                  "off_form": ChangeForm(user=request.user, prefix="off")}
    return private(render(request, "frontend/accounts/second_factor.html", {**shown, **filled}, status=status))


def _codes_shown(request: HttpRequest, codes: list[str]) -> HttpResponse:
    return private(render(request, "frontend/accounts/recovery_codes.html", {"codes": codes}, status=201))


def _offered(request: HttpRequest) -> str:
    """The offered secret, the same in all tabs until it is used; encrypted, because sessions are database rows."""
    try:
        return unseal(request.session.get(_OFFERED, ""))
    except Unsealable:
        secret = verbs.new_secret()
        request.session[_OFFERED] = encrypt(secret)
        return secret
