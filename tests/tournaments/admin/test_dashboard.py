"""The organiser's own pages: live activity, faults, the audit log, and bans."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from tests.factories import START, make_event, make_user, make_version, play_match, spoil_match
from tests.tournaments.admin.buttons import at, buttons, press
from tests.tournaments.admin.conftest import fill_desk
from tournaments.models import (
    Attempt,
    AuditEntry,
    Ban,
    Delivery,
    Event,
    Failure,
    Game,
    LadderEntry,
    Match,
    Side,
    Webhook,
    Worker,
)
from tournaments.selectors.operations import dashboard as reads
from tournaments.services.events.events import pause_event
from tournaments.services.matches import matches
from tournaments.services.matches.workers import Declaration, declare

PAGES = ["live", "faults", "voids"]


def machine(name: str) -> Worker:
    return declare(Declaration(name=name, host=name.partition(":")[0], tier="standard", rulesets=["scware"], cores=2,
                               concurrency=2, software="0.2"), now=timezone.now())


def page(client: Client, name: str, **query: Any) -> str:
    answer = client.get(reverse(f"admin:{name}"), query)
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.fixture
def recent(event: Event) -> Event:
    """Make the event look as if it had just been played."""
    now = timezone.now()
    Game.objects.update(ended_at=now)
    Attempt.objects.update(started_at=now, ended_at=now)
    return event


class TestThePages:
    def test_are_linked_from_the_index_for_staff_who_may_view(self, client: Client, looker: Client) -> None:
        shown = looker.get(reverse("admin:index")).content.decode()
        client.force_login(make_user("mia"))
        for name in PAGES:
            assert reverse(f"admin:{name}") in shown
            page(looker, name)
            assert client.get(reverse(f"admin:{name}")).status_code == 302

    def test_come_first_in_the_index_which_leaves_internal_rows_to_the_pages_of_their_apps(self, desk: Client) -> None:
        shown = desk.get(reverse("admin:index")).content.decode()
        main = shown[shown.index('id="content"'):]
        assert 0 < main.index(reverse("admin:live")) < main.index('id="content-main"')
        for app, internal, other in (("ratings", ("paircounts", "statistics"), ("rating", "anchor")),
                                     ("tournaments", ("candidacy", "attempt"), ("event", "ladderentry"))):
            lists = [reverse(f"admin:{app}_{name}_changelist") for name in internal]
            assert not any(address in main for address in lists)
            assert all(reverse(f"admin:{app}_{name}_changelist") in main for name in other)
            assert reverse("admin:app_list", args=[app]) in main
            here = desk.get(reverse("admin:app_list", args=[app])).content.decode()
            assert all(address in here for address in lists)

    def test_need_as_few_queries_for_many_rows_as_for_few(self, desk: Client) -> None:
        counts = []
        for rows in (3, 6):
            event = make_event([make_version(f"Bot {n} of {rows}") for n in range(rows)], name=f"{rows}", size=5)
            for index, match in enumerate(Match.objects.filter(event=event, status="queued")[:rows]):
                machine(f"host-{index}:1")
                if index % 3 == 0:
                    play_match(match, most_plies=9, fault_after=4, now=timezone.now())
                elif index % 3 == 1:
                    spoil_match(match, f"the disk {index} was full")
                else:
                    matches.claim(match_id=match.pk, worker=f"host-{index}:1:7", tier="standard", now=timezone.now())
            counts.append([self._queries(desk, name) for name in PAGES])
        assert counts[0] == counts[1]

    def _queries(self, client: Client, name: str) -> int:
        page(client, name)
        with CaptureQueriesContext(connection) as queries:
            page(client, name)
        return len(queries)


@pytest.mark.django_db
class TestTheLivePage:
    def test_counts_queued_and_running_matches_by_ruleset_and_purpose(self, looker: Client) -> None:
        make_event([make_version(name) for name in ("Morphy", "Steinitz", "<b>Anderssen</b>")], size=5)
        match = Match.objects.filter(status="queued").first()
        matches.claim(match_id=match.pk, worker="den:1:7", tier="standard", now=timezone.now())
        machine("den:1")
        line, = reads.queue()
        assert (line.ruleset, line.kind, line.queued, line.running, line.held) == ("scware", "event", 2, 1, 0)
        assert line.oldest == START
        shown = page(looker, "live")
        assert "1 of 2" in shown
        assert str(match).replace("<", "&lt;").replace(">", "&gt;") in shown
        assert 'http-equiv="refresh"' in shown

    def test_shows_failures_of_the_coordinator_and_retries_them_at_once(self, desk: Client) -> None:
        assert "Failures</h2>" not in page(desk, "live")
        row = Failure.objects.create(step="start events", item="7", error="ValueError", tries=3, first_at=START,
                                     last_at=START, due_at=timezone.now() + timedelta(hours=1))
        assert "start events: 7" in page(desk, "live")
        assert press(desk, row, "retry") == ["start events: 7 is due now."]
        assert Failure.objects.get().due_at <= timezone.now()

    def test_counts_matches_held_by_a_pause(self) -> None:
        event = make_event([make_version(name) for name in ("Morphy", "Steinitz")], size=5)
        pause_event(event=event, now=START)
        line, = reads.queue()
        assert (line.queued, line.held) == (0, 1)

    def test_drains_a_worker_and_resumes_it(self, desk: Client, looker: Client) -> None:
        worker = machine("den:1")
        assert 'value="drain"' in page(desk, "live")
        assert 'value="drain"' not in page(looker, "live")
        assert press(desk, worker, "drain") == ["den:1 is draining."]
        assert buttons(desk, Worker.objects.get()) == ["resume"]
        assert 'value="resume"' in page(desk, "live")
        assert AuditEntry.objects.get(verb="drain").actor.username == "organiser"
        Worker.objects.update(seen_at=START)
        assert buttons(desk, Worker.objects.get()) == []
        assert "not responding" in page(desk, "live")


class TestTheFaultsPage:
    def test_counts_faults_by_bot_and_by_machine(self, looker: Client, recent: Event) -> None:
        since = timezone.now() - timedelta(hours=1)
        bot, = reads.faults_by_bot(since)
        loser = Game.objects.select_related("seat0__bot", "seat1__bot").get(ended_by="conduct")
        assert bot.slug == (loser.seat1 if loser.winner == 0 else loser.seat0).bot.slug
        assert (dict(bot.faults), bot.games) == ({"protocol": 1}, Side.objects.filter(bot__slug=bot.slug).count())
        host, = reads.faults_by_host(since)
        assert (host.host, host.counted, host.void, dict(host.forfeits)) == ("test", 2, 1, {"protocol": 1})
        shown = " ".join(page(looker, "faults").split())
        assert f"<td>{bot.games}</td> <td>1</td> <td>1</td>" in shown
        assert f"{reverse('admin:tournaments_ban_add')}?bot={bot.slug}" in shown
        assert "<b>Anderssen" not in shown

    def test_leaves_out_old_faults(self, looker: Client, event: Event) -> None:
        assert "No faults by bots." in page(looker, "faults", hours=1)
        assert "No void attempts." in page(looker, "voids", hours="x")


class TestTheVoidsPage:
    def test_groups_reasons_that_differ_only_in_the_workers_name(self, looker: Client, recent: Event) -> None:
        for number, match in enumerate(Match.objects.order_by("pk")[:2], start=5):
            Attempt.objects.create(match=match, number=number, worker=f"den-{number}:1", tier="standard", status="void",
                                   reason=f"the lease of den-{number}:1 ran out", started_at=timezone.now(),
                                   ended_at=timezone.now())
        first, second = reads.void_reasons(timezone.now() - timedelta(hours=1))
        assert (first.reason, first.count, first.hosts) == ("the lease of the worker ran out", 2, {"den-5", "den-6"})
        assert (second.reason, second.count) == ("the disk of <worker> was full", 1)
        assert "the disk of &lt;worker&gt; was full" in page(looker, "voids")


class TestABan:
    def test_is_made_with_the_form_and_lifted_with_the_button(self, desk: Client, event: Event) -> None:
        bot = event.entries.first().bot
        assert bot.slug in desk.get(at(Ban, "add"), {"bot": bot.slug}).content.decode()
        desk.post(at(Ban, "add"), {"bot": bot.slug, "reason": "it calls home"})
        ban = Ban.objects.get()
        assert (ban.bot, ban.created_by.username, buttons(desk, ban)) == (bot, "organiser", ["lift"])
        press(desk, ban, "lift")
        ban.refresh_from_db()
        assert ban.lifted_at is not None
        assert buttons(desk, ban) == []
        assert list(AuditEntry.objects.filter(kind="bot", target=str(bot.pk)).values_list("verb", flat=True)) == [
            "lift the ban of", "ban"]

    def test_takes_a_bot_or_a_users_bots_off_their_ladders(self, desk: Client, event: Event) -> None:
        for entry in event.entries.select_related("version"):
            LadderEntry.objects.create(ladder=event.ladder, bot=entry.bot, version=entry.version, joined_at=START,
                                       version_since=START, waiting_since=START)
        desk.post(at(Ban, "add"), {"bot": event.entries.first().bot.slug, "reason": "why"})
        assert LadderEntry.objects.filter(active=True).count() == 2
        desk.post(at(Ban, "add"), {"user": "mia", "reason": "why"})
        assert LadderEntry.objects.filter(active=True).count() == 0

    def test_is_refused_with_form_errors(self, desk: Client, event: Event) -> None:
        for facts, field in (({"user": "nobody", "reason": "why"}, "user"), ({"reason": "why"}, "__all__"),
                             ({"bot": "nothing", "reason": "why"}, "bot"), ({"user": "mia"}, "reason")):
            answer = desk.post(at(Ban, "add"), facts)
            assert list(answer.context["adminform"].form.errors) == [field], facts
        assert not Ban.objects.exists()


class TestTheAuditLog:
    def test_is_linked_from_each_row_and_links_back(self, desk: Client, event: Event) -> None:
        Event.objects.filter(pk=event.pk).update(status="running", ended_at=None)
        press(desk, event, "pause")
        shown = desk.get(at(Event, "change", event.pk)).content.decode()
        address = f"{at(AuditEntry, 'changelist')}?kind=event&amp;target={event.pk}"
        assert address in shown
        log = desk.get(address.replace("&amp;", "&"))
        assert log.context["cl"].result_list[0].verb == "pause"
        assert at(Event, "change", event.pk) in log.content.decode()

    def test_records_changes_to_accounts(self, desk: Client) -> None:
        desk.post(reverse("admin:auth_user_add"), {"username": "ben", "usable_password": "true",
                                                   "password1": "h0pscotch-lane", "password2": "h0pscotch-lane"})
        ben = User.objects.get(username="ben")
        desk.post(reverse("admin:auth_user_change", args=[ben.pk]), {
            "username": "ben", "is_active": "on", "is_staff": "on", "date_joined_0": "2026-11-12",
            "date_joined_1": "14:00:00"})
        desk.post(reverse("admin:auth_user_delete", args=[ben.pk]), {"post": "yes"})
        said = AuditEntry.objects.filter(kind="user", target=str(ben.pk)).order_by("pk")
        assert list(said.values_list("verb", "actor__username")) == [
            (verb, "organiser") for verb in ("create", "change", "delete")]
        assert "Staff status" in str(said[1].detail)
        assert "h0pscotch" not in str(list(said.values()))

    def test_shows_no_secret_nor_do_other_pages(self, desk: Client, event: Event) -> None:
        fill_desk(event)
        webhook = Webhook.objects.get()
        for address in (at(Webhook, "changelist"), at(Webhook, "change", webhook.pk), at(AuditEntry, "changelist")):
            shown = desk.get(address).content.decode()
            assert webhook.secret not in shown
            assert webhook.url not in shown


class TestANotice:
    def test_is_resent_by_staff(self, desk: Client, event: Event) -> None:
        fill_desk(event)
        delivery = Delivery.objects.get()
        assert buttons(desk, delivery) == ["resend"]
        press(desk, delivery, "resend")
        assert Delivery.objects.get().status == "pending"
