"""A site with a row in every table, and the worst accepted text in every field: `tests/frontend/untrusted.py`.

Control characters in names, which only a bug could let in, are in separate rows written directly to the database.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

from django.conf import settings as current
from django.contrib.auth.models import User
from django.core.cache import cache as stored
from django.test import override_settings
from django.utils import timezone

from engines.check import Failure, Stage, Step
from engines.records.record import Fault
from engines.records.time_control import ClockKind
from engines.referee.questions import Answer
from engines.rules.outcome import Forfeit
from tests.factories import make_event, make_user, make_version, play_event, play_match, random_record, spoil_match
from tests.frontend.untrusted import CONTROLS, FROM_RIGHT, MARKUP, NAMES, free, output
from tests.tournaments.conftest import make_archive
from tests.tournaments.trials.play import play_out
from tournaments.models import Analysis, Delivery, Event, Game, Match, PushSubscription, Question
from tournaments.models.leased import FULL_TIER
from tournaments.models.lifecycle import EventStatus
from tournaments.selectors.matches.live_turns import GameKey, LiveTurn, live_turns
from tournaments.services.accounts import second_factor
from tournaments.services.accounts.accounts import change_profile
from tournaments.services.accounts.bans import ban
from tournaments.services.accounts.teams import add_member, found_team, give_bot
from tournaments.services.accounts.tokens import make_token
from tournaments.services.accounts.visitors import Asker
from tournaments.services.bots import check_notes, qualification
from tournaments.services.bots.submissions import SubmissionRefused, accept_upload
from tournaments.services.bots.versions import rest
from tournaments.services.casual import answers
from tournaments.services.casual.analyses import analyse
from tournaments.services.casual.games import Terms, begin, play, resign
from tournaments.services.casual.questions import ask_in_game
from tournaments.services.events.editing import edit_series
from tournaments.services.events.entries import invite, leave_event
from tournaments.services.events.events import create_event, start_event
from tournaments.services.events.series import announce_next, create_series
from tournaments.services.ladders.anchors import set_anchor
from tournaments.services.ladders.challenges import challenge
from tournaments.services.ladders.ladder_play import join
from tournaments.services.ladders.official import compute_due
from tournaments.services.ladders.trials import enter
from tournaments.services.matches import matches
from tournaments.services.matches.workers import Declaration, declare
from tournaments.services.notices import following, outbox
from tournaments.services.notices.webhooks import create_webhook
from tournaments.setup.packaging.release import build_release

USERNAME = FROM_RIGHT * 20 + "W" * 130
TITLE = (FROM_RIGHT * 3 + MARKUP + "W" * 80)[:80]


class WholeSite(SimpleNamespace):
    """The site's rows by their noun in URLs: `event`, `bot`, `game`; and `owner`, `staff`."""

    now: datetime


@contextmanager
def whole_site() -> Iterator[WholeSite]:
    """Yield a filled site, with an empty cache and archives of its own, for fixtures that many tests share."""
    stored.clear()
    with TemporaryDirectory(prefix="sqf-archives-") as archives, override_settings(STORAGES={
            **current.STORAGES, "default": {**current.STORAGES["default"], "OPTIONS": {"location": archives}}}):
        yield fill(current)


def fill(settings: Any) -> WholeSite:
    """Create every kind of row, the owner's if it has an owner."""
    settings.DOWNLOADS = release().name
    settings.OPEN_CASUAL_GAMES = settings.OPEN_QUESTIONS = settings.OPEN_ANALYSES = 9
    site = WholeSite(now=timezone.now(), staff=make_user("organiser", staff=True), owner=make_user(USERNAME))
    for part in (_bots, _events, _league, _ladder, _games, _trial, _account, _uploads, _casual, _desk):
        part(site)
    return site


@cache
def release() -> TemporaryDirectory[str]:
    """Return a directory with the release of this code, which exists until the process ends."""
    directory = TemporaryDirectory(prefix="sqf-release-")
    build_release(Path(directory.name))
    return directory


def _bots(site: WholeSite) -> None:
    User.objects.filter(pk=site.owner.pk).update(email="owner@example.org")
    site.owner.refresh_from_db()
    other = make_user(CONTROLS + MARKUP)
    site.versions = [make_version(name, owner=(site.owner.username, other.username)[place % 2])
                     for place, name in enumerate([*NAMES, CONTROLS[:12] + MARKUP[:20]])]
    site.version, site.other_version = site.versions[:2]
    site.bot, site.other_bot = site.version.bot, site.other_version.bot


