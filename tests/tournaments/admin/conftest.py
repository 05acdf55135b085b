"""Clients of the admin: a superuser, and staff with read-only access."""

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client, override_settings
from django.utils import timezone

from ratings.models import ReportedChances
from tests.factories import START, make_event, make_user, make_version, play_event, play_match, spoil_match
from tests.frontend.conftest import browser_type_launch_args, look  # noqa: F401 - the browser's fixtures
from tournaments.models import Candidacy, Contender, Delivery, Event, Failure, Game, Match, PushSubscription
from tournaments.services.accounts.bans import ban
from tournaments.services.accounts.visitors import Asker
from tournaments.services.casual.analyses import analyse
from tournaments.services.casual.games import Terms, begin
from tournaments.services.events import books
from tournaments.services.ladders.anchors import set_anchor
from tournaments.services.ladders.challenges import challenge
from tournaments.services.ladders.ladder_play import join
from tournaments.services.ladders.official import compute_due
from tournaments.services.ladders.openings import count_due
from tournaments.services.ladders.trials import enter
from tournaments.services.matches.workers import Declaration, declare
from tournaments.services.notices import following, outbox
from tournaments.services.notices.webhooks import create_webhook


@pytest.fixture(scope="module")
def event(module_db: None) -> Event:
    return played_event()


@pytest.fixture(scope="module")
def desk_rows(event: Event) -> None:
    fill_desk(event)


@pytest.fixture
def desk(db: None) -> Client:
    """The organiser, a superuser, signed in."""
    return _signed_in(make_user("organiser", staff=True))


@pytest.fixture
def looker(db: None) -> Client:
    """Staff who may view everything and change nothing."""
    user = make_user("looker")
    user.is_staff = True
    user.save()
    user.user_permissions.set(Permission.objects.filter(codename__startswith="view_"))
    return _signed_in(user)


def _signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def played_event() -> Event:
    """A round-robin of three bots: one game was lost by conduct, one match is permanently void, one is rated."""
    with override_settings(MAX_ATTEMPTS=1):
        event = make_event([make_version(name) for name in ("Morphy", "<b>Anderssen</b>", "Steinitz")], size=5)
        void, fault, last = Match.objects.order_by("pk")
        spoil_match(void, "the disk of <worker> was full")
        play_match(fault, fault_after=3)
        play_match(last)
        return play_event(event, matches_to_play=0)


def fill_desk(event: Event) -> None:
    """A row of every model that playing an event does not create.

    A webhook and its notice, a follow and its channels, an analysis, reported chances, a ban, a worker, a bot on the
    ladder, a trial and its contender, a challenge, an official table, an anchor, an opening book, and a casual game
    with the question to its bot.
    """
    mia, organiser = make_user("mia"), make_user("organiser", staff=True)
    first, second, third = (entry.version for entry in event.entries.select_related("version__bot"))
    join(actor=mia, ladder=event.ladder, version=first, now=START)
    enter(actor=mia, ladder=event.ladder, version=make_version(first.bot.name), seed=1, now=START)
    Contender.objects.create(candidacy=Candidacy.objects.get(), version=first, place=1)
    challenge(actor=mia, ladder=event.ladder, first=second, second=third, matches=1, seed=1, now=START)
    begin(asker=Asker(mia), version=second, terms=Terms("scware", 5, "quick", 1), seed=1, now=START)
    create_webhook(owner=mia, url="https://example.org/hook", kinds=[], now=START)
    following.follow(actor=mia, event=event, now=START)
    following.renew_feed(actor=mia, now=START)
    PushSubscription.objects.create(user=mia, endpoint="https://push.example/1", p256dh="p", auth="a", created_at=START)
    outbox.emit("event.started", to=[mia.pk], payload={"event": "<b>Spring</b>"}, now=START)
    Delivery.objects.update(status="failed", attempts=9, answer="500\n<b>oops</b>", ended_at=START)
    set_anchor(actor=organiser, ladder=event.ladder, version=first, rating=1700.0, now=START)
    compute_due(START)
    analyse(game=Game.objects.first(), actor=mia, now=START)
    ReportedChances.objects.create(ladder=event.ladder, version=first, bin=7, turns=3, games=2, squares=5,
                                   chance=22_500, halves=4)
    count_due(START)
    Failure.objects.create(step="start events", item="<1>", error="ValueError", tries=3, first_at=START, last_at=START,
                           due_at=START)
    books.store([("a1", "f6")], event.ladder, organiser, START)
    ban(actor=organiser, bot=event.entries.first().bot, reason="it calls <home>", now=START)
    declare(Declaration(name="test:1", host="test", tier="standard", rulesets=["scware"], cores=2, concurrency=2,
                        software="0.2"), now=timezone.now())
