"""Pages of trials: contents, who may begin and end one, and escaping."""

import re
from types import SimpleNamespace

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import START, make_user, make_version
from tests.frontend.visits import body, part_of, said, signed_in
from tests.tournaments.trials.play import DRAWN, LOST, WON, play_out
from tournaments.models import Candidacy, LadderEntry, Version
from tournaments.services.ladders import trials
from tournaments.services.ladders.ladder_play import join
from tournaments.services.ladders.ladders import create_ladder

pytestmark = pytest.mark.django_db


def enrol(ladder, name: str, owner: str) -> Version:
    version = make_version(name, owner=owner)
    join(actor=version.bot.owner, ladder=ladder, version=version, now=START)
    return version


def on_trial(ladder, name: str) -> Candidacy:
    """Start a trial of a second version of a new bot."""
    enrol(ladder, name, "mia")
    return trials.enter(actor=make_user("mia"), ladder=ladder, version=make_version(name), elo1=100, seed=1, now=START)


@pytest.fixture(scope="module")
def world(module_db) -> SimpleNamespace:
    """A trial of each status on two ladders; and Alder, whose second version is not on trial."""
    ladder, other = (create_ladder(ruleset="square-grid-hex", size=size, base_seconds=5) for size in (4, 5))
    passed = play_out(on_trial(ladder, "Birch"), current=(WON, DRAWN))
    for number in range(2):
        enrol(other, f"Basalt {number}", owner="otto")
    failed = play_out(on_trial(other, "Cedar"), current=(LOST, LOST), neighbour=(WON, LOST))
    versions = enrol(ladder, "Alder", owner="mia"), make_version("Alder"), make_version("Alder")
    return SimpleNamespace(ladder=ladder, other=other, passed=passed, failed=failed, running=on_trial(ladder, "Dune"),
                           versions=versions)


@pytest.fixture
def mia(world) -> Client:
    return signed_in("mia")


class TestTheLadderPage:
    def test_lets_an_author_try_another_version(self, client, mia, world):
        address, candidate = reverse("ladder", args=[world.ladder.slug]), world.versions[1]
        shown = body(mia, address)
        assert "Test another version against v1" in shown
        assert f'<option value="{candidate.pk}">Alder v2</option>' in shown
        assert "% of the candidates with the larger lead pass, and" in shown
        assert f'href="/trials/?ladder={world.ladder.slug}"' in shown
        assert "Test another version" not in body(client, address)
        shown = said(mia, mia.post(reverse("ladder-try", args=[world.ladder.slug]), {
            "version": candidate.pk, "elo0": "-5", "elo1": "20", "alpha": "", "beta": "", "most_pairs": "100"}))
        assert "Alder v2 is on trial" in shown
        made = Candidacy.objects.get(candidate=candidate)
        assert (made.elo0, made.elo1, made.alpha, made.most_pairs) == (-5, 20, 0.05, 100)
        shown = body(mia, address)
        assert "v2 is on trial" in shown
        assert "Test another version against v1" not in shown

    def test_explains_refusals(self, client, mia, world):
        address, candidate = reverse("ladder-try", args=[world.ladder.slug]), world.versions[1]
        for browser, change, sentence in (
                (mia, {"elo1": "-1"}, "Elo0 must be below elo1, but 0 is not below -1."),
                (mia, {"elo1": "much"}, "Passes at: Enter a number."),
                (mia, {"others": ["998"]}, "More candidates: Select a valid choice."),
                (mia, {"version": "999"}, "Candidate: Select a valid choice."),
                (signed_in("otto"), {}, "Alder is not your bot")):
            assert sentence in said(browser, browser.post(address, {"version": candidate.pk, **change}))
        assert "login" in client.post(address, {"version": candidate.pk})["Location"]
        assert not Candidacy.objects.filter(candidate=candidate).exists()

    def test_lets_an_author_choose_how_new_versions_take_over(self, mia, world):
        address, bot = reverse("ladder-take-over", args=[world.ladder.slug]), world.versions[0].bot
        for chosen in ("yes", ""):
            said(mia, mia.post(address, {"bot": bot.pk, "on_trial": chosen}))
            assert LadderEntry.objects.get(bot=bot).on_trial is bool(chosen)
        assert mia.post(address, {"bot": "x"}).status_code == 404


