"""Every page of the admin, with rows, for users with and without access."""

import pytest
from django.contrib import admin
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from ratings.models import (
    Anchor,
    ClusterCounts,
    OfficialLine,
    OfficialTable,
    OpeningCount,
    PairCounts,
    Rating,
    ReportedChances,
    Statistics,
)
from tests.factories import make_event, make_user, make_version, play_event, play_match
from tests.tournaments.admin.buttons import at
from tournaments.models import (
    Analysis,
    Attempt,
    AuditEntry,
    Ban,
    Bot,
    Candidacy,
    CasualGame,
    Challenge,
    Check,
    Contender,
    Delivery,
    Event,
    Failure,
    Follow,
    Game,
    Ladder,
    LadderEntry,
    Match,
    OpeningBook,
    PersonalFeed,
    PushSubscription,
    Question,
    Submission,
    Version,
    Webhook,
    Worker,
)

MODELS = [Bot, Version, Submission, Check, Ladder, Event, Match, Attempt, Game, Rating, Webhook,
          Delivery, AuditEntry, Ban, Worker, LadderEntry, Challenge, Candidacy, Contender, Anchor, Question, CasualGame,
          OfficialTable, OfficialLine, PairCounts, ClusterCounts, Statistics, OpeningCount, Failure, OpeningBook,
          Analysis, ReportedChances, Follow, PushSubscription, PersonalFeed]
ADDABLE = {Submission, Ladder, Event, Ban, Anchor}
# Their tests are with those of accounts, of series and of rulings.
ELSEWHERE = {"profile", "team", "token", "series", "disqualification", "byerequest", "changedpairing"}

pytestmark = [pytest.mark.usefixtures("desk_rows"), pytest.mark.xdist_group("the desk")]


class TestTheAdmin:
    def test_shows_every_model_of_the_service(self) -> None:
        ours = {model for model in admin.site._registry if model._meta.app_label in {"tournaments", "ratings"}}
        assert {model for model in ours if model._meta.model_name not in ELSEWHERE} == set(MODELS)

    @pytest.mark.slow
    def test_opens_lists_rows_and_histories(self, desk: Client, looker: Client) -> None:
        for model in MODELS:
            rows = list(model.objects.all())
            pages = [(desk, at(model, "changelist") + "?q=Morphy"), (looker, at(model, "changelist")),
                     (desk, at(model, "change", rows[0].pk)), (looker, at(model, "history", rows[0].pk))]
            for client, path in [*pages, *((looker, at(model, "change", row.pk)) for row in rows[:3])]:
                page = client.get(path)
                assert page.status_code == 200, path
                assert b'name="_save"' not in page.content, path

    @pytest.mark.slow
    def test_offers_to_add_only_rows_that_a_service_creates(self, desk: Client, looker: Client) -> None:
        assert {model for model in MODELS if desk.get(at(model, "add")).status_code != 403} == ADDABLE
        assert {looker.get(at(model, "add")).status_code for model in MODELS} == {403}

    @pytest.mark.slow
    def test_deletes_and_edits_nothing(self, desk: Client) -> None:
        for model in MODELS:
            rows, row = model.objects.count(), model.objects.values().first()
            pk = row["id"]
            desk.post(at(model, "changelist"), {"action": "delete_selected", "_selected_action": [pk], "post": "yes"})
            assert desk.post(at(model, "delete", pk), {"post": "yes"}).status_code == 403, model
            assert desk.post(at(model, "change", pk), {"name": "x", "value": 1}).status_code == 403, model
            assert (model.objects.count(), model.objects.values().get(pk=pk)) == (rows, row)

    def test_is_closed_to_authors(self, client: Client) -> None:
        client.force_login(make_user("mia"))
        assert {client.get(at(model, "changelist")).status_code for model in MODELS} == {302}

    def test_redirects_from_a_missing_row(self, desk: Client) -> None:
        assert {desk.get(at(model, "change", key)).status_code for model in (Event, Bot)
                for key in ("0", "x", "9" * 30)} == {302}

    @pytest.mark.slow
    def test_needs_as_many_queries_for_many_rows_as_for_few(self, desk: Client) -> None:
        self._count(desk, 1)  # remembers the content types
        assert self._count(desk, 2) == self._count(desk, 6)

    def _count(self, desk: Client, rows: int) -> dict[str, int]:
        event = make_event([make_version(f"Bot {n} of {rows}") for n in range(rows + 1)], size=5)
        for match in Match.objects.filter(event=event).order_by("pk")[:rows]:
            play_match(match, most_plies=4)
        play_event(event, matches_to_play=0)
        paths = [*(at(model, "changelist") for model in MODELS), at(Event, "change", event.pk), at(Event, "add")]
        return {path.replace(str(event.pk), "…"): self._queries(desk, path) for path in paths}

    def _queries(self, client: Client, path: str) -> int:
        with CaptureQueriesContext(connection) as queries:
            assert client.get(path).status_code == 200
        return len(queries)


class TestTheEventsPage:
    def test_has_progress_standings_crosstable_and_void_attempts(self, looker: Client, event: Event) -> None:
        page = looker.get(at(Event, "change", event.pk))
        assert page.context["progress"].games_void == 2
        assert [row.standing.row.score.games for row in page.context["crosstable"]] == [
            sum(cell.score.games for cell in row.cells if cell.score) for row in page.context["crosstable"]]
        shown = page.content.decode()
        assert "4 of 6 games, 2 void" in " ".join(shown.split())
        assert "the disk of &lt;worker&gt; was full" in shown
        assert "<b>Anderssen" not in shown

    def test_links_to_its_matches_attempts_games_and_faults(self, looker: Client, event: Event) -> None:
        other = make_event([make_version("Morphy"), make_version("Steinitz")], name="Another", size=5)
        play_event(other)
        for model, query, rows in [
            (Match, {"event__id__exact": event.pk}, 3), (Game, {"event__id__exact": event.pk}, 4),
            (Attempt, {"match__event__id__exact": event.pk}, 3),
            (Game, {"event__id__exact": event.pk, "ended_by": "conduct"}, 1),
        ]:
            page = looker.get(at(model, "changelist"), query)
            assert page.status_code == 200
            assert page.context["cl"].result_count == rows


class TestTheGamesPage:
    def test_shows_the_fault_and_the_bots_output(self, looker: Client, event: Event) -> None:
        game = Game.objects.get(ended_by="conduct")
        Game.objects.filter(pk=game.pk).update(stderr0=b"<b>Traceback</b>\n\xff\x00")
        shown = looker.get(at(Game, "change", game.pk)).content.decode()
        assert "protocol, after 3 plies" in shown
        assert "e4\\x1b[2J\\u202eevil" in shown
        assert "&lt;b&gt;Traceback&lt;/b&gt;\n\\xff\\x00" in shown
        assert f'href="{reverse("game", args=[game.pk])}"' in shown
