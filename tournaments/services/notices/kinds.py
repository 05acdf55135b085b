"""Kinds of notices: one entry per kind, from which forms, the API, webhooks and mails take what they need.

A new kind needs an entry here, a call of `outbox.emit` where it happens, and a line in docs/reference/webhooks.md.
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
    """A kind of notice: its description to choose it by, and its mail.

    `subject` and `text` are Django templates of the payload, `base` (the site's address) and `site` (its name). `when`
    is None for messages about a user's own account: they cannot be chosen, and are sent to that user by mail only. A
    kind for `staff` is mailed to all of them, and only their webhooks receive it.
    """

    when: Promise | None
    subject: str
    text: str
    staff: bool = False


# News for followers, which only `outbox.tell_follower` writes.
FOLLOWED: Final = "followed.news"
_STANDSTILLS: Final = ("{% for each in standstills %}{{ each.queue }}, since {{ each.since }}: {{ each.text }}\n"
                       "{% endfor %}")
_TRIAL_PAGE: Final = "{{ reason }}\n\n{{ base }}/trials/{{ trial }}/"

KINDS: Final[Mapping[str, Kind]] = {
    "submission.accepted": Kind(
        _("Your submission has qualified and is now a version."),
        "{{ name }} v{{ version }} is ready",
        "Your submission {{ submission }} has qualified. It is now version {{ version }} of {{ name }}.\n\n"
        "{{ base }}/bots/{{ bot }}/"),
    "submission.refused": Kind(
        _("Your submission was refused."),
        "Submission {{ submission }} was refused",
        "Your submission {{ submission }}{% if name %} of {{ name }}{% endif %} was refused"
        "{% if step %} at the step “{{ step }}”{% endif %}:\n\n  {{ refusal }}\n\n"
        "The line to fix and the logs:\n{{ base }}/submissions/{{ submission }}/"),
    "event.changed": Kind(
        _("An event that your bot is entered in was changed before its start."),
        "{{ name }} was changed",
        "The organiser has changed {{ name }}, which your bot is entered in. Changed: {{ changed|join:', ' }}.\n"
        "It starts at {{ starts_at }}.\n\n{{ base }}/events/{{ event }}/"),
    "event.started": Kind(
        _("An event that your bot is entered in has started."),
        "{{ name }} has started",
        "{{ name }}, which your bot is playing in, has started.\n\n{{ base }}/events/{{ event }}/"),
    "event.finished": Kind(
        _("An event that your bot is entered in has finished or was cancelled."),
        "{{ name }} {% if status == 'cancelled' %}was cancelled{% else %}has finished{% endif %}",
        "{{ name }}, which your bot was entered in, {% if status == 'cancelled' %}was cancelled{% else %}has finished"
        "{% endif %}. Standings and games:\n\n{{ base }}/events/{{ event }}/"),
    "version.rested": Kind(
        _("Your version was suspended on a ladder after faults."),
        "{{ bot }} v{{ version }} is suspended after faults",
        "Version {{ version }} of {{ bot }} is suspended on the ladder {{ ladder }}: {{ reason }}.\n\n"
        "A probe match after {{ until }} will show whether it is healthy. Its games and faults:\n"
        "{{ base }}/bots/{{ bot }}/"),
    "version.well": Kind(
        _("Your version is paired again on a ladder after a probe match."),
        "{{ bot }} v{{ version }} is paired again",
        "Version {{ version }} of {{ bot }} passed its probe match and is paired again on the ladder "
        "{{ ladder }}.\n\n{{ base }}/bots/{{ bot }}/"),
    "candidate.passed": Kind(
        _("Your version has passed its trial and now plays on the ladder."),
        "{{ name }} v{{ version }} passed its trial",
        "Version {{ version }} of {{ bot }} now plays on the ladder {{ ladder }}, in place of version {{ against }}. "
        f"{_TRIAL_PAGE}"),
    "candidate.failed": Kind(
        _("Your version has failed its trial."),
        "{{ name }} v{{ version }} failed its trial",
        "Version {{ version }} of {{ bot }} does not replace version {{ against }} on the ladder {{ ladder }}. "
        f"{_TRIAL_PAGE}"),
    "candidate.inconclusive": Kind(
        _("A trial of your version ended without a verdict."),
        "The trial of {{ name }} v{{ version }} ended without a verdict",
        "Version {{ version }} of {{ bot }} was tried against version {{ against }} on the ladder {{ ladder }}. "
        f"{_TRIAL_PAGE}"),
    FOLLOWED: Kind(
        _("A bot or event that you follow has news."),
        "{{ name }}: {{ news.0.text }}",
        "{% for item in news %}{{ item.text }}\n{{ base }}{{ item.path }}\n\n{% endfor %}"
        "{% if more %}There is more news ({{ more }}) on the page:\n{{ base }}/{{ about }}s/{{ slug }}/{% endif %}"),
    "standstill.began": Kind(
        _("Work is queued that no worker may take (only for the site’s staff)."),
        "Queued work waits, and no worker may take it",
        f"These queues have work that no worker may take:\n\n{_STANDSTILLS}\n"
        "Start a worker that takes it, or resume one that is being drained:\n"
        "{{ base }}/admin/tournaments/match/live/", staff=True),
    "standstill.ended": Kind(
        _("Workers take the queued work again (only for the site’s staff)."),
        "Workers take the queued work again",
        f"These queues no longer have work that no worker may take:\n\n{_STANDSTILLS}\n"
        "{{ base }}/admin/tournaments/match/live/", staff=True),
    "webhook.switched_off": Kind(
        None, "Your webhook was switched off",
        "For three days, no notice has been delivered to\n\n  {{ url }}\n\n"
        "so no more notices are sent there, and those that waited were given up. The log shows the answers.\n"
        "When the address works again, resume the webhook:\n{{ base }}/account/webhooks/{{ webhook }}/"),
    "second_factor.taken": Kind(
        None, "Your second factor was removed",
        "The staff of {{ site }} removed your account's second factor, as they do for users who have lost theirs.\n"
        "From now on, your password alone signs you in. You can set up another one:\n"
        "{{ base }}/account/second-factor/\n\n"
        "If you did not ask for this, change your password and tell the site's staff."),
}
# The kinds that users can choose, in this order, and those of them that everyone can choose, for mails too.
CHOICES: Final[Mapping[str, Promise]] = {name: kind.when for name, kind in KINDS.items() if kind.when is not None}
COMMON_CHOICES: Final[Mapping[str, Promise]] = {name: when for name, when in CHOICES.items() if not KINDS[name].staff}


def refuse_unknown(kinds: Iterable[str], refusal: type[Refused], choices: Mapping[str, Promise] = CHOICES) -> None:
    """Raise this refusal if one of the kinds cannot be chosen."""
    for kind in kinds:
        if kind not in choices:
            raise refusal(gettext("Unknown kind of notice %(unknown)r: choose from %(notices)s."), unknown=kind,
                          notices=", ".join(choices))
