"""Ladders, challenges and trials through the API, for the owner of a bot with two versions."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.factories import make_user, make_version, play_match
from tests.tournaments.api.contract import malformed, post, problem, read
from tests.tournaments.conftest import NOW
from tests.tournaments.trials.play import DRAWN, WON, play_out
from tournaments.models import Candidacy, Challenge, LadderEntry, Match
from tournaments.services.ladders.ladder_play import join
from tournaments.services.ladders.ladders import create_ladder
from tournaments.services.ladders.trial_pairing import pair_trials


@pytest.fixture(scope="module")
def ladder(module_db):
    return create_ladder(ruleset="square-grid-hex", size=3, base_seconds=1)


@pytest.fixture(scope="module")
def version(module_db):
    return make_version("Morphy")


@pytest.fixture(scope="module")
def entry(ladder, version):
    """Morphy's entry on another ladder."""
    other = create_ladder(ruleset="square-grid-hex", size=4, base_seconds=1)
    return join(actor=make_user("mia"), ladder=other, version=version, now=NOW)


@pytest.fixture(scope="module")
def duel(ladder, version):
    """The body of a valid request for a challenge."""
    return {"ladder": ladder.slug, "first": version.pk, "second": make_version("Lasker", owner="emanuel").pk,
            "matches": 2}


@pytest.fixture(scope="module")
def plan(entry):
    """The body of a valid request for a trial."""
    return {"ladder": entry.ladder.slug, "version": make_version("Morphy").pk, "elo1": 100}


class TestALadder:
    def test_is_joined_by_a_version(self, author, anyone, ladder, version):
        answer = post(author, f"ladders/{ladder.slug}/join/", version=version.pk)
        assert answer.status_code == 200
        assert (answer.json()["bot"], answer.json()["version_id"], answer.json()["active"]) == (
            version.bot.slug, version.pk, True)
        assert problem(post(author, f"ladders/{ladder.slug}/join/", version=version.pk)) == (
            409, f"Morphy v1 already plays on {ladder.name}.")
        assert [line["bot"] for line in read(anyone, f"ladders/{ladder.slug}/entries/")["results"]] == [
            version.bot.slug]

    @pytest.mark.database
    def test_is_not_joined_without_an_existing_version(self, author, ladder):
        for version in (0, -1, 10**9, 2**63, "x", None, [1]):
            assert malformed(post(author, f"ladders/{ladder.slug}/join/", version=version)) == ["version"]

    def test_can_be_left(self, author, entry):
        answer = post(author, f"ladders/{entry.ladder.slug}/leave/", bot=entry.bot.slug)
        assert (answer.status_code, answer.json()["active"]) == (200, False)
        assert malformed(post(author, f"ladders/{entry.ladder.slug}/leave/", bot="nobody")) == ["bot"]

    def test_takes_a_suspended_bot_back(self, author, entry):
        LadderEntry.objects.update(probe_at=timezone.now() + timedelta(hours=1), faults=3, rests=1)
        answer = post(author, f"ladders/{entry.ladder.slug}/bring-back/", bot=entry.bot.slug)
        assert (answer.status_code, answer.json()["probe_at"], answer.json()["faults"]) == (200, None, 0)

    def test_takes_new_versions_after_a_trial_if_the_owner_says_so(self, author, entry):
        path = f"ladders/{entry.ladder.slug}/take-over/"
        assert post(author, path, bot=entry.bot.slug, on_trial=True).json()["on_trial"]
        assert LadderEntry.objects.get().on_trial
        assert malformed(post(author, path, bot=entry.bot.slug)) == ["on_trial"]

    def test_lists_many_bots_with_as_many_queries_as_few(self, anyone, ladder, django_assert_max_num_queries):
        for number in range(11):
            join(actor=make_user("mia"), ladder=ladder, version=make_version(f"bot {number}"), now=NOW)
        with django_assert_max_num_queries(10):
            assert len(read(anyone, f"ladders/{ladder.slug}/entries/")["results"]) == 11

    def test_is_closed_once_and_can_be_opened_again(self, organiser, ladder):
        answer = post(organiser, f"ladders/{ladder.slug}/close/")
        assert (answer.status_code, answer.json()["is_open"]) == (200, False)
        assert problem(post(organiser, f"ladders/{ladder.slug}/close/")) == (409, f"{ladder.name} is already closed.")
        assert post(organiser, f"ladders/{ladder.slug}/open/").json()["is_open"]


