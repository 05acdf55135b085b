"""A site with a secret in each private field, and the roles that may read each secret."""

from typing import Final

from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from tests.factories import make_user, play_match
from tests.tournaments.api.roles import World, make_world
from tournaments.models import (
    Attempt,
    AuditEntry,
    Ban,
    Bot,
    Delivery,
    Event,
    Game,
    Match,
    PersonalFeed,
    PushSubscription,
    Question,
    Submission,
    Team,
    Token,
    Webhook,
    Worker,
)
from tournaments.services.accounts.tokens import make_token
from tournaments.services.accounts.visitors import Asker
from tournaments.services.casual.games import Terms, begin, resign
from tournaments.services.events.entries import invite
from tournaments.services.events.events import start_event
from tournaments.services.events.scheduling import create_event
from tournaments.services.ladders.ladders import create_ladder

# Every secret begins with it, so that one that is missing from the table is found too.
MARK: Final = "sqfsecret"
OWNERS: Final = {"mia", "script"}
TEAM: Final = OWNERS | {"otto"}
STAFF: Final = {"organiser", "looker"}
ROLES: Final = {
    "anyone": "not signed in", "noor": "another author", "otto": "a member of the team that owns the bots",
    "olga": "organiser of another event", "pia": "invited to the private event", "quinn": "banned",
    "looker": "staff without a right", "script": "mia's token for reading", "mia": "the owner",
    "organiser": "the staff",
}
# The place of each secret and the roles that may read it. `organiser` is a superuser; the admin is not tested.
MAY_READ: Final[dict[str, set[str]]] = {
    "event-name": OWNERS | {"pia", "organiser"},
    "event-fault": OWNERS | {"pia", "organiser"},
    # Staff can manage every bot.
    "stderr": TEAM | STAFF, "question-stderr": TEAM | STAFF,
    "build-log": OWNERS | STAFF, "check-stderr": OWNERS | STAFF, "refusal": OWNERS | STAFF,
    "filename": OWNERS | STAFF,
    "token-name": OWNERS, "token-digest": set(),
    "hook-url": OWNERS, "hook-secret": set(), "notice": OWNERS, "answer": OWNERS,
    "endpoint": set(), "p256dh": set(), "auth": set(),
    "address": OWNERS, "first-name": set(), "password": set(), "second-factor": set(), "recovery-code": set(),
    "audit": {"organiser"}, "ban-reason": {"organiser"}, "worker": STAFF, "host": set(), "visitor": set(),
}


def secret(name: str) -> str:
    """Return the text that the site contains for this secret."""
    return f"{MARK}{name.replace('-', '')}"


def plant() -> World:
    """Create the world of tests.tournaments.api.roles, a team for its bots, an event of olga's, and all secrets."""
    world, now = make_world(), timezone.now()
    mia, olga = make_user("mia"), make_user("olga")
    Bot.objects.filter(owner=mia).update(team=Team.objects.get(slug="ants"))
    User.objects.filter(pk=make_user("looker").pk).update(is_staff=True)
    ladder = create_ladder(ruleset="scware", size=5, base_seconds=5.0)
    ant, bee = world.versions["ant"], world.versions["bee"]
    for slug, owner in (("secret", mia), ("public", mia), ("olgas", olga)):
        event = create_event(name=slug, ladder=ladder, versions=[ant, bee], now=now, seed=1, starts_at=now,
                             created_by=make_user("organiser"), private=slug == "secret")
        if event.private:
            invite(event=event, user=make_user("pia"), actor=make_user("organiser"), now=now)
        start_event(event=event, now=now)
        Event.objects.filter(pk=event.pk).update(created_by=owner)
        play_match(Match.objects.get(event=event), fault_after=3,
                   fault_line=secret("event-fault") if slug == "secret" else "e4")
    Event.objects.filter(slug="secret").update(name=secret("event-name"))
    Question.objects.update(status="answered", answer="a1", seconds=1.0, ended_at=now,
                            stderr=secret("question-stderr").encode())
    over = begin(asker=Asker(mia), version=ant, terms=Terms("squ", 4, "quick", 0), seed=1, now=now)
    resign(asker=Asker(mia), game=over, now=now)
    _write_secrets(mia)
    return world


def _write_secrets(mia: User) -> None:
    Game.objects.update(stderr0=secret("stderr").encode(), stderr1=secret("stderr").encode())
    Submission.objects.filter(uploader=mia).update(
        log=secret("build-log"), stderr=secret("check-stderr"), refusal=secret("refusal"),
        filename=secret("filename"), status="refused", step="build")
    Token.objects.filter(user=mia).update(name=secret("token-name"))
    Webhook.objects.update(url=f"https://example.org/{secret('hook-url')}", secret=secret("hook-secret"))
    PushSubscription.objects.create(user=mia, endpoint=f"https://push.example/{secret('endpoint')}",
                                    p256dh=secret("p256dh"), auth=secret("auth"), created_at=timezone.now())
    PersonalFeed.objects.create(user=mia, key="x" * 22, created_at=timezone.now())
    Delivery.objects.update(payload={"what": secret("notice")}, answer=secret("answer"))
    User.objects.filter(pk=mia.pk).update(email=f"{secret('address')}@example.org", first_name=secret("first-name"),
                                          password=secret("password"))
    Authenticator.objects.create(user=mia, type="totp", data={"secret": secret("second-factor"), "last_step": 0})
    Authenticator.objects.create(user=mia, type="recovery_codes", data={"hashes": [secret("recovery-code")]})
    AuditEntry.objects.update(detail={"what": secret("audit")})
    Ban.objects.update(reason=secret("ban-reason"))
    Worker.objects.update(host=secret("worker"))
    Attempt.objects.update(worker=secret("host"))


def clients(role: str) -> tuple[Client, APIClient]:
    """Return this role's browser and its API client."""
    browser, program = Client(raise_request_exception=False), APIClient(raise_request_exception=False)
    if role == "script":
        _, text = make_token(user=make_user("mia"), name=secret("token-name"), now=timezone.now(), scope="reading")
        program.credentials(HTTP_AUTHORIZATION=f"Token {text}")
    elif role != "anyone":
        user = make_user(role)
        browser.force_login(user)
        program.force_login(user)
    return browser, program
