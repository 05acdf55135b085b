"""The kinds of notices: one entry for each, from which forms, the API, webhooks and mails take what they need.

A new kind is an entry here, a call of `outbox.emit` where it happens, and a line in docs/webhooks.md.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tournaments.platform.refusals import Refused


@dataclass(frozen=True, slots=True)
class Kind:
    """What a kind of notices is chosen by, and its mail.

    `subject` and `text` are Django templates of the payload, `base` (the site's address) and `site` (its name). `when`
    is None for what the service has to say of itself: it is sent by mail alone, to whom it concerns.
    """

    when: Promise | None
    subject: str
    text: str


_TRIAL_PAGE: Final = "{{ reason }}\n\n{{ base }}/trials/{{ trial }}/"

KINDS: Final[Mapping[str, Kind]] = {
    "submission.accepted": Kind(
        _("A submission of yours has qualified and is a version now."),
        "{{ name }} v{{ version }} is ready",
        "Your submission {{ submission }} has qualified: it is version {{ version }} of {{ name }}.\n\n"
        "{{ base }}/bots/{{ bot }}/"),
    "submission.refused": Kind(
        _("A submission of yours was refused."),
        "Submission {{ submission }} was refused",
        "Your submission {{ submission }}{% if name %} of {{ name }}{% endif %} was refused"
        "{% if step %} at the step “{{ step }}”{% endif %}:\n\n  {{ refusal }}\n\n"
        "The line to mend and the logs:\n{{ base }}/submissions/{{ submission }}/"),
    "event.changed": Kind(
        _("An event that your bot is entered in was changed before its start."),
        "{{ name }} was changed",
        "The organiser of {{ name }}, which your bot is entered in, changed: {{ changed|join:', ' }}.\n"
        "It starts at {{ starts_at }}.\n\n{{ base }}/events/{{ event }}/"),
    "event.started": Kind(
        _("An event that a bot of yours is entered in has started."),
        "{{ name }} has started",
        "{{ name }}, in which a bot of yours plays, has started.\n\n{{ base }}/events/{{ event }}/"),
    "event.finished": Kind(
        _("An event that a bot of yours is entered in is over, or was cancelled."),
        "{{ name }} {% if status == 'cancelled' %}was cancelled{% else %}is over{% endif %}",
        "{{ name }}, in which a bot of yours played, {% if status == 'cancelled' %}was cancelled{% else %}is over"
        "{% endif %}. Standings and games:\n\n{{ base }}/events/{{ event }}/"),
    "version.rested": Kind(
        _("A version of yours was rested after faults."),
        "{{ bot }} v{{ version }} rests after faults",
        "Version {{ version }} of {{ bot }} rests on the ladder {{ ladder }}: {{ reason }}\n\n"
        "A probe match {{ until }} shows whether it is well again. Its games and faults:\n{{ base }}/bots/{{ bot }}/"),
    "version.well": Kind(
        _("A version of yours plays again after a probe."),
        "{{ bot }} v{{ version }} plays again",
        "Version {{ version }} of {{ bot }} came through its probe match, and is paired again on the ladder "
        "{{ ladder }}.\n\n{{ base }}/bots/{{ bot }}/"),
    "candidate.passed": Kind(
        _("A version of yours has passed its trial, and plays on the ladder now."),
        "{{ name }} v{{ version }} passed its trial",
        "Version {{ version }} of {{ bot }} plays on the ladder {{ ladder }} now, in place of version {{ against }}. "
        f"{_TRIAL_PAGE}"),
    "candidate.failed": Kind(
        _("A version of yours has failed its trial."),
        "{{ name }} v{{ version }} failed its trial",
        "Version {{ version }} of {{ bot }} does not replace version {{ against }} on the ladder {{ ladder }}. "
        f"{_TRIAL_PAGE}"),
    "candidate.inconclusive": Kind(
        _("A trial of a version of yours ended without a verdict."),
        "The trial of {{ name }} v{{ version }} ended without a verdict",
        "Version {{ version }} of {{ bot }} was tried against version {{ against }} on the ladder {{ ladder }}. "
        f"{_TRIAL_PAGE}"),
    "webhook.switched_off": Kind(
        None, "Your webhook is switched off",
        "For three days nothing has arrived at\n\n  {{ url }}\n\n"
        "so notices are not sent there any more, and those that waited are given up. Its log says what it answered.\n"
        "When it works again, resume it:\n{{ base }}/account/webhooks/{{ webhook }}/"),
    "second_factor.taken": Kind(
        None, "Your second factor was taken away",
        "The staff of {{ site }} switched off the second factor of your account, as somebody does who has lost it.\n"
        "From now on your password alone signs you in. You can switch on another:\n"
        "{{ base }}/account/second-factor/\n\n"
        "If you did not ask for this, change your password and tell the site's staff."),
}
# What people choose from, in this order.
CHOICES: Final[Mapping[str, Promise]] = {name: kind.when for name, kind in KINDS.items() if kind.when is not None}


def refuse_unknown(kinds: Iterable[str], refusal: type[Refused]) -> None:
    """Raise this refusal when one of the kinds is none to choose."""
    for kind in kinds:
        if kind not in CHOICES:
            raise refusal(gettext("No notice is called %(unknown)r; there are %(notices)s."), unknown=kind,
                          notices=", ".join(CHOICES))
