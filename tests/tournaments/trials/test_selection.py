"""Trials of several candidates: the selection, the test that follows it, and bad input."""

import pytest
from django.db import IntegrityError, transaction

from ratings.sprt import Bounds
from tests.factories import START, make_version
from tests.tournaments.trials.play import DRAWN, LOST, WON, play, queued
from tournaments.models import Candidacy, Contender, LadderEntry, Match
from tournaments.scoring import outlook
from tournaments.scoring.selection import allowed_lead, most_turns, select
from tournaments.selectors.ladders.candidacies import candidacies, games_left
from tournaments.services.bots.versions import rest
from tournaments.services.ladders.trial_judging import judge_trials
from tournaments.services.ladders.trial_pairing import pair_trials
from tournaments.services.ladders.trials import TrialRefused, withdraw

BOUNDS = Bounds(0, 100)


class TestSelect:
    def test_puts_out_candidates_behind_the_leader_and_at_the_bound(self):
        found = select({1: 0.5, 2: -1.5, 3: -3.0, 4: 0.4}, 0, BOUNDS)
        assert (found.leader, found.behind, found.failed) == (1, [2], [3])

    def test_allows_a_lead_that_shrinks_to_nothing_so_that_one_of_equal_candidates_is_left(self):
        leads = [allowed_lead(turns, BOUNDS) for turns in range(most_turns(BOUNDS) + 1)]
        assert leads == sorted(leads, reverse=True)
        assert (leads[0], leads[-1]) == (2.0, 0.0)
        found = select({1: 0.0, 2: 0.0}, most_turns(BOUNDS), BOUNDS)
        assert (found.leader, found.behind) == (1, [2])


class TestOutlook:
    def test_is_walds_expectation(self):
        # Without a drift: distance to one bound times distance to the other, per information.
        assert outlook.test_pairs(0, 0, 0, BOUNDS, 5000) == pytest.approx(2.944439**2 / BOUNDS.information)
        # With the drift of a candidate worth elo1: (0.95 b − 0.05 b) / (information / 2), after many pairs.
        assert outlook.test_pairs(0, 10**9, 100, BOUNDS, 10**10) == pytest.approx(
            0.9 * 2.944439 / (BOUNDS.information / 2), rel=1e-4)
        assert outlook.test_pairs(0, 10**9, 0, BOUNDS, 10**10) == pytest.approx(
            0.9 * 2.944439 / (BOUNDS.information / 2), rel=1e-4)

    def test_is_at_most_the_pairs_that_are_left_of_all_candidates_in_the_selection(self):
        assert outlook.test_pairs(0, 390, 0, Bounds(0, 10), 400) == 10
        assert outlook.test_pairs(3, 50, 0, BOUNDS, 400) == 0
        assert outlook.selection_pairs([0.5], 3, BOUNDS) == 0
        left = 4 / BOUNDS.information
        assert outlook.selection_pairs([0, 0, 0], 0, BOUNDS) == pytest.approx(3 * left)
        assert outlook.selection_pairs([1, 0], 0, BOUNDS) == pytest.approx(left)


@pytest.fixture
def trial(enter, versions):
    """A trial of three candidates: Alder v2, v3 and v4."""
    return enter(others=[make_version("Alder"), make_version("Alder")], alpha=0.25)


def play_by_version(trial, scores, rounds=300):
    """Play the trial to its end; `scores` has each version's number and its scores in a match."""
    for _ in range(rounds):
        pair_trials(START)
        waiting = queued(trial)
        if not waiting:
            break
        for match in reversed(waiting):
            mine = match.second if match.first_id == trial.current_id else match.first
            play(match, scores.get(mine.number, (WON, LOST)), now=START)
        judge_trials(START)
    trial.refresh_from_db()
    return trial


@pytest.mark.django_db
class TestATrialOfSeveralCandidates:
    @pytest.mark.slow
    def test_selects_the_best_and_tests_it_on_new_games(self, trial, versions):
        play_by_version(trial, {2: (LOST, DRAWN), 3: (WON, DRAWN), 4: (WON, LOST)})
        assert trial.status == "passed", trial.reason
        assert "Alder v3 passed against v1" in trial.reason
        assert LadderEntry.objects.get(bot=trial.bot).version.number == 3
        rows = list(trial.contenders.order_by("place"))
        assert [(row.version.number, row.status) for row in rows] == [(2, "out"), (3, "chosen"), (4, "out")]
        assert "is behind v3" in rows[0].reason
        assert len(rows[0].course) < most_turns(BOUNDS)
        judged = Match.objects.filter(candidacy=trial, status="finished", number__gt=trial.offset)
        assert judged.count() >= len(trial.course) == trial.judged

    def test_gives_all_candidates_the_same_opening_and_seat(self, trial):
        play_by_version(trial, {}, rounds=3)
        matches = list(Match.objects.order_by("number"))
        for turn in (matches[:3], matches[3:6]):
            assert len({tuple(match.opening) for match in turn}) == 1
            assert len({match.first_id == trial.current_id for match in turn}) == 1
        assert matches[0].opening != matches[3].opening

    def test_fails_when_all_candidates_fail(self, enter, versions):
        trial = enter(others=[make_version("Alder"), make_version("Alder")], beta=0.25)
        play_by_version(trial, dict.fromkeys((2, 3, 4), (LOST, LOST)))
        assert (trial.status, LadderEntry.objects.get(bot=trial.bot).version.number) == ("failed", 1)
        assert "All candidates failed against v1 in the selection" in trial.reason

    @pytest.mark.slow
    def test_continues_without_a_suspended_candidate(self, trial, versions, mia):
        pair_trials(START)
        rest(version=versions[1], actor=mia, now=START)
        assert judge_trials(START) == 0
        trial.refresh_from_db()
        assert (trial.status, trial.candidate.number) == ("running", 3)
        assert trial.contenders.get(place=1).reason == "Alder v2 was suspended."
        assert play_by_version(trial, {3: (WON, DRAWN)}).status == "passed"

    def test_expects_fewer_games_as_it_goes_on(self, trial):
        def left():
            return games_left(candidacies().get(pk=trial.pk))

        at_first = left()
        play_by_version(trial, {}, rounds=3)
        assert 0 < left() < at_first
        withdraw(actor=trial.bot.owner, candidacy=trial, now=START)
        assert left() is None


@pytest.mark.django_db
class TestBadInput:
    def test_is_refused_with_a_sentence_and_changes_nothing(self, enter, versions):
        more, other = [make_version("Alder") for _ in range(8)], make_version("Cinder")
        for others, sentence in (
            (more, "You named 9 candidates for the trial of Alder on Square Grid Hex"),
            ([more[0], other], "Candidate 3, Cinder v1, is not a version of Alder"),
            ([versions[1]], "Candidate 2, Alder v2, is named twice"),
            ([versions[0]], "Alder v1 already plays on"),
        ):
            with pytest.raises(TrialRefused) as refused:
                enter(others=others)
            assert sentence in str(refused.value)
        assert not Candidacy.objects.exists()
        assert not Contender.objects.exists()

    @pytest.mark.database
    def test_is_refused_by_the_database(self, trial):
        for facts in ({"place": 9}, {"place": 2}, {"status": "x"}, {"reason": "x"}, {"status": "out"}):
            with pytest.raises(IntegrityError), transaction.atomic():
                trial.contenders.filter(place=1).update(**facts)
