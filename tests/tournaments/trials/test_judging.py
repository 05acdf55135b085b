"""Playing and judging trials without workers: the tests set the results of the matches."""

from datetime import timedelta
from itertools import permutations

import pytest

from ratings.sprt import Bounds, judge
from tests.factories import START, make_user, make_version, spoil_match
from tests.tournaments.trials.play import DRAWN, LOST, WON, play, play_out, queued
from tournaments.models import AuditEntry, Candidacy, Delivery, Game, LadderEntry, Match, Profile
from tournaments.models.lifecycle import CandidacyStatus, MatchStatus
from tournaments.selectors.ladders.candidacies import summary
from tournaments.services.accounts.bans import ban
from tournaments.services.bots.versions import rest, withdraw
from tournaments.services.events.requeueing import RequeueRefused, requeue_match
from tournaments.services.ladders import trials
from tournaments.services.ladders.ladder_play import join, leave
from tournaments.services.ladders.ladders import set_open
from tournaments.services.ladders.rating import rate_due
from tournaments.services.ladders.trial_judging import judge_trials
from tournaments.services.ladders.trial_pairing import MOST_VOIDS, pair_trials

pytestmark = pytest.mark.django_db


def ending(candidacy):
    candidacy.refresh_from_db()
    return candidacy.status, candidacy.reason


class TestMatches:
    def test_face_the_current_version_twice_per_neighbour(self, enter, versions, neighbours):
        made = enter()
        for _ in range(5):
            pair_trials(START)
            for match in queued(made):
                play(match, (WON, LOST))
        matches = list(Match.objects.order_by("number").select_related("first__bot", "second__bot"))
        own = [match.first.bot_id == match.second.bot_id for match in matches]
        assert own == [True, True, False] * 3 + [True]
        assert [match.number for match in matches] == list(range(1, 11))
        assert not any(match.rated for match in matches)
        assert {match.kind for match in matches} == {"trial"}

    def test_alternate_seats_and_vary_openings(self, enter, versions):
        made = enter()
        for _ in range(5):
            pair_trials(START)
            for match in queued(made):
                play(match, (WON, LOST))
        matches = list(Match.objects.order_by("number"))
        assert [match.first_id == versions[1].pk for match in matches] == [True, False] * 5
        assert len({tuple(match.opening) for match in matches}) == 10

    def test_are_determined_by_the_seed(self, enter, mia):
        seeds = []
        for _ in range(2):
            made = enter(seed=5)
            pair_trials(START)
            seeds.append([match.seed for match in queued(made)])
            trials.withdraw(actor=mia, candidacy=made, now=START)
        assert seeds[0] == seeds[1]

    def test_face_the_nearest_neighbours_in_turn(self, enter, neighbours):
        made = enter(elo1=10)
        for _ in range(25):
            pair_trials(START)
            for match in queued(made):
                play(match, (WON, LOST))
            judge_trials(START)
        met = [match.second if match.first.bot == made.bot else match.first
               for match in Match.objects.order_by("number").select_related("first__bot", "second__bot")
               if match.first.bot_id != match.second.bot_id]
        assert [version.bot.name for version in met[:8]] == [
            f"Basalt {number}" for number in (5, 4, 6, 3, 7, 2, 8, 1)]
        assert met[:8] == met[8:16]

    def test_face_only_the_current_version_without_neighbours(self, enter):
        made = play_out(enter(most_pairs=10), current=(WON, LOST))
        assert made.status == CandidacyStatus.INCONCLUSIVE
        assert Match.objects.filter(candidacy=made).count() == 10

    @pytest.mark.usefixtures("places")
    def test_are_limited_in_number_at_a_time(self, enter, settings):
        settings.TRIAL_MATCHES = 3
        made = enter()
        assert [pair_trials(START) for _ in range(2)] == [3, 0]
        assert len(queued(made)) == 3

    def test_are_shared_fairly_between_running_trials(self, enter, mia, ladder):
        one = enter()
        other = make_version("Cinder")
        join(actor=mia, ladder=ladder, version=other, now=START)
        two = enter(version=make_version("Cinder"))
        for _ in range(4):
            assert pair_trials(START) == 2
            assert (len(queued(one)), len(queued(two))) == (1, 1)
            for match in (*queued(one), *queued(two)):
                play(match, (WON, LOST))

    def test_count_towards_the_quota_of_the_candidates_owner(self, enter, neighbours, settings, mia):
        settings.GAMES_PER_DAY = 5
        enter()
        for _ in range(3):
            pair_trials(START)
            for match in queued(Candidacy.objects.get()):
                play(match, (WON, LOST))
        assert Match.objects.count() == 2
        assert pair_trials(START + timedelta(hours=25)) == 2

    def test_do_not_change_ratings(self, enter, neighbours):
        play_out(enter(most_pairs=10), current=(WON, LOST))
        assert rate_due(START + timedelta(hours=1)) == 0

    def test_are_replaced_when_they_are_void(self, enter, settings):
        settings.MAX_ATTEMPTS = 1
        made = enter()
        pair_trials(START)
        first, second = queued(made)
        void = spoil_match(first, "no disk")
        play(second, (WON, WON))
        assert judge_trials(START) == 0
        assert Candidacy.objects.get().judged == 0, "the second match waits for the first"
        pair_trials(START)
        again, _ = queued(made)
        assert (again.number, again.pk != void.pk, again.seed != void.seed) == (1, True, True)
        play(again, (WON, LOST))
        judge_trials(START)
        assert [facts[0] for facts in Candidacy.objects.get().course] == [2, 4]
        with pytest.raises(RequeueRefused, match="was played for a trial, which replaces its void matches"):
            requeue_match(match=void, now=START)

    def test_end_a_trial_after_too_many_void_matches(self, enter, settings):
        settings.MAX_ATTEMPTS = 1
        made = enter()
        for _ in range(MOST_VOIDS):
            pair_trials(START)
            spoil_match(queued(made)[0], "no disk")
        pair_trials(START)
        assert ending(made)[0] == CandidacyStatus.INCONCLUSIVE
        assert "10 matches were void because of infrastructure faults." in made.reason

    @pytest.mark.usefixtures("places")
    def test_replace_a_neighbour_that_leaves(self, enter, neighbours, ladder):
        made = enter()
        pair_trials(START)
        third = queued(made)[2]
        gone = third.second.bot if third.first.bot == made.bot else third.first.bot
        leave(actor=gone.owner, ladder=ladder, bot=gone, now=START)
        third.refresh_from_db()
        assert third.status == MatchStatus.CANCELLED
        pair_trials(START)
        again = Match.objects.get(candidacy=made, number=3, status=MatchStatus.QUEUED)
        assert gone.pk not in (again.first.bot_id, again.second.bot_id)