def _events(site: WholeSite) -> None:
    site.event = make_event(site.versions, name=TITLE)
    site.ladder = site.event.ladder
    waiting = list(Match.objects.filter(event=site.event).order_by("pk"))
    spoil_match(waiting[1], free(2000))
    play_event(site.event, matches_to_play=12)
    site.cup = create_event(name="\ufdfd" * 80, ladder=site.ladder, versions=site.versions[:5], starts_at=None,
                            format="double knockout", description=free(4000), created_by=site.staff, now=site.now,
                            seed=7)
    start_event(event=site.cup, now=site.now)
    Event.objects.filter(pk=site.cup.pk).update(name=(FROM_RIGHT + CONTROLS + MARKUP)[:80])
    site.own = create_event(name="W" * 80, ladder=site.ladder, versions=[site.version], private=True,
                            starts_at=site.now + timedelta(days=2), registration_opens_at=site.now,
                            description=free(4000), created_by=site.owner, now=site.now, seed=1)
    invite(event=site.own, user=site.other_bot.owner, actor=site.owner, now=site.now)
    site.series = create_series(name=TITLE[:60], ladder=site.ladder, cron="0 14 * * sun", now=site.now,
                                created_by=site.staff)


def _league(site: WholeSite) -> None:
    """Create a league with a season that is over, and one that is running, which left bots out and which one left."""
    site.league = create_series(name=(FROM_RIGHT * 3 + MARKUP)[:45], ladder=site.ladder, cron="0 12 1 1 *",
                                description=free(4000), division_size=4, division_moves=1, now=site.now,
                                created_by=site.staff, versions=site.versions)
    _start_season(site)
    season = Event.objects.filter(series=site.league)
    season.update(status=EventStatus.FINISHED, ended_at=site.now)
    site.league = edit_series(series=site.league, actor=site.staff, now=site.now, max_entries=8)
    announce_next(series=site.league, now=site.now)
    _start_season(site)
    leave_event(entry=season.get(status=EventStatus.RUNNING, division=2).entries.first(), actor=None, now=site.now)


def _start_season(site: WholeSite) -> None:
    start_event(event=site.league.events.select_related("series").get(status=EventStatus.SCHEDULED), now=site.now)


def _ladder(site: WholeSite) -> None:
    for version in site.versions[:4]:
        join(actor=version.bot.owner, ladder=site.ladder, version=version, now=site.now)
    site.challenge = challenge(actor=site.owner, ladder=site.ladder, first=site.version, second=site.other_version,
                               matches=2, seed=1, now=site.now)
    play_match(Match.objects.filter(challenge=site.challenge).first())
    compute_due(site.now + timedelta(hours=2))


def _games(site: WholeSite) -> None:
    """Create a game lost by a hostile line, with logs and with the bots' views; and a running match."""
    event = make_event([site.version, site.other_version], ruleset="square-grid-hex", size=5, name="Short")
    lost = play_match(Match.objects.get(event=event), fault_after=3, fault_line=free(3000))
    Game.objects.filter(match=lost).update(stderr0=output(20_000), stderr1=output(20_000))
    site.game, site.other_game = lost.games.get(number=1), Game.objects.filter(match__event=site.event).first()
    # Both bots report that they win.
    for turn in site.game.record["turns"]:
        turn["view"] = {"win": 0.9}
    site.game.save(update_fields=["record"])
    site.live_match = Match.objects.filter(event=site.cup, status="queued").first()
    lease = matches.claim(match_id=site.live_match.pk, worker="test:1", tier=FULL_TIER, now=site.now)
    store = live_turns()
    store._next_try = 0.0
    turns = random_record("scware", 6, ("a", "b"), 3, opening=site.live_match.opening, most_plies=5).turns
    key = GameKey(site.live_match.pk, lease.attempt.number, 1)
    store.append(key, [LiveTurn(turn.turn, 0.5) for turn in turns], anew=True)


def _trial(site: WholeSite) -> None:
    candidate = make_version(site.bot.name, owner=site.owner.username)
    site.trial = enter(actor=site.owner, ladder=site.ladder, version=candidate, seed=1, elo1=100, now=site.now)
    play_out(site.trial, current=(1.0, 0.5), now=site.now, rounds=3)
    rest(version=site.versions[6], actor=site.owner, now=site.now)


