"""All writing operations of the API in one table, with the expected status for each role."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.db.models import F
from django.test import override_settings
from django.utils import timezone
from rest_framework.test import APIClient

from engines.records.time_control import TimeControl
from tests.factories import make_user, make_version, play_match, spoil_match
from tests.tournaments.api import contract
from tests.tournaments.conftest import make_archive
from tournaments.models import (
    AuditEntry,
    Bot,
    Event,
    Game,
    Ladder,
    LadderEntry,
    Match,
    Series,
    Version,
)
from tournaments.services.accounts.bans import ban
from tournaments.services.accounts.teams import add_member, found_team
from tournaments.services.accounts.tokens import make_token
from tournaments.services.accounts.visitors import Asker
from tournaments.services.casual.games import Terms, begin
from tournaments.services.casual.questions import ask_here
from tournaments.services.events.entries import invite
from tournaments.services.events.events import create_event, start_event
from tournaments.services.events.series import create_series
from tournaments.services.ladders.challenges import challenge
from tournaments.services.ladders.ladder_play import join
from tournaments.services.ladders.ladders import create_ladder, set_open
from tournaments.services.ladders.trials import enter
from tournaments.services.matches.workers import Declaration, declare, drain
from tournaments.services.notices.following import follow
from tournaments.services.notices.webhooks import create_webhook, send_test

ROLES = {"another user": "noor", "its owner": "mia", "the staff": "organiser"}


@dataclass
class World:
    """Objects that mia owns, and one of each kind that only staff create. `of` holds the values for the addresses."""

    of: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, Version] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """A request, and its answers to another user, to the owner of its object, and to a superuser.

    `key` is the key in World.of of the object in its address. `status` is the event's status before the request.
    """

    answers: tuple[int, int, int]
    key: str = ""
    body: Callable[[World], dict[str, Any]] = lambda world: {}
    status: str = ""
    format: str = "json"


def said(*, version: str = "", bot: str = "", ladder: bool = False, **body: Any) -> Callable[[World], dict[str, Any]]:
    """A body with the number of the version, the slug of the bot and the world's ladder, if these are named."""
    def filled(world: World) -> dict[str, Any]:
        return {**({"version": world.versions[version].pk} if version else {}),
                **({"bot": world.versions[bot].bot.slug} if bot else {}),
                **({"ladder": world.of["ladder"]} if ladder else {}), **body}

    return filled


def event_of(world: World, *names: str, **facts: Any) -> dict[str, Any]:
    entered = {"versions": [world.versions[name].pk for name in names]} if names else {}
    return {"name": "New", "ladder": world.of["ladder"], **entered, **facts}


def on_events(verb: str, status: str = "", *, code: int = 200, **body: Any) -> dict[str, list[Case]]:
    """A verb on mia's events. To other users a private event appears not to exist."""
    return {f"POST /api/events/{{slug}}/{verb}/": [Case((403, code, code), "event", said(**body), status),
                                                   Case((404, code, code), "private", said(**body), status)]}


def mine(path: str, key: str, *, code: int = 200, **body: Any) -> dict[str, list[Case]]:
    """A request that is open to the owner of its object and to staff."""
    return {path: [Case((403, code, code), key, said(**body))]}


