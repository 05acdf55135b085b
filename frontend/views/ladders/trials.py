"""Trials: the list and the page of a trial, starting and withdrawing one, and whether new versions need one."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import get_language, gettext

from frontend.drawing.ratio_plot import ratio_plot
from frontend.forms.trials import TrialForm
from frontend.views.shared.acting import asked, button, run_action
from frontend.views.shared.conditional import render_unless_known
from frontend.views.shared.numbers import posted_id, text_in
from frontend.views.shared.paging import page_of
from tournaments.models import Bot, Candidacy, Ladder, Version
from tournaments.models.lifecycle import CandidacyStatus
from tournaments.selectors.bots.bots import slug_of
from tournaments.selectors.ladders import candidacies as reads
from tournaments.selectors.ladders.ladders import Place, ladder_names
from tournaments.selectors.ladders.waiting import Waits
from tournaments.selectors.shared.permissions import acts_for
from tournaments.services.ladders import trials as verbs

MATCHES_SHOWN = 60
PAGE = 30
# The form offers at most this many, the first by name.
LADDERS = 200


@dataclass(frozen=True, slots=True)
class Offer:
    """The place of a user's bot on a ladder, with its running trial, or a form to start one if that is possible."""

    place: Place
    trial: Candidacy | None
    form: TrialForm | None


def index(request: HttpRequest) -> HttpResponse:
    """The list of trials, newest first, paginated by ID and filtered by `?bot=`, `?ladder=` and `?status=`."""
    chosen = {name: text_in(request, name) for name in ("bot", "ladder", "status")}
    if chosen["status"] not in CandidacyStatus.values:
        chosen["status"] = ""
    trials = reads.chosen(bot=slug_of(chosen["bot"]), ladder=chosen["ladder"], status=chosen["status"])
    listed, links = page_of(request, trials, PAGE)
    return render(request, "frontend/ladders/trials.html", {
        "section": "ladders", "trials": listed, "chosen": chosen, "filtered": any(chosen.values()),
        "ladders": ladder_names(LADDERS), "statuses": CandidacyStatus.values, **links,
    })


def page(request: HttpRequest, pk: int) -> HttpResponse:
    trial = get_object_or_404(reads.candidacies(), pk=pk)
    return render(request, "frontend/ladders/trial.html", {
        "section": "ladders",
        "trial": trial,
        "waits": Waits(timezone.now()).of_trials([trial])[trial.pk],
        "matches": reads.matches_of(trial)[:MATCHES_SHOWN],
        "etag": _etag(trial), **_live(trial, request.user),
    })


def live(request: HttpRequest, pk: int) -> HttpResponse:
    """The part of the page that is polled while the page is visible and the trial runs."""
    trial = get_object_or_404(reads.candidacies(), pk=pk)
    return render_unless_known(request, "frontend/ladders/_trial_live.html", _etag(trial),
                               lambda: _live(trial, request.user))


def _live(trial: Candidacy, user: Any) -> dict[str, Any]:
    shown = reads.summary(trial)
    runs = trial.status == CandidacyStatus.RUNNING
    lower, upper = shown.verdict.lower, shown.verdict.upper
    return {
        "trial": trial, "runs": runs, "may_withdraw": runs and acts_for(user, trial.bot),
        "shown": shown, "chances": reads.chances(trial), "games_left": reads.games_left(trial),
        "plot": ratio_plot(shown.course.ratios, lower, upper),
        "contests": [(each, ratio_plot(each.run.ratios, lower if each.out_at is None else each.out_at, upper))
                     for each in reads.contests(trial)],
    }


def _etag(trial: Candidacy) -> str:
    """Changes with everything that the live part shows."""
    # A comma would end an ETag in a list of them.
    inside = ".".join(f"{each.status}{len(each.course)}" for each in trial.contenders.all())
    return f"{trial.pk}-{trial.status}-{trial.offset}-{trial.judged}-{inside}-{get_language()}"


@button
def enter(request: HttpRequest, slug: str) -> HttpResponse:
    """Start a trial on a ladder. Redirects to the trial's page, or to the ladder's page with the refusal."""
    ladder = get_object_or_404(Ladder, slug=slug)
    form = TrialForm(request.POST, versions=Version.objects.select_related("bot__team"))
    if not form.is_valid():
        messages.error(request, " ".join(f"{form.fields[name].label}: {error}" for name, errors in form.errors.items()
                                         for error in errors))
        return redirect("ladder", slug)
    made = asked(request, verbs.enter, **form.terms(), ladder=ladder, actor=request.user, seed=secrets.randbits(63))
    if made is None:
        return redirect("ladder", slug)
    messages.success(request, gettext("%(version)s is on trial. Its games start when workers are free.") % {
        "version": made.candidate})
    return redirect("trial", made.pk)


@button
def withdraw(request: HttpRequest, pk: int) -> HttpResponse:
    """End a trial without a verdict."""
    trial = get_object_or_404(reads.candidacies(), pk=pk)
    return run_action(request, verbs.withdraw, gettext("The trial is withdrawn. %(version)s stays on the ladder."),
                      ("trial", pk), candidacy=trial, names={"version": trial.current})


@button
def choose(request: HttpRequest, slug: str) -> HttpResponse:
    """Choose whether a bot's new versions need a trial before they replace the current one here."""
    ladder, bot = get_object_or_404(Ladder, slug=slug), posted_bot(request)
    on_trial = request.POST.get("on_trial") == "yes"
    done = (gettext("New versions of %(bot)s replace the current one after a trial.") if on_trial else
            gettext("New versions of %(bot)s replace the current one at once."))
    return run_action(request, verbs.choose, done, ("ladder", slug), ladder=ladder, bot=bot, on_trial=on_trial)


def posted_bot(request: HttpRequest) -> Bot:
    """The bot named in a form of the ladder's page."""
    return get_object_or_404(Bot.objects.select_related("team"), pk=posted_id(request, "bot"))


def offers(ladder: Ladder, places: Sequence[Place]) -> list[Offer]:
    """The trials that can be started on the ladder in these places, in two queries for any number of places."""
    active = {place.entry.bot_id: place for place in places if place.entry.active and ladder.is_open}
    running = reads.running_on(ladder, list(active))
    free = {bot: place.entry.version_id for bot, place in active.items() if bot not in running}
    versions = reads.eligible_versions(ladder, free)
    return [Offer(place, running.get(bot), _form(versions.get(bot, []))) for bot, place in active.items()]


def _form(versions: list[Version]) -> TrialForm | None:
    if not versions:
        return None
    form = TrialForm(versions=Version.objects.none(), auto_id=f"trial_{versions[0].bot_id}_%s")
    for name in ("version", "others"):
        form.fields[name].choices = [(version.pk, str(version)) for version in versions]
    if len(versions) == 1:
        del form.fields["others"]
    return form
