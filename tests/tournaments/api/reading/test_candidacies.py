"""Trials through the API."""

import pytest

from tests.factories import make_user, make_version
from tests.tournaments.api import contract
from tests.tournaments.conftest import NOW
from tests.tournaments.trials.play import DRAWN, WON, play_out
from tournaments.models import Candidacy, LadderEntry
from tournaments.services.ladders.ladder_play import join
from tournaments.services.ladders.ladders import create_ladder
from tournaments.services.ladders.trial_pairing import pair_trials

PATH = "/api/candidacies/"


@pytest.fixture(scope="module")
def ladder(module_db):
    ladder = create_ladder(ruleset="square-grid-hex", size=3, base_seconds=1)
    join(actor=make_user("mia"), ladder=ladder, version=make_version("Morphy"), now=NOW)
    return ladder


@pytest.fixture(scope="module")
def plan(ladder):
    """The body of a valid request."""
    return {"ladder": ladder.slug, "version": make_version("Morphy").pk, "elo1": 100}


class TestEntering:
    def test_starts_a_trial_and_returns_it(self, author, plan):
        answer = author.post(PATH, plan, format="json")
        assert answer.status_code == 201
        shown = answer.json()
        assert (shown["candidate"]["version"], shown["current"]["version"], shown["status"]) == (2, 1, "running")
        assert (shown["created_by"], shown["llrs"], shown["reason"]) == ("mia", [], "")
        assert (shown["elo0"], shown["alpha"], shown["most_pairs"]) == (0.0, 0.05, 400)
        assert shown["stand"]["pentanomial"] == [0] * 5
        assert shown["stand"]["upper"] == pytest.approx(2.944439)

    def test_takes_several_candidates(self, author, plan):
        answer = author.post(PATH, {**plan, "others": [make_version("Morphy").pk]}, format="json")
        shown = answer.json()
        assert [row["version"]["version"] for row in shown["contenders"]] == [2, 3]
        assert [row["status"] for row in shown["contenders"]] == ["in", "in"]
        assert shown["games_left"] > 0

    def test_is_refused_with_a_reason(self, author, plan):
        for change, sentence in (
            ({"others": [plan["version"]] * 8}, "You named 9 candidates for the trial of Morphy"),
            ({"elo1": 0}, "Elo0 must be below elo1, but 0 is not below 0."),
            ({"alpha": 1}, "Alpha is a risk: it must be at least 0.000001 and less than 0.5, not 1."),
            ({"most_pairs": 10**30}, "The maximum number of pairs must be 10 to 5,000"),
        ):
            answer = author.post(PATH, {**plan, **change}, format="json")
            status, said = contract.problem(answer)
            assert (status, sentence in said) == (409, True), said
        assert not Candidacy.objects.exists()

    def test_is_malformed_with_invalid_values(self, author, plan):
        for change in ({"ladder": "nowhere"}, {"version": 10**9}, {"version": None}, {"elo1": "x"}, {"elo1": None},
                       {"seed": -1}, {"most_pairs": 1.5}):
            assert contract.malformed(author.post(PATH, {**plan, **change}, format="json")) == list(change)


class TestReading:
    @pytest.fixture
    def trial(self, author, plan):
        return Candidacy.objects.get(pk=author.post(PATH, plan, format="json").json()["id"])

    def test_shows_the_trials_progress_to_everyone(self, anyone, trial, now):
        play_out(trial, current=(WON, DRAWN))
        one = anyone.get(f"{PATH}{trial.pk}/")
        shown = one.json()
        assert shown["status"] == "passed"
        assert shown["reason"].startswith("Morphy v2 passed against v1: LLR ")
        assert len(shown["llrs"]) == shown["stand"]["won"] == sum(shown["stand"]["pentanomial"])
        assert shown["stand"]["low"] < shown["stand"]["elo"] < shown["stand"]["high"]
        listed = anyone.get(PATH)
        assert listed.json()["results"][0] == {name: value for name, value in shown.items() if name != "llrs"}

    def test_is_filtered_by_bot_ladder_and_status(self, anyone, trial):
        def found(**query):
            return [row["id"] for row in anyone.get(PATH, query).json()["results"]]

        bot = trial.bot.slug
        assert found(bot=bot, ladder=trial.ladder.slug, status="running") == [trial.pk]
        assert found(bot="other") == found(ladder="other") == found(status="passed") == []
        assert anyone.get(PATH, {"status": "x"}).status_code == 400

    def test_links_to_its_matches(self, anyone, trial, now):
        pair_trials(now)
        answer = anyone.get("/api/matches/", {"candidacy": trial.pk, "kind": "trial"})
        assert [row["candidacy"] for row in answer.json()["results"]] == [trial.pk] * 2

    def test_takes_as_many_queries_for_many_trials_as_for_few(self, author, anyone, ladder, plan,
                                                          django_assert_max_num_queries):
        for _ in range(4):
            made = author.post(PATH, plan, format="json").json()["id"]
            author.post(f"{PATH}{made}/withdraw/")
        with django_assert_max_num_queries(3):
            assert len(anyone.get(PATH).json()["results"]) == 4


class TestWithdrawing:
    def test_happens_once(self, author, plan):
        made = author.post(PATH, plan, format="json").json()["id"]
        answer = author.post(f"{PATH}{made}/withdraw/")
        assert answer.json()["status"] == "withdrawn"
        assert answer.json()["reason"] == "mia withdrew Morphy v2 before the verdict."
        again = author.post(f"{PATH}{made}/withdraw/")
        assert contract.problem(again) == (409, "This trial is over (withdrawn): there is nothing to withdraw.")


class TestTakingOver:
    def test_is_chosen_per_ladder(self, author, ladder):
        path, slug = f"/api/ladders/{ladder.slug}/take-over/", LadderEntry.objects.get().bot.slug
        answer = author.post(path, {"bot": slug, "on_trial": True}, format="json")
        assert (answer.json()["on_trial"], LadderEntry.objects.get().on_trial) == (True, True)
        assert contract.malformed(author.post(path, {"bot": slug}, format="json")) == ["on_trial"]