class TestTheVerdict:
    def test_lets_the_candidate_take_over_when_it_passes(self, enter, versions, neighbours, ladder):
        Profile.objects.update_or_create(user=make_user("mia"), defaults={"mail_on": ["candidate.passed"]})
        type(make_user("mia")).objects.update(email="mia@example.org")
        made = play_out(enter(), current=(WON, WON), now=START)
        assert made.status == CandidacyStatus.PASSED
        assert made.reason.startswith("Alder v2 passed against v1: LLR ")
        entry = LadderEntry.objects.get(bot=made.bot)
        assert (entry.version, entry.matches) == (versions[1], 0)
        assert not Match.objects.filter(status__in=["queued", "running"]).exists()
        assert list(AuditEntry.objects.order_by("pk").values_list("verb", flat=True))[-2:] == [
            "judge trial", "change version"]
        told = Delivery.objects.get()
        assert told.kind == "candidate.passed"
        assert (told.payload["trial"], told.payload["version"], told.payload["against"]) == (made.pk, 2, 1)
        assert told.payload["low"] < told.payload["elo"] <= told.payload["high"]

    def test_follows_the_sprt_on_pairs_of_games(self, enter):
        made = play_out(enter(), current=(WON, DRAWN))
        shown = summary(made)
        pairs = shown.course.pentanomial[3]
        assert shown.course.pentanomial == [0, 0, 0, pairs, 0]
        assert shown.verdict == judge([0, 0, 0, pairs, 0], Bounds(0, 100))
        assert judge([0, 0, 0, pairs - 1, 0], Bounds(0, 100)).state == "running"
        assert f"LLR {shown.verdict.llr:.2f} reached 2.94 after {pairs} pairs of games." in made.reason
        assert (shown.won, shown.drawn, shown.lost) == (pairs, 0, 0)

    def test_keeps_the_current_version_when_the_candidate_fails(self, enter, versions):
        made = play_out(enter(), current=(LOST, LOST))
        assert made.status == CandidacyStatus.FAILED
        assert "Alder v2 failed against v1: LLR -" in made.reason
        assert "fell to -2.94" in made.reason
        assert LadderEntry.objects.get().version == versions[0]

    def test_is_inconclusive_when_the_pairs_decide_nothing(self, enter, versions):
        made = play_out(enter(most_pairs=12), current=(WON, LOST))
        assert made.status == CandidacyStatus.INCONCLUSIVE
        assert "12 pairs of games" in made.reason
        assert "v1 keeps playing." in made.reason
        assert LadderEntry.objects.get().version == versions[0]

    def test_fails_a_candidate_that_beats_its_predecessor_but_loses_to_neighbours(self, enter, versions, neighbours):
        made = play_out(enter(elo1=40), current=(WON, WON), neighbour=(LOST, LOST))
        assert made.status == CandidacyStatus.FAILED
        assert "Alder v2 beat v1 (LLR " in made.reason
        assert "but scored 0 of " in made.reason
        assert LadderEntry.objects.get(bot=made.bot).version == versions[0]

    def test_counts_identical_pairs_of_deterministic_bots_once(self, enter):
        made = enter()
        for _ in range(3):
            pair_trials(START)
            for match in queued(made):
                Match.objects.filter(pk=match.pk).update(opening=[])
                match.opening = []
                play(match, (WON, WON), seed=1)
        judge_trials(START)
        made.refresh_from_db()
        shown = summary(made)
        # A match's two games have two seeds, one for each first player.
        assert sum(shown.course.pentanomial) == 2
        assert (shown.course.pairs, shown.course.repeats) == (6, 4)