MINE_ALONE = (404, 204, 404)
STAFF_ALONE = (403, 403, 200)
TABLE: dict[str, list[Case]] = {
    "POST /api/bans/": [Case((403, 403, 201), body=said(user="otto", reason="x"))],
    "POST /api/bans/{id}/lift/": [Case(STAFF_ALONE, "ban")],
    **mine("POST /api/bots/{slug}/judging/", "bot", judges=True),
    "POST /api/games/{id}/analysis/": [Case((202, 202, 202), "game")],
    **mine("POST /api/bots/{slug}/give/", "bot", team="ants"),
    # For a version without a trial, and for one that is on trial.
    "POST /api/candidacies/": [Case((403, 201, 201), body=said(ladder=True, version="new ant")),
                               Case((403, 409, 409), body=said(ladder=True, version="new dog"))],
    **mine("POST /api/candidacies/{id}/withdraw/", "trial"),
    "POST /api/casual-games/": [Case((201, 201, 201), body=said(version="ant", ruleset="squ", size=4))],
    # Only for the person who plays it.
    "POST /api/casual-games/{token}/turns/": [Case((403, 200, 403), "casual", said(turn="a1", ply=0))],
    "POST /api/casual-games/{token}/resign/": [Case((403, 200, 403), "casual")],
    "POST /api/challenges/": [
        Case((403, 201, 201), body=lambda world: {"ladder": world.of["ladder"], "first": world.versions["ant"].pk,
                                                  "second": world.versions["cat"].pk})],
    **mine("POST /api/challenges/{id}/cancel/", "challenge"),
    # A webhook and its deliveries are its owner's secret: for other users they do not exist.
    "POST /api/deliveries/{id}/resend/": [Case((404, 409, 404), "delivery")],
    "PATCH /api/events/{slug}/": [
        Case((403, 200, 200), "event", said(name="New")), Case((404, 200, 200), "private", said(cycles=2))],
    "POST /api/events/": [
        Case((201, 201, 201), body=lambda world: event_of(
            world, registration_opens_at=timezone.now(), starts_at=timezone.now() + timedelta(hours=1))),
        Case((403, 201, 201), body=lambda world: event_of(world, "ant", "bee")),
        Case((403, 403, 201), body=lambda world: event_of(world, "ant", "bee", rated=True))],
    **on_events("start", "scheduled"), **on_events("pause", "running"), **on_events("resume", "paused"),
    **on_events("cancel", "running"),
    "POST /api/events/{slug}/enter/": [
        Case((403, 201, 201), "event", said(version="dog")), Case((404, 201, 201), "private", said(version="dog")),
        # Another user enters their own bot; the organiser enters a bot that its author has not entered.
        Case((201, 403, 201), "event", said(version="cat"))],
    **on_events("leave", code=204, bot="ant"),
    # The events are no arenas.
    **on_events("bring-back", code=409, bot="ant"), **on_events("disqualify", code=409, bot="ant", reason="copied"),
    "POST /api/events/{slug}/invite/": [
        Case((403, 409, 409), "event", said(username="otto")), Case((404, 204, 204), "private", said(username="otto"))],
    "POST /api/events/{slug}/uninvite/": [
        Case((403, 409, 409), "event", said(username="pia")), Case((404, 204, 204), "private", said(username="pia"))],
    "POST /api/ladders/": [Case((403, 403, 201), body=said(ruleset="squ", size=6, base_seconds=2))],
    "POST /api/ladders/{slug}/open/": [Case(STAFF_ALONE, "closed ladder")],
    "POST /api/ladders/{slug}/close/": [Case(STAFF_ALONE, "ladder")],
    **mine("POST /api/ladders/{slug}/join/", "ladder", version="dog"),
    **mine("POST /api/ladders/{slug}/take-over/", "ladder", bot="ant", on_trial=True),
    **mine("POST /api/ladders/{slug}/leave/", "ladder", bot="ant"),
    **mine("POST /api/ladders/{slug}/bring-back/", "ladder", bot="ant"),
    "POST /api/matches/{id}/requeue/": [Case(STAFF_ALONE, "void match")],
    "PATCH /api/me/": [Case((200, 200, 200), body=said(about="x"))],
    "POST /api/questions/": [Case((202, 202, 202), body=said(version="ant", ruleset="squ", size=4))],
    **mine("PATCH /api/series/{slug}/", "series", name="Renamed"),
    "POST /api/series/": [Case((201, 409, 201), body=lambda world: event_of(world, cron="0 18 * * FRI"))],
    **mine("POST /api/series/{slug}/pause/", "series"), **mine("POST /api/series/{slug}/resume/", "paused series"),
    **mine("POST /api/series/{slug}/end/", "series"),
    # Only its owner may upload under a bot's name, not even staff.
    "POST /api/submissions/": [
        Case((409, 202, 409), body=lambda world: {"archive": SimpleUploadedFile("a.zip", make_archive("ant"))},
             format="multipart")],
    "POST /api/teams/": [Case((201, 201, 201), body=said(name="Others"))],
    **mine("POST /api/teams/{slug}/add-member/", "team", username="pia"),
    **mine("POST /api/teams/{slug}/appoint-captain/", "team", username="otto"),
    **mine("POST /api/teams/{slug}/remove-member/", "team", code=204, username="otto"),
    "POST /api/tokens/": [Case((201, 201, 201), body=said(name="x"))],
    "DELETE /api/tokens/{id}/": [Case(MINE_ALONE, "token")],
    **mine("POST /api/versions/{id}/rest/", "version"), **mine("POST /api/versions/{id}/withdraw/", "version"),
    **mine("POST /api/versions/{id}/bring-back/", "rested"),
    "POST /api/webhooks/": [Case((201, 201, 201), body=said(url="https://example.org/other"))],
    "POST /api/follows/": [Case((201, 201, 201), body=said(bot="ant"))],
    "DELETE /api/follows/{id}/": [Case(MINE_ALONE, "follow")],
    "PATCH /api/webhooks/{id}/": [Case((404, 200, 404), "webhook", said(active=False))],
    "DELETE /api/webhooks/{id}/": [Case(MINE_ALONE, "webhook")],
    "POST /api/webhooks/{id}/secret/": [Case((404, 200, 404), "webhook")],
    "POST /api/webhooks/{id}/test/": [Case((404, 202, 404), "webhook")],
    "POST /api/workers/{id}/drain/": [Case(STAFF_ALONE, "worker")],
    "POST /api/workers/{id}/resume/": [Case(STAFF_ALONE, "draining worker")],
}
CASES = [(operation, case) for operation, cases in TABLE.items() for case in cases]


