"""Playing and judging trials without workers: the tests set the results of the matches."""

import re
from datetime import timedelta
from itertools import permutations

import pytest
from django.db import transaction

from ratings.sprt import Bounds, judge
from tests.factories import START, make_user, make_version, spoil_match
from tests.tournaments.trials.play import DRAWN, LOST, WON, play, play_out, queued
from tournaments.models import AuditEntry, Candidacy, Delivery, Game, Ladder, LadderEntry, Match, Profile, Version
from tournaments.models.lifecycle import MatchStatus
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


def play_all(candidacy, scores=(WON, LOST), *, times=1):
    """Pair the trial and play all its matches, this many times."""
    for _ in range(times):
        pair_trials(START)
        for match in queued(candidacy):
            play(match, scores)


def facing():
    return Match.objects.order_by("number").select_related("first__bot", "second__bot")


class TestMatches:
    @pytest.mark.slow
    def test_face_the_current_version_twice_per_neighbour_unrated(self, enter, neighbours):
        made = play_out(enter(most_pairs=10), current=(WON, LOST))
        assert made.status == "inconclusive"
        assert re.search(r"10 pairs of games.*v1 keeps playing\.", made.reason)
        assert re.search(r"Of the candidates that are worth 100 normalized Elo, \d+% get no decision", made.reason)
        matches = facing()
        own = [match.first.bot_id == match.second.bot_id for match in matches]
        assert own[:10] == [True, True, False] * 3 + [True]
        assert [match.number for match in matches[:10]] == list(range(1, 11))
        assert {(match.kind, match.rated) for match in matches} == {("trial", False)}
        assert rate_due(START + timedelta(hours=1)) == 0
        # The nearest neighbours in turn.
        met = [match.second if match.first.bot == made.bot else match.first
               for match, alone in zip(matches, own, strict=True) if not alone]
        assert [version.bot.name for version in met[:4]] == [f"Basalt {number}" for number in (5, 4, 6, 3)]

    def test_alternate_seats_and_vary_openings_as_the_seed_says(self, enter, versions, mia):
        made = enter(seed=5)
        pair_trials(START)
        seeds = [match.seed for match in queued(made)]
        trials.withdraw(actor=mia, candidacy=made, now=START)
        made = enter(seed=5)
        pair_trials(START)
        assert [match.seed for match in queued(made)] == seeds
        play_all(made, times=3)
        matches = facing().filter(candidacy=made)[:6]
        assert [match.first_id == versions[1].pk for match in matches] == [True, False] * 3
        assert len({tuple(match.opening) for match in matches}) == 6

    @pytest.mark.usefixtures("places")
    def test_are_limited_in_number_at_a_time(self, enter, settings):
        settings.TRIAL_MATCHES = 3
        made = enter()
        assert [pair_trials(START) for _ in range(2)] == [3, 0]
        assert len(queued(made)) == 3

    def test_are_shared_fairly_between_running_trials(self, enter, mia, ladder):
        join(actor=mia, ladder=ladder, version=make_version("Cinder"), now=START)
        running = enter(), enter(version=make_version("Cinder"))
        for _ in range(2):
            assert pair_trials(START) == 2
            assert [len(queued(each)) for each in running] == [1, 1]
            for match in (*queued(running[0]), *queued(running[1])):
                play(match, (WON, LOST))

    def test_count_towards_the_quota_of_the_candidates_owner(self, enter, neighbours, settings):
        settings.GAMES_PER_DAY = 5
        play_all(enter(), times=3)
        assert Match.objects.count() == 2
        assert pair_trials(START + timedelta(hours=25)) == 2

    def test_are_replaced_when_they_are_void_unless_there_are_too_many(self, enter, settings):
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
        for _ in range(MOST_VOIDS - 1):
            pair_trials(START)
            spoil_match(queued(made)[0], "no disk")
        pair_trials(START)
        made.refresh_from_db()
        assert made.status == "inconclusive"
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
    @pytest.mark.slow
    def test_lets_the_candidate_take_over_when_it_passes(self, enter, versions, neighbours, mia):
        Profile.objects.update_or_create(user=mia, defaults={"mail_on": ["candidate.passed"]})
        type(mia).objects.filter(pk=mia.pk).update(email="mia@example.org")
        made = play_out(enter(), current=(WON, WON), now=START)
        assert made.status == "passed"
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

    @pytest.mark.slow
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
        assert made.status == "failed"
        assert re.search(r"Alder v2 failed against v1: LLR -.* fell to -2\.94", made.reason)
        assert LadderEntry.objects.get(bot=made.bot).version == versions[0]

    @pytest.mark.slow
    def test_fails_a_candidate_that_beats_its_predecessor_but_loses_to_neighbours(self, enter, neighbours):
        made = play_out(enter(elo1=60), current=(WON, WON), neighbour=(LOST, LOST))
        assert made.status == "failed"
        assert re.search(r"Alder v2 beat v1 \(LLR .* but scored 0 of ", made.reason)