class TestTheOrderOfArrival:
    def results(self, candidacy, order):
        """End four open matches in this order and return the number judged after each."""
        judged = []
        waiting = queued(candidacy)
        scores = [(WON, WON), (LOST, DRAWN), (DRAWN, DRAWN), (WON, DRAWN)]
        for place in order:
            play(waiting[place], scores[place], seed=place)
            judge_trials(START)
            candidacy.refresh_from_db()
            judged.append(candidacy.judged)
        return judged

    @pytest.mark.parametrize("order", list(permutations(range(4)))[::5])
    @pytest.mark.usefixtures("places")
    def test_changes_nothing(self, enter, order):
        made = enter()
        pair_trials(START)
        judged = self.results(made, order)
        done: set[int] = set()
        for place, so_far in zip(order, judged, strict=True):
            done.add(place)
            assert so_far == next(number for number in range(5) if number not in done), "judged only without gaps"
        assert [facts[0] for facts in made.course] == [4, 1, 2, 3]
        course = made.course
        Candidacy.objects.update(judged=0, course=[])
        judge_trials(START)
        assert Candidacy.objects.get().course == course, "rejudging gives the same"


class TestEndingATrial:
    @pytest.fixture
    def trial(self, enter, neighbours):
        made = enter()
        pair_trials(START)
        return made

    def ended(self, trial, status, reason):
        assert judge_trials(START) == 1
        assert ending(trial) == (status, reason)
        assert not Match.objects.filter(candidacy=trial, status__in=["queued", "running"]).exists()
        assert judge_trials(START) == 0

    def test_happens_when_the_candidate_is_suspended(self, trial, versions, mia):
        rest(version=versions[1], actor=mia, now=START)
        self.ended(trial, "withdrawn", "Alder v2 was suspended.")

    def test_happens_when_the_current_version_is_withdrawn(self, trial, versions, mia):
        withdraw(version=versions[0], actor=mia, now=START)
        self.ended(trial, "withdrawn", "Alder v1 was withdrawn.")

    def test_happens_when_the_bot_leaves_the_ladder(self, trial, ladder, mia):
        leave(actor=mia, ladder=ladder, bot=trial.bot, now=START)
        self.ended(trial, "withdrawn", f"Alder left {ladder.name}.")

    def test_happens_when_the_ladder_closes(self, trial, ladder):
        set_open(ladder=ladder, is_open=False, actor=make_user("staff", staff=True), now=START)
        self.ended(trial, "withdrawn", f"{ladder.name} was closed.")

    @pytest.mark.parametrize("who", ["bot", "user"])
    def test_happens_when_the_bot_is_banned(self, trial, mia, who):
        ban(actor=make_user("staff", staff=True), reason="x", now=START, **{who: trial.bot if who == "bot" else mia})
        self.ended(trial, "withdrawn", "Alder or its owner was banned.")

    def test_happens_when_another_version_takes_over(self, trial, ladder, mia):
        join(actor=mia, ladder=ladder, version=make_version("Alder"), now=START)
        self.ended(trial, "superseded", "Alder v3 took the place of Alder v1.")

    def test_happens_when_the_candidate_takes_over_early(self, trial, ladder, mia, versions):
        join(actor=mia, ladder=ladder, version=versions[1], now=START)
        self.ended(trial, "superseded", "Alder v2 took over without waiting for the verdict.")

    def test_keeps_all_games(self, trial, ladder, mia):
        for match in queued(trial):
            play(match, (WON, LOST))
        leave(actor=mia, ladder=ladder, bot=trial.bot, now=START)
        judge_trials(START)
        assert Game.objects.count() == 4