@override_settings(MAX_ATTEMPTS=1)
def make_world() -> World:
    """Create the objects."""
    world, now = World(), timezone.now()
    mia, staff = make_user("mia"), make_user("organiser", staff=True)
    pia, otto = make_user("pia"), make_user("otto")
    world.versions = {name: make_version(name, owner="noor" if name == "cat" else "mia")
                      for name in ("ant", "bee", "cat", "dog", "elk")}
    # As an upload sets it.
    Bot.objects.update(slug=F("name"))
    for made in world.versions.values():
        made.bot.refresh_from_db()
    ladder = create_ladder(ruleset="square-grid-hex", size=3, base_seconds=5.0)
    closed = create_ladder(ruleset="square-grid-hex", size=4, base_seconds=5.0)
    set_open(ladder=closed, is_open=False, actor=staff, now=now)
    join(actor=mia, ladder=ladder, version=world.versions["ant"], now=now)
    LadderEntry.objects.update(probe_at=now + timedelta(hours=1), faults=3)
    world.versions["new ant"], world.versions["new dog"] = make_version("ant"), make_version("dog")
    trial_ladder = create_ladder(ruleset="square-grid-hex", size=6, base_seconds=5.0)
    join(actor=mia, ladder=trial_ladder, version=world.versions["dog"], now=now)
    Version.objects.filter(pk=world.versions["elk"].pk).update(status="rested")
    team = found_team(name="Ants", founder=mia, now=now)
    add_member(team=team, user=otto, actor=mia, now=now)
    webhook = create_webhook(owner=mia, url="https://example.org/hook", kinds=[], now=now)
    # Seen in the future: a worker that has been silent for some seconds cannot be drained.
    worker, drained = workers(now + timedelta(hours=1))
    drain(worker=drained, actor=staff, now=now)
    world.of = {
        "bot": world.versions["ant"].bot.slug, "version": world.versions["ant"].pk, "rested": world.versions["elk"].pk,
        "ladder": ladder.slug, "closed ladder": closed.slug, "team": team.slug, "webhook": webhook.pk,
        "follow": follow(actor=mia, bot=world.versions["bee"].bot, now=now).pk,
        "casual": begin(asker=Asker(mia), version=world.versions["ant"], terms=Terms("squ", 4, "quick", 0), seed=1,
                        now=now).token,
        "question": ask_here(asker=Asker(mia), version=world.versions["ant"], ruleset="squ", size=4, turns=[],
                             control=TimeControl(per_turn=1), now=now).token,
        "ban": ban(actor=staff, user=make_user("quinn"), reason="x", now=now).pk,
        "token": make_token(user=mia, name="hers", now=now)[0].pk,
        "delivery": send_test(webhook=webhook, actor=mia, now=now).pk,
        "challenge": challenge(actor=mia, ladder=ladder, first=world.versions["ant"], second=world.versions["bee"],
                               matches=1, seed=1, now=now).pk,
        "trial": enter(actor=mia, ladder=trial_ladder, version=world.versions["new dog"], seed=1, now=now).pk,
        "worker": worker.pk, "draining worker": drained.pk,
        **{name: of_mia(Series, create_series(name=name, ladder=ladder, cron="0 18 * * FRI", created_by=staff, now=now))
           for name in ("series", "paused series")},
        **{name: hold(ladder, world, private=name == "private") for name in ("event", "private")},
        "void match": void_match(ladder, world), "game": played_game(ladder, world),
    }
    Series.objects.filter(slug=world.of["paused series"]).update(active=False)
    invite(event=Event.objects.get(slug=world.of["private"]), user=pia, actor=staff, now=now)
    return world