@pytest.mark.usefixtures("places")
@pytest.mark.slow
def test_the_order_in_which_matches_end_changes_nothing(enter):
    made, scores = enter(), ((WON, WON), (LOST, DRAWN), (DRAWN, DRAWN), (WON, DRAWN))
    pair_trials(START)
    waiting = queued(made)
    for order in list(permutations(range(4)))[::5]:
        done: set[int] = set()
        with transaction.atomic():
            for place in order:
                play(waiting[place], scores[place], seed=place)
                judge_trials(START)
                made.refresh_from_db()
                done.add(place)
                assert made.judged == next(number for number in range(5) if number not in done), (
                    f"{order}: judged only without gaps")
            assert [facts[0] for facts in made.course] == [4, 1, 2, 3], order
            course = made.course
            Candidacy.objects.update(judged=0, course=[])
            judge_trials(START)
            assert Candidacy.objects.get().course == course, f"{order}: rejudging gives the same"
            transaction.set_rollback(True)


def test_a_trial_ends_when_its_bot_versions_or_ladder_change(enter, neighbours, ladder, mia, versions):
    trial, staff, failed = enter(), make_user("staff", staff=True), []
    play_all(trial)
    pair_trials(START)
    third = make_version("Alder")

    def again(place):
        return Version.objects.get(pk=versions[place].pk)

    for change, status, reason in (
        (lambda: rest(version=again(1), actor=mia, now=START), "withdrawn", "Alder v2 was suspended."),
        (lambda: withdraw(version=again(0), actor=mia, now=START), "withdrawn", "Alder v1 was withdrawn."),
        (lambda: leave(actor=mia, ladder=ladder, bot=trial.bot, now=START), "withdrawn", f"Alder left {ladder.name}."),
        (lambda: set_open(ladder=Ladder.objects.get(pk=ladder.pk), is_open=False, actor=staff, now=START),
         "withdrawn", f"{ladder.name} was closed."),
        (lambda: ban(actor=staff, reason="x", now=START, bot=trial.bot), "withdrawn", "Alder or its owner was banned."),
        (lambda: ban(actor=staff, reason="x", now=START, user=mia), "withdrawn", "Alder or its owner was banned."),
        (lambda: join(actor=mia, ladder=ladder, version=third, now=START), "superseded",
         "Alder v3 took the place of Alder v1."),
        (lambda: join(actor=mia, ladder=ladder, version=again(1), now=START), "superseded",
         "Alder v2 took over without waiting for the verdict."),
    ):
        with transaction.atomic():
            change()
            judged = judge_trials(START)
            trial.refresh_from_db()
            still_open = Match.objects.filter(candidacy=trial, status__in=["queued", "running"]).exists()
            found = judged, trial.status, trial.reason, judge_trials(START), still_open, Game.objects.count()
            if found != (1, status, reason, 0, False, 4):
                failed.append((reason, found))
            transaction.set_rollback(True)
    assert failed == []