class TestAChallenge:
    def test_creates_matches_and_shows_their_result(self, author, anyone, duel):
        answer = post(author, "challenges/", **duel)
        assert answer.status_code == 201
        assert answer.json()["matches"] == list(Match.objects.order_by("pk").values_list("pk", flat=True))
        assert answer.json()["result"] == {"wins": 0, "draws": 0, "losses": 0, "score": 0.5, "low": 0.0, "high": 1.0}
        for match in Match.objects.all():
            play_match(match)
        [shown] = read(anyone, "challenges/")["results"]
        assert sum(shown["result"][name] for name in ("wins", "draws", "losses")) == 4
        assert shown["matches_open"] == 0
        assert read(anyone, f"challenges/{shown['id']}/") == shown

    def test_is_refused_with_invalid_values(self, author, duel):
        for change, status in (({"ladder": "nowhere"}, 400), ({"first": 10**9}, 400), ({"second": "x"}, 400),
                               ({"matches": None}, 400), ({"seed": -1}, 400), ({"matches": 10**30}, 409)):
            assert problem(post(author, "challenges/", **duel | change))[0] == status, change
        assert not Challenge.objects.exists()

    def test_takes_as_many_queries_for_many_as_for_few(self, author, anyone, duel, django_assert_max_num_queries):
        for _ in range(4):
            post(author, "challenges/", **duel)
        with django_assert_max_num_queries(5):
            assert len(read(anyone, "challenges/")["results"]) == 4

    def test_is_cancelled_once(self, author, duel):
        made = post(author, "challenges/", **duel).json()["id"]
        answer = post(author, f"challenges/{made}/cancel/")
        assert (answer.status_code, answer.json()["matches_open"]) == (200, 0)
        assert post(author, f"challenges/{made}/cancel/").status_code == 409


class TestATrial:
    @pytest.fixture
    def trial(self, author, plan):
        return Candidacy.objects.get(pk=post(author, "candidacies/", **plan).json()["id"])

    def test_starts_with_one_candidate_or_several(self, author, plan):
        answer = post(author, "candidacies/", **plan, others=[make_version("Morphy").pk])
        assert answer.status_code == 201
        shown = answer.json()
        assert (shown["candidate"]["version"], shown["current"]["version"], shown["status"]) == (2, 1, "running")
        assert [(row["version"]["version"], row["status"]) for row in shown["contenders"]] == [(2, "in"), (3, "in")]
        assert (shown["created_by"], shown["llrs"], shown["reason"]) == ("mia", [], "")
        assert (shown["elo0"], shown["alpha"], shown["most_pairs"]) == (0.0, 0.05, 500)
        assert shown["stand"]["pentanomial"] == [0] * 5
        assert shown["stand"]["upper"] == pytest.approx(2.944439)
        assert shown["games_left"] > 0
        assert shown["power"]["at_elo1"]["passed"] == shown["power"]["at_elo0"]["failed"] > 0.95

    def test_is_refused_with_a_reason_or_the_malformed_field(self, author, plan):
        for change, sentence in (
            ({"others": [plan["version"]] * 8}, "You named 9 candidates for the trial of Morphy"),
            ({"elo1": 0}, "Elo0 must be below elo1, but 0 is not below 0."),
            ({"most_pairs": 10**30}, "The maximum number of pairs must be 10 to 5,000"),
        ):
            status, said = problem(post(author, "candidacies/", **plan | change))
            assert (status, sentence in said) == (409, True), said
        for change in ({"ladder": "nowhere"}, {"version": 10**9}, {"version": None}, {"elo1": "x"}, {"elo1": None},
                       {"seed": -1}, {"most_pairs": 1.5}):
            assert malformed(post(author, "candidacies/", **plan | change)) == list(change)
        assert not Candidacy.objects.exists()

    def test_shows_its_progress_to_everyone(self, author, anyone, plan):
        # Higher risks, so that it ends after fewer games.
        trial = Candidacy.objects.get(pk=post(author, "candidacies/", **plan, alpha=0.2, beta=0.2).json()["id"])
        play_out(trial, current=(WON, DRAWN))
        shown = read(anyone, f"candidacies/{trial.pk}/")
        assert shown["status"] == "passed"
        assert shown["reason"].startswith("Morphy v2 passed against v1: LLR ")
        assert len(shown["llrs"]) == shown["stand"]["won"] == sum(shown["stand"]["pentanomial"])
        assert shown["stand"]["low"] < shown["stand"]["elo"] < shown["stand"]["high"]
        assert read(anyone, "candidacies/")["results"] == [
            {name: value for name, value in shown.items() if name != "llrs"}]

    def test_is_filtered_by_bot_ladder_and_status(self, anyone, trial):
        def found(**query):
            return [row["id"] for row in read(anyone, "candidacies/", **query)["results"]]

        assert found(bot=trial.bot.slug, ladder=trial.ladder.slug, status="running") == [trial.pk]
        assert found(bot="other") == found(ladder="other") == found(status="passed") == []
        assert anyone.get("/api/candidacies/", {"status": "x"}).status_code == 400

    def test_links_to_its_matches(self, anyone, trial):
        pair_trials(NOW)
        rows = read(anyone, "matches/", candidacy=trial.pk, kind="trial")["results"]
        assert [row["candidacy"] for row in rows] == [trial.pk] * 2

    def test_is_withdrawn_once(self, author, trial):
        path = f"candidacies/{trial.pk}/withdraw/"
        shown = post(author, path).json()
        assert (shown["status"], shown["reason"]) == ("withdrawn", "mia withdrew Morphy v2 before the verdict.")
        assert problem(post(author, path)) == (409, "This trial is over (withdrawn): there is nothing to withdraw.")

    def test_takes_as_many_queries_for_many_as_for_few(self, author, anyone, plan, django_assert_max_num_queries):
        for _ in range(4):
            post(author, f"candidacies/{post(author, 'candidacies/', **plan).json()['id']}/withdraw/")
        with django_assert_max_num_queries(3):
            assert len(read(anyone, "candidacies/")["results"]) == 4
