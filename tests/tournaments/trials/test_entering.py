"""Entering and withdrawing trials, and automatic trials of new versions."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import IntegrityError, transaction

from tests.factories import START, make_user, make_version
from tests.tournaments.trials.play import queued
from tournaments.models import Attempt, AuditEntry, Ban, Candidacy, Ladder, LadderEntry, Match, Version
from tournaments.models.lifecycle import CandidacyStatus
from tournaments.selectors.shared.permissions import Forbidden
from tournaments.services.bots.versions import rest
from tournaments.services.ladders import trials
from tournaments.services.ladders.ladder_play import LadderPlayRefused, join, leave, take_over
from tournaments.services.ladders.ladders import create_ladder
from tournaments.services.ladders.trial_pairing import pair_trials
from tournaments.services.ladders.trials import TrialRefused
from tournaments.services.matches.matches import claim

pytestmark = pytest.mark.django_db


def playing():
    return LadderEntry.objects.get(bot__name="Alder").version


class TestEntering:
    def test_starts_a_trial_against_the_playing_version(self, enter, versions, mia):
        made = enter(elo0=-5, elo1=15, alpha=0.02, beta=0.1, most_pairs=1000)
        assert (made.current, made.candidate, made.status, made.created_by) == (*versions, "running", mia)
        assert (made.elo0, made.elo1, made.alpha, made.beta, made.most_pairs) == (-5, 15, 0.02, 0.1, 1000)
        assert AuditEntry.objects.get().verb == "try"
        assert playing() == versions[0]
        trials.withdraw(actor=mia, candidacy=made, now=START)
        usual = trials.enter(actor=mia, ladder=made.ladder, version=versions[1], seed=1, now=START)
        assert (usual.elo0, usual.elo1, usual.alpha, usual.beta, usual.most_pairs) == (0, 40, 0.05, 0.05, 500)

    def test_is_refused_with_a_reason(self, enter, mia, ladder, versions):
        closed, other = Ladder.objects.get(pk=ladder.pk), make_version("Alder", rulesets=["squ"])
        closed.is_open = False

        def again(place):
            return Version.objects.get(pk=versions[place].pk)

        failed = []
        for before, change, refusal, sentence in (
            (None, {"elo0": 5, "elo1": 5}, TrialRefused, "Elo0 must be below elo1, but 5 is not below 5."),
            (None, {"elo1": 101}, TrialRefused, "101 normalized Elo cannot be tested: use -100 to 100."),
            (None, {"elo1": float("nan")}, TrialRefused, "Nan normalized Elo cannot be tested"),
            (None, {"alpha": 0.5}, TrialRefused,
             "Alpha is a risk: it must be at least 0.000001 and less than 0.5, not 0.5."),
            (None, {"beta": 0}, TrialRefused, "Beta is a risk"),
            (None, {"most_pairs": 9}, TrialRefused, "The maximum number of pairs must be 10 to 5,000, not 9."),
            (None, {"most_pairs": 5001}, TrialRefused, "not 5,001"),
            (None, {"actor": make_user("otto")}, Forbidden, "Alder is not your bot"),
            (None, {"actor": AnonymousUser()}, Forbidden, ""),
            (lambda: Ban.objects.create(user=mia, reason="spam", created_by=mia, created_at=START), {}, Forbidden,
             "You are banned: spam"),
            (lambda: leave(actor=mia, ladder=ladder, bot=versions[0].bot, now=START), {}, TrialRefused,
             "Alder is not on Square Grid Hex"),
            (None, {"version": versions[0]}, TrialRefused, "Alder v1 already plays on Square Grid Hex"),
            (lambda: rest(version=again(0), actor=mia, now=START), {}, TrialRefused,
             "is suspended: bring it back, or let Ald"),
            (lambda: rest(version=again(1), actor=mia, now=START), {}, LadderPlayRefused, "Alder v2 is suspended"),
            (None, {"version": other}, LadderPlayRefused, "Alder v3 does not play square-grid-hex"),
            (None, {"ladder": closed}, TrialRefused, "is closed: trials can start when it is open again"),
        ):
            with transaction.atomic():
                if before:
                    before()
                with pytest.raises(refusal) as refused:
                    enter(**change)
                if sentence not in str(refused.value) or Candidacy.objects.exists():
                    failed.append((sentence, str(refused.value)))
                transaction.set_rollback(True)
        assert failed == []

    def test_is_refused_next_to_too_many_running_trials(self, enter, settings, mia, versions):
        settings.OPEN_TRIALS = 1
        enter()
        with pytest.raises(TrialRefused, match=r"Alder v2 is already on trial on .*: wait for the verdict, or with"):
            enter(version=make_version("Alder"))
        other = create_ladder(ruleset="square-grid-hex", size=6, base_seconds=5)
        join(actor=mia, ladder=other, version=versions[0], now=START)
        with pytest.raises(TrialRefused, match="mia's bots have 1 running trial, the most allowed"):
            enter(ladder=other)
        assert enter(ladder=other, actor=make_user("staff", staff=True)).pk


class TestWithdrawing:
    def test_ends_the_trial_and_cancels_open_matches(self, enter, mia, versions):
        made = enter()
        pair_trials(START)
        running, *_ = queued(made)
        claim(match_id=running.pk, worker="w", tier="standard", now=START)
        with pytest.raises(Forbidden):
            trials.withdraw(actor=make_user("otto"), candidacy=made, now=START)
        trials.withdraw(actor=mia, candidacy=made, now=START + timedelta(hours=1))
        made.refresh_from_db()
        assert (made.status, made.ended_at) == (CandidacyStatus.WITHDRAWN, START + timedelta(hours=1))
        assert made.reason == "mia withdrew Alder v2 before the verdict."
        assert set(Match.objects.values_list("status", flat=True)) == {"cancelled"}
        assert Attempt.objects.get().reason == "the trial is over"
        assert playing() == versions[0]
        assert pair_trials(START) == 0
        with pytest.raises(TrialRefused, match=r"This trial is over \(withdrawn\)"):
            trials.withdraw(actor=mia, candidacy=made, now=START)
        assert enter().pk, "it may be re-entered"


class TestANewVersion:
    @pytest.fixture
    def waits(self, ladder, mia, versions):
        trials.choose(actor=mia, ladder=ladder, bot=versions[0].bot, on_trial=True, now=START)

    def accept(self, name="Alder", **facts):
        """Accept a new version, as the check of an upload does."""
        version = make_version(name, **facts)
        return version, take_over(version, START), trials.begin(version, START)

    def test_is_put_on_trial_where_chosen(self, waits, versions):
        version, taken, begun = self.accept()
        assert (taken, begun) == (0, 1)
        made = Candidacy.objects.get()
        assert (made.candidate, made.current, made.created_by, made.elo1) == (version, versions[0], None, 40)
        assert playing() == versions[0]

    def test_replaces_an_older_candidate_on_the_same_terms(self, waits, enter):
        older = enter(most_pairs=50)
        version, _, _ = self.accept()
        older.refresh_from_db()
        assert (older.status, older.reason) == ("superseded", "Alder v3 was uploaded and is tried instead.")
        newer = Candidacy.objects.get(status="running")
        assert (newer.candidate, newer.elo1, newer.most_pairs) == (version, 100, 50)

    def test_takes_over_at_once_from_a_suspended_version_if_it_plays_the_ruleset(self, waits, mia, versions):
        assert self.accept(rulesets=["squ"])[1:] == (0, 0)
        rest(version=versions[0], actor=mia, now=START)
        assert self.accept()[1:] == (1, 0)

    def test_is_put_on_trial_only_by_its_owner_where_it_plays(self, ladder, mia, versions):
        bot = versions[0].bot
        with pytest.raises(Forbidden):
            trials.choose(actor=make_user("otto"), ladder=ladder, bot=bot, on_trial=True, now=START)
        leave(actor=mia, ladder=ladder, bot=bot, now=START)
        with pytest.raises(LadderPlayRefused, match="Alder is not on"):
            trials.choose(actor=mia, ladder=ladder, bot=bot, on_trial=True, now=START)


@pytest.mark.database
class TestTheDatabase:
    def refuses(self, rows, **facts):
        with pytest.raises(IntegrityError), transaction.atomic():
            rows.update(**facts)

    def refuses_a_copy(self, row):
        row.pk = None
        with pytest.raises(IntegrityError), transaction.atomic():
            row.save(force_insert=True)

    def test_refuses_an_inconsistent_or_second_running_trial(self, enter, versions):
        made = enter()
        for facts in ({"current": versions[1]}, {"elo1": made.elo0}, {"most_pairs": 0}, {"status": "done"},
                      {"status": "passed"}, {"reason": "x"}):
            self.refuses(Candidacy.objects.filter(pk=made.pk), **facts)
        self.refuses_a_copy(made)

    def test_refuses_a_rated_trial_match_or_one_without_a_trial_or_with_anothers_number(self, enter):
        enter()
        pair_trials(START)
        match = Match.objects.first()
        for facts in ({"rated": True}, {"candidacy": None}, {"number": None}, {"kind": "ladder"}):
            self.refuses(Match.objects.filter(pk=match.pk), **facts)
        self.refuses_a_copy(match)
