"""Pages of trials: contents, who may begin and end one, and escaping."""

import re
from datetime import timedelta
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from tests.factories import make_user, make_version
from tests.frontend.pages.test_ladder_pages import HOSTILE, body, enrol, said, signed_in
from tests.tournaments.trials.play import DRAWN, LOST, WON, play_out
from tournaments.models import Candidacy, LadderEntry
from tournaments.services.ladders import trials
from tournaments.services.ladders.ladders import create_ladder

pytestmark = pytest.mark.django_db


@pytest.fixture
def ladder():
    return create_ladder(ruleset="square-grid-hex", size=5, base_seconds=5)


@pytest.fixture
def mia():
    return signed_in("mia")


@pytest.fixture
def versions(ladder):
    """Return the version that plays on the ladder, and a newer one."""
    return enrol(ladder, "Alder", owner="mia"), make_version("Alder")


@pytest.fixture
def trial(ladder, versions):
    return trials.enter(actor=User.objects.get(username="mia"), ladder=ladder, version=versions[1], elo1=100, seed=1,
                        now=timezone.now())


class TestTheLadderPage:
    def test_lets_an_author_try_another_version(self, mia, ladder, versions):
        address = reverse("ladder", args=[ladder.slug])
        shown = body(mia, address)
        assert "Test another version against v1" in shown
        assert f'<option value="{versions[1].pk}">Alder v2</option>' in shown
        shown = said(mia, mia.post(reverse("ladder-try", args=[ladder.slug]), {
            "version": versions[1].pk, "elo0": "-5", "elo1": "20", "alpha": "", "beta": "", "most_pairs": "100"}))
        assert "Alder v2 is on trial" in shown
        made = Candidacy.objects.get()
        assert (made.elo0, made.elo1, made.alpha, made.most_pairs) == (-5, 20, 0.05, 100)
        shown = body(mia, address)
        assert "v2 is on trial" in shown
        assert "Test another version" not in shown

    @pytest.mark.parametrize(("change", "sentence"), [
        ({"elo1": "-1"}, "Elo0 must be below elo1, but 0 is not below -1."),
        ({"elo1": "much"}, "Passes at: Enter a number."),
        ({"most_pairs": "1"}, "The maximum number of pairs must be 10 to 5,000, not 1."),
        ({"others": ["998"]}, "More candidates: Select a valid choice."),
        ({"version": "999"}, "Candidate: Select a valid choice."),
    ])
    def test_explains_refusals(self, mia, ladder, versions, change, sentence):
        shown = said(mia, mia.post(reverse("ladder-try", args=[ladder.slug]), {"version": versions[1].pk, **change}))
        assert sentence in shown
        assert not Candidacy.objects.exists()

    def test_refuses_another_authors_version(self, ladder, versions):
        otto = signed_in("otto")
        shown = said(otto, otto.post(reverse("ladder-try", args=[ladder.slug]), {"version": versions[1].pk}))
        assert "Alder is not your bot" in shown

    def test_redirects_signed_out_visitors_to_the_sign_in(self, client, ladder, versions):
        answer = client.post(reverse("ladder-try", args=[ladder.slug]), {"version": versions[1].pk})
        assert (answer.status_code, "login" in answer["Location"]) == (302, True)
        assert "Test another version" not in body(client, reverse("ladder", args=[ladder.slug]))

    def test_lets_an_author_choose_how_new_versions_take_over(self, mia, ladder, versions):
        address = reverse("ladder-take-over", args=[ladder.slug])
        for chosen, words in (("yes", "after a trial"), ("", "at once")):
            shown = said(mia, mia.post(address, {"bot": versions[0].bot_id, "on_trial": chosen}))
            assert f"New versions of Alder replace the current one {words}." in shown
            assert LadderEntry.objects.get().on_trial is bool(chosen)
        assert mia.post(address, {"bot": "x"}).status_code == 404