class TestTheTrialPage:
    def test_shows_limits_verdict_ratio_predictions_and_games(self, client, world, django_assert_max_num_queries):
        running = body(client, reverse("trial", args=[world.running.pk]))
        assert "If the LLR reaches 2.94, v2 takes over; at -2.94, it fails" in running
        assert "% of the candidates that are worth 100 pass the test, and" in running
        assert "<svg" not in part_of(running, "<main", "Matches</h2>")
        with django_assert_max_num_queries(8):
            passed = body(client, reverse("trial", args=[world.passed.pk]))
        for text in ("Birch v2 passed against v1: LLR", 'aria-label="Log-likelihood ratio after each of'):
            assert text in passed
        assert passed.count('href="/games/') >= 10
        assert "Withdraw" not in passed
        failed = body(client, reverse("trial", args=[world.failed.pk]))
        assert "predicted" in failed
        assert "Cedar v2 failed against v1: LLR -" in body(client, reverse("bot", args=[world.failed.bot.slug]))
        body(client, reverse("trial", args=[999]), expect=404)

    def test_shows_the_plot_of_each_candidate_and_the_games_left_and_polls(self, client, mia, world):
        _, second, third = world.versions
        # Another running trial would get its matches first.
        mia.post(reverse("trial-withdraw", args=[world.running.pk]))
        shown = said(mia, mia.post(reverse("ladder-try", args=[world.ladder.slug]), {
            "version": second.pk, "others": [third.pk], "elo1": "100"}))
        made = Candidacy.objects.get(candidate=second)
        assert [row.version.number for row in made.contenders.all()] == [2, 3]
        assert "Expected games left" in shown
        play_out(made, current=(WON, DRAWN), now=made.started_at, rounds=3)
        address = reverse("trial-live", args=[made.pk])
        live = client.get(address)
        assert live.content.count(b'<svg class="plot ratio"') == 2
        assert b'<span class="chip live">' in live.content
        assert client.get(address, headers={"If-None-Match": live["ETag"]}).status_code == 304
        assert f'data-live="/trials/{made.pk}/live/"' in body(client, reverse("trial", args=[made.pk]))
        mia.post(reverse("trial-withdraw", args=[made.pk]))
        over = body(mia, address)
        assert not [text for text in ('<span class="chip live">', "data-live", "Withdraw v2") if text in over]

    def test_can_be_ended_by_the_bots_owner(self, mia, world):
        page, address = (reverse(name, args=[world.running.pk]) for name in ("trial", "trial-withdraw"))
        otto = signed_in("otto")
        assert "Withdraw v2" not in body(otto, page)
        assert "Dune is not your bot" in said(otto, otto.post(address))
        assert "Withdraw v2" in body(mia, page)
        shown = said(mia, mia.post(address))
        assert "The trial is withdrawn. Dune v1 stays on the ladder." in shown
        assert "mia withdrew Dune v2 before the verdict." in shown
        assert "This trial is over (withdrawn)" in said(mia, mia.post(address))


class TestTheList:
    def listed(self, client: Client, **query: object) -> list[int]:
        shown = body(client, reverse("trials"), **query).partition("<main")[2]
        return [int(pk) for pk in re.findall(r'href="/trials/(\d+)/"', shown)]

    @pytest.mark.database
    def test_contains_trials_newest_first_filtered_by_its_address(self, client, world):
        passed, failed, running = world.passed.pk, world.failed.pk, world.running.pk
        for query, wanted in (({}, [running, failed, passed]), ({"ladder": world.ladder.slug}, [running, passed]),
                              ({"status": "passed"}, [passed]), ({"bot": "birch"}, [passed]),
                              ({"bot": world.failed.bot.slug}, [failed]), ({"bot": "nobody"}, []),
                              ({"status": "made up"}, [running, failed, passed])):
            assert self.listed(client, **query) == wanted, query
        shown = body(client, reverse("trials"), status="passed", bot="Birch")
        for text in ("Birch v2 passed against v1: LLR", '<option value="passed" selected>',
                     'name="bot" maxlength="80" value="Birch"'):
            assert text in shown

    def test_keeps_its_filters_on_further_pages(self, client, world, monkeypatch):
        monkeypatch.setattr("frontend.views.ladders.trials.PAGE", 1)
        query = {"ladder": world.ladder.slug}
        assert self.listed(client, **query) == [world.running.pk]
        assert (f'href="?ladder={world.ladder.slug}&amp;before={world.running.pk}"'
                in body(client, reverse("trials"), **query))
        assert self.listed(client, **query, before=world.running.pk) == [world.passed.pk]
        assert 'href="/trials/"' in body(client, reverse("ladders"))
        slug = world.passed.bot.slug
        assert f'href="/trials/?bot={slug}"' in body(client, reverse("bot", args=[slug]))