def _account(site: WholeSite) -> None:
    change_profile(user=site.owner, now=site.now, about=free(2000), mail_on=["event.started"],
                   link="https://example.org/" + "W" * 150 + "?'><evil-x>")
    site.team = found_team(name=(MARKUP + "W" * 50)[:50], founder=site.owner, now=site.now)
    site.membership = add_member(team=site.team, user=site.other_bot.owner, actor=site.owner, now=site.now)
    give_bot(bot=site.bot, team=site.team, actor=site.owner, now=site.now)
    site.token, _ = make_token(user=site.owner, name=free(60), now=site.now)
    site.webhook = create_webhook(owner=site.owner, url=f"https://example.org/{'W' * 400}?evil-x='onevil=1", kinds=[],
                                  now=site.now)
    site.follow = following.follow(actor=site.owner, bot=site.other_bot, now=site.now)
    following.follow(actor=site.owner, event=site.cup, now=site.now)
    site.feed = following.renew_feed(actor=site.owner, now=site.now)
    site.browser = PushSubscription.objects.create(user=site.owner, endpoint=f"https://{'w' * 200}.example/{MARKUP}",
                                                   p256dh="p", auth="a", created_at=site.now)
    news = [{"text": free(200), "path": "/bots/x/", "event": None}]
    outbox.tell_follower(site.owner.pk, now=site.now,
                         payload={"about": "bot", "slug": "x", "name": free(80), "news": news, "more": 0})
    outbox.emit("event.started", to=[site.owner.pk], payload={"event": free(80), "name": free(300)}, now=site.now)
    Delivery.objects.update(status="failed", attempts=9, answer=free(900), ended_at=site.now)
    site.delivery = Delivery.objects.first()


def _uploads(site: WholeSite) -> None:
    site.submission = accept_upload(archive=make_archive("Archive"), filename=free(300), uploader=site.owner,
                                    now=site.now)
    lease = qualification.claim(submission_id=site.submission.pk, worker="w", tier=FULL_TIER, now=site.now)
    check_notes.note_log(lease.check, free(20_000))
    check_notes.note_steps(lease.check, [Step(Stage.BUILD, free(120), passed=False, note=free(900), seconds=1.0)])
    check_notes.note_game(lease.check, 1, random_record("squ", 4, (site.submission.name, "random"), 5, fault_after=3,
                                                        fault_line=free(3000)))
    failure = Failure(Stage.BUILD, free(100), free(2000), line=free(2000), log=free(60_000))
    qualification.refuse(lease, failure, log=free(50_000), now=site.now)
    try:
        accept_upload(archive=make_archive("x", version=f"'{MARKUP}"), filename=MARKUP, uploader=site.owner,
                      now=site.now)
    except SubmissionRefused as refusal:
        site.at_the_door = refusal.submission


def _casual(site: WholeSite) -> None:
    asker = Asker(site.owner)
    mine, waits, over = (begin(asker=asker, version=site.version, terms=Terms("squ", 6, "normal", 0), seed=1,
                               now=site.now) for _ in range(3))
    play(asker=asker, game=mine, text="c3", ply=0, now=site.now)
    _answered("d3,d4", site.now)
    play(asker=asker, game=waits, text="c3", ply=0, now=site.now)
    resign(asker=asker, game=over, now=site.now)
    site.casual_games = [mine, waits, over]
    Question.objects.filter(status="received").update(status="void", setback=free(900), ended_at=site.now)
    site.question = ask_in_game(asker=asker, game=site.game, ply=2, version=site.version, now=site.now)
    for game, verdicts in ((site.game, free(900)), (site.other_game, _verdicts(site.other_game))):
        Analysis.objects.filter(pk=analyse(game=game, actor=site.owner, now=site.now).pk).update(
            verdicts=verdicts, judged=1)
    fault = Fault(0, Forfeit.PROTOCOL, free(500), free(300), 2)
    _answered("", site.now, fault=fault, stderr=output(9000))


def _verdicts(game: Game) -> list[list[dict[str, str]]]:
    """Verdicts on the first positions: each of the turns that were played, good for its side, and hostile ones."""
    return [[{"turn": turn["turn"], "view": "view win 0.9"}, {"turn": MARKUP, "reason": MARKUP}]
            for turn in game.record["turns"][:5]]


def _answered(turn: str, now: datetime, **facts) -> None:
    question = Question.objects.get(status="received")
    lease = answers.claim(question_id=question.pk, worker="w", tier=FULL_TIER, now=now)
    assert answers.finish(lease, Answer(turn, facts.pop("fault", None), 0.2, 0.3, 0.1, ClockKind.CPU, **facts), now)


def _desk(site: WholeSite) -> None:
    set_anchor(actor=site.staff, ladder=site.ladder, version=site.version, rating=1700.0, now=site.now)
    secret = second_factor.new_secret()
    second_factor.switch_on(user=site.staff, secret=secret, password=site.staff.username, now=site.now,
                            code=second_factor.code_at(secret, second_factor.step_of(site.now)))
    site.ban = ban(actor=site.staff, bot=site.versions[-1].bot, reason=free(900), now=site.now)
    declare(Declaration(name=MARKUP, host="W" * 100, tier="standard", rulesets=["scware"], cores=2, concurrency=2,
                        software="0.2"), now=site.now)