def workers(now: Any) -> list[Any]:
    return [declare(Declaration(f"test:{number}", "test", "standard", ["scware"], 2, 2, "1"), now=now)
            for number in (1, 2)]


def of_mia(model: type[Event] | type[Series], row: Any) -> str:
    """Make mia the owner of the row and return its slug."""
    model.objects.filter(pk=row.pk).update(created_by=make_user("mia"))
    return row.slug


def hold(ladder: Ladder, world: World, **facts: Any) -> str:
    now = timezone.now()
    return of_mia(Event, create_event(
        name="Cup", ladder=ladder, versions=[world.versions["ant"], world.versions["bee"]], now=now, seed=1,
        created_by=make_user("organiser"), registration_opens_at=now, starts_at=now + timedelta(hours=1), **facts))


def played_game(ladder: Ladder, world: World) -> int:
    """A game of one of mia's events."""
    event = Event.objects.get(slug=hold(ladder, world))
    start_event(event=event, now=timezone.now())
    return play_match(Match.objects.get(event=event), now=timezone.now()).games.get(number=1).pk


def void_match(ladder: Ladder, world: World) -> int:
    """A void match of one of mia's events."""
    event = Event.objects.get(slug=hold(ladder, world))
    start_event(event=event, now=timezone.now())
    return spoil_match(Match.objects.get(event=event), "no disk").pk


def client_of(who: str | None) -> APIClient:
    client = APIClient()
    if who is not None:
        client.force_authenticate(make_user(who))
    return client


def ask(who: str | None, operation: str, case: Case, world: World) -> int:
    """Return the status of the answer, which must be as documented, and roll back what the request did."""
    method, path = operation.split()
    key = str(world.of.get(case.key))
    with transaction.atomic():
        if case.status:
            Event.objects.filter(slug=key).update(status=case.status)
        address = path.format(slug=key, id=key, token=key)
        answer = getattr(client_of(who), method.lower())(address, case.body(world), format=case.format)
        transaction.set_rollback(True)
    if answer.status_code >= 400:
        assert contract.problem(answer)[1]
    contract.check(answer, path, method.lower())
    return answer.status_code


def address_of(path: str, world: World) -> str:
    """Return the address of an object of the world for a path of the schema, of the kind that the path begins with."""
    noun = path.split("/")[2]
    if noun in KEYS:
        key = world.of[KEYS[noun]]
    else:
        game = Game.objects.get(pk=world.of["game"])
        key = {"audit": AuditEntry.objects.order_by("pk")[0].pk, "problems": "malformed", "rulesets": "squ",
               "submissions": world.versions["ant"].submission_id, "matches": game.match_id,
               "rounds": game.match.round_id}.get(noun)
    return path.format(slug=key, id=key, token=key, ruleset="squ", size=6)


# The kind of object for each noun in a path.
KEYS = {"bans": "ban", "bots": "bot", "candidacies": "trial", "casual-games": "casual", "challenges": "challenge",
        "deliveries": "delivery", "events": "event", "follows": "follow", "games": "game", "ladders": "ladder",
        "questions": "question", "series": "series", "teams": "team", "tokens": "token", "versions": "version",
        "webhooks": "webhook", "workers": "worker"}