class TestTheTrialPage:
    def test_states_the_limits_before_the_first_game(self, client, trial):
        shown = body(client, reverse("trial", args=[trial.pk]))
        assert "If the LLR reaches 2.94, v2 takes over; at -2.94, it fails" in shown
        assert "<svg" not in shown.partition("<main")[2].partition("Matches</h2>")[0]

    def test_shows_verdict_ratio_interval_pairs_and_games(self, client, trial):
        play_out(trial, current=(WON, DRAWN), now=timezone.now())
        shown = body(client, reverse("trial", args=[trial.pk]))
        assert "Alder v2 passed against v1: LLR" in shown
        assert 'aria-label="Log-likelihood ratio after each of' in shown
        assert shown.count('href="/games/') >= 10
        assert "Withdraw" not in shown

    def test_shows_neighbourhood_results_next_to_predictions(self, client, trial, ladder):
        for number in range(3):
            enrol(ladder, f"Basalt {number}", owner="otto")
        play_out(trial, current=(LOST, LOST), neighbour=(WON, LOST), now=timezone.now())
        shown = body(client, reverse("trial", args=[trial.pk]))
        assert "predicted" in shown
        assert "failed against v1" in shown

    def test_shows_the_plot_of_each_candidate_and_the_games_left_and_polls(self, client, mia, ladder, versions):
        further = make_version("Alder")
        shown = said(mia, mia.post(reverse("ladder-try", args=[ladder.slug]), {
            "version": versions[1].pk, "others": [further.pk], "elo1": "100"}))
        made = Candidacy.objects.get()
        assert [row.version.number for row in made.contenders.all()] == [2, 3]
        assert "Expected games left" in shown
        play_out(made, current=(WON, DRAWN), now=timezone.now(), rounds=3)
        live = client.get(reverse("trial-live", args=[made.pk]))
        assert live.content.count(b'<svg class="plot ratio"') == 2
        assert b'<span class="chip live">' in live.content
        assert client.get(reverse("trial-live", args=[made.pk]), headers={"If-None-Match": live["ETag"]}
                          ).status_code == 304
        assert f'data-live="/trials/{made.pk}/live/"' in body(client, reverse("trial", args=[made.pk]))
        mia.post(reverse("trial-withdraw", args=[made.pk]))
        over = mia.get(reverse("trial-live", args=[made.pk])).content.decode()
        assert '<span class="chip live">' not in over
        assert "data-live" not in over
        assert "Withdraw v2" not in over

    def test_can_be_ended_by_the_bots_owner(self, mia, trial):
        address = reverse("trial-withdraw", args=[trial.pk])
        otto = signed_in("otto")
        assert "Withdraw v2" not in body(otto, reverse("trial", args=[trial.pk]))
        assert "Alder is not your bot" in said(otto, otto.post(address))
        assert "Withdraw v2" in body(mia, reverse("trial", args=[trial.pk]))
        shown = said(mia, mia.post(address))
        assert "The trial is withdrawn. Alder v1 stays on the ladder." in shown
        assert "mia withdrew Alder v2 before the verdict." in shown
        assert "This trial is over (withdrawn)" in said(mia, mia.post(address))

    def test_takes_as_many_queries_for_long_trials_as_for_short(self, client, trial, django_assert_max_num_queries):
        play_out(trial, current=(WON, DRAWN), now=timezone.now())
        with django_assert_max_num_queries(8):
            body(client, reverse("trial", args=[trial.pk]))

    def test_is_not_found_for_an_unknown_trial(self, client, db):
        assert client.get(reverse("trial", args=[999])).status_code == 404

    def test_escapes_names(self, client, mia, ladder):
        one = enrol(ladder, HOSTILE, owner="mia")
        made = trials.enter(actor=make_user("mia"), ladder=ladder, version=make_version(HOSTILE), elo1=100, seed=1,
                            now=timezone.now())
        play_out(made, current=(WON, DRAWN), now=timezone.now() + timedelta(minutes=1))
        for address in (reverse("trial", args=[made.pk]), reverse("bot", args=[one.bot.slug]),
                        reverse("ladder", args=[ladder.slug])):
            assert "<img src=x" not in body(mia, address)


class TestTheList:
    @pytest.fixture
    def three(self, trial, ladder):
        """Return a passed and a running trial of two bots, and one on another ladder."""
        play_out(trial, current=(WON, DRAWN), now=timezone.now())
        made = [trial]
        elsewhere = create_ladder(ruleset="squ", size=6, base_seconds=5)
        for name, place in (("Basalt", ladder), ("Cinder", elsewhere)):
            enrol(place, name, owner="mia")
            made.append(trials.enter(actor=make_user("mia"), ladder=place, version=make_version(name), elo1=100, seed=1,
                                     now=timezone.now()))
        return made

    def listed(self, client, **query):
        shown = body(client, f"{reverse('trials')}?{urlencode(query)}").partition("<main")[2]
        return [int(pk) for pk in re.findall(r'href="/trials/(\d+)/"', shown)]

    def test_contains_all_trials_newest_first(self, client, three):
        assert self.listed(client) == [three[2].pk, three[1].pk, three[0].pk]
        assert "Alder v2 passed against v1: LLR" in body(client, reverse("trials"))

    def test_is_filtered_by_its_address_and_shows_the_filters(self, client, three, ladder):
        assert self.listed(client, ladder=ladder.slug) == [three[1].pk, three[0].pk]
        assert self.listed(client, status="passed") == [three[0].pk]
        assert self.listed(client, bot="basalt") == self.listed(client, bot=three[1].bot.slug) == [three[1].pk]
        assert self.listed(client, bot="nobody") == []
        assert len(self.listed(client, status="made up")) == 3
        shown = body(client, f"{reverse('trials')}?status=passed&bot=Alder")
        assert '<option value="passed" selected>' in shown
        assert 'name="bot" maxlength="80" value="Alder"' in shown

    def test_keeps_its_filters_on_further_pages(self, client, three, monkeypatch):
        monkeypatch.setattr("frontend.views.ladders.trials.PAGE", 1)
        assert self.listed(client, status="running") == [three[2].pk]
        shown = body(client, f"{reverse('trials')}?status=running")
        assert f'href="?status=running&amp;before={three[2].pk}"' in shown
        assert self.listed(client, status="running", before=three[2].pk) == [three[1].pk]

    def test_is_linked_from_related_pages(self, client, three, ladder):
        assert 'href="/trials/"' in body(client, reverse("ladders"))
        assert f'href="/trials/?ladder={ladder.slug}"' in body(client, reverse("ladder", args=[ladder.slug]))
        assert f'href="/trials/?bot={three[0].bot.slug}"' in body(client, reverse("bot", args=[three[0].bot.slug]))


class TestTheBotPage:
    def test_lists_its_trials(self, client, trial):
        play_out(trial, current=(LOST, LOST), now=timezone.now())
        shown = body(client, reverse("bot", args=[trial.bot.slug]))
        assert "v2 against v1" in shown
        assert "Alder v2 failed against v1: LLR -" in shown
