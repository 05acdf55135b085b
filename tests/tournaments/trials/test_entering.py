"""Entering and withdrawing trials, and automatic trials of new versions."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import IntegrityError, transaction

from tests.factories import START, make_user, make_version
from tests.tournaments.trials.play import queued
from tournaments.models import Attempt, AuditEntry, Ban, Candidacy, LadderEntry, Match
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


class TestEntering:
    def test_starts_a_trial_against_the_playing_version(self, enter, versions, mia):
        made = enter(elo0=-5, elo1=15, alpha=0.02, beta=0.1, most_pairs=1000)
        assert (made.current, made.candidate, made.status, made.created_by) == (*versions, "running", mia)
        assert (made.elo0, made.elo1, made.alpha, made.beta, made.most_pairs) == (-5, 15, 0.02, 0.1, 1000)
        assert AuditEntry.objects.first().verb == "try"

    def test_leaves_the_current_version_on_the_ladder(self, enter, versions):
        enter()
        assert LadderEntry.objects.get().version == versions[0]

    def test_has_default_bounds_and_a_limit_of_pairs(self, mia, ladder, versions):
        made = trials.enter(actor=mia, ladder=ladder, version=versions[1], seed=1, now=START)
        assert (made.elo0, made.elo1, made.alpha, made.beta, made.most_pairs) == (0, 30, 0.05, 0.05, 400)

    def test_is_open_to_staff(self, enter):
        assert enter(actor=make_user("staff", staff=True)).pk

    @pytest.mark.parametrize(("change", "sentence"), [
        ({"elo0": 5, "elo1": 5}, "Elo0 must be below elo1, but 5 is not below 5."),
        ({"elo1": 101}, "101 normalized Elo cannot be tested: use -100 to 100."),
        ({"elo1": float("nan")}, "Nan normalized Elo cannot be tested"),
        ({"alpha": 0.5}, "Alpha is a risk: it must be at least 0.000001 and less than 0.5, not 0.5."),
        ({"beta": 0}, "Beta is a risk"),
        ({"most_pairs": 9}, "The maximum number of pairs must be 10 to 5,000, not 9."),
        ({"most_pairs": 5001}, "not 5,001"),
    ])
    def test_is_refused_with_invalid_test_parameters(self, enter, change, sentence):
        with pytest.raises(TrialRefused) as refused:
            enter(**change)
        assert sentence in str(refused.value)
        assert not Candidacy.objects.exists()

    def test_is_refused_for_another_users_bot(self, enter):
        with pytest.raises(Forbidden, match="Alder is not your bot"):
            enter(actor=make_user("otto"))
        with pytest.raises(Forbidden):
            enter(actor=AnonymousUser())

    def test_is_refused_to_banned_users(self, enter, mia):
        Ban.objects.create(user=mia, reason="spam", created_by=mia, created_at=START)
        with pytest.raises(Forbidden, match="You are banned: spam"):
            enter()

    def test_is_refused_where_the_bot_does_not_play(self, enter, mia, ladder, versions):
        leave(actor=mia, ladder=ladder, bot=versions[0].bot, now=START)
        with pytest.raises(TrialRefused, match=r"Alder is not on Square Grid Hex .*: let the bot join"):
            enter()

    def test_is_refused_for_the_playing_version(self, enter, versions):
        with pytest.raises(TrialRefused, match="Alder v1 already plays on Square Grid Hex"):
            enter(version=versions[0])

    def test_is_refused_against_a_suspended_version(self, enter, mia, versions):
        rest(version=versions[0], actor=mia, now=START)
        with pytest.raises(TrialRefused, match=r"Alder v1, which plays on .*, is suspended: bring it back, or let Ald"):
            enter()

    def test_is_refused_for_an_inactive_version(self, enter, mia, versions):
        rest(version=versions[1], actor=mia, now=START)
        with pytest.raises(LadderPlayRefused, match="Alder v2 is suspended"):
            enter()

    def test_is_refused_in_an_unsupported_ruleset(self, enter):
        with pytest.raises(LadderPlayRefused, match="Alder v3 does not play square-grid-hex"):
            enter(version=make_version("Alder", rulesets=["squ"]))

    def test_is_refused_on_a_closed_ladder(self, enter, ladder):
        ladder.is_open = False
        with pytest.raises(TrialRefused, match="is closed: trials can start when it is open again"):
            enter()

    def test_is_refused_while_another_trial_runs_there(self, enter):
        enter()
        with pytest.raises(TrialRefused, match=r"Alder v2 is already on trial on .*: wait for the verdict, or with"):
            enter(version=make_version("Alder"))

    def test_is_refused_over_the_limit_of_running_trials(self, enter, settings, mia, versions):
        settings.OPEN_TRIALS = 1
        enter()
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
        trials.withdraw(actor=mia, candidacy=made, now=START + timedelta(hours=1))
        made.refresh_from_db()
        assert (made.status, made.ended_at) == (CandidacyStatus.WITHDRAWN, START + timedelta(hours=1))
        assert made.reason == "mia withdrew Alder v2 before the verdict."
        assert set(Match.objects.values_list("status", flat=True)) == {"cancelled"}
        assert Attempt.objects.get().reason == "the trial is over"
        assert LadderEntry.objects.get().version == versions[0]
        assert pair_trials(START) == 0
        assert enter().pk, "it may be re-entered"

    def test_is_for_the_bots_owner_and_team(self, enter):
        with pytest.raises(Forbidden):
            trials.withdraw(actor=make_user("otto"), candidacy=enter(), now=START)

    def test_is_refused_once_it_is_over(self, enter, mia):
        made = enter()
        trials.withdraw(actor=mia, candidacy=made, now=START)
        with pytest.raises(TrialRefused, match=r"This trial is over \(withdrawn\)"):
            trials.withdraw(actor=mia, candidacy=made, now=START)


class TestANewVersion:
    @pytest.fixture
    def waits(self, ladder, mia, versions):
        trials.choose(actor=mia, ladder=ladder, bot=versions[0].bot, on_trial=True, now=START)

    def accept(self, name="Alder", **facts):
        """Accept a new version, as the check of an upload does."""
        version = make_version(name, **facts)
        return version, take_over(version, START), trials.begin(version, START)

    def test_takes_over_at_once_by_default(self, ladder, versions):
        version, taken, begun = self.accept()
        assert (taken, begun) == (1, 0)
        assert LadderEntry.objects.get().version == version

    @pytest.mark.usefixtures("waits")
    def test_is_put_on_trial_where_chosen(self, versions):
        version, taken, begun = self.accept()
        assert (taken, begun) == (0, 1)
        made = Candidacy.objects.get()
        assert (made.candidate, made.current, made.created_by, made.elo1) == (version, versions[0], None, 30)
        assert LadderEntry.objects.get().version == versions[0]

    @pytest.mark.usefixtures("waits")
    def test_replaces_an_older_candidate_on_the_same_terms(self, enter):
        older = enter(most_pairs=50)
        version, _, _ = self.accept()
        older.refresh_from_db()
        assert (older.status, older.reason) == ("superseded", "Alder v3 was uploaded and is tried instead.")
        newer = Candidacy.objects.get(status="running")
        assert (newer.candidate, newer.elo1, newer.most_pairs) == (version, 100, 50)

    @pytest.mark.usefixtures("waits")
    def test_takes_over_at_once_from_a_suspended_version(self, mia, versions):
        rest(version=versions[0], actor=mia, now=START)
        _, taken, begun = self.accept()
        assert (taken, begun) == (1, 0)

    @pytest.mark.usefixtures("waits")
    def test_is_not_put_on_trial_in_an_unsupported_ruleset(self):
        assert self.accept(rulesets=["squ"])[1:] == (0, 0)

    def test_is_put_on_trial_when_its_check_is_over(self, hex_ladder, author, upload, now):
        one = upload("Otter")
        join(actor=author, ladder=hex_ladder, version=one, now=now)
        trials.choose(actor=author, ladder=hex_ladder, bot=one.bot, on_trial=True, now=now)
        two = upload("Otter", command='["python3", "main.py"]')
        assert Candidacy.objects.get().candidate == two
        assert LadderEntry.objects.get().version == one

    def test_is_put_on_trial_only_by_its_owner_where_it_plays(self, ladder, mia, versions):
        bot = versions[0].bot
        with pytest.raises(Forbidden):
            trials.choose(actor=make_user("otto"), ladder=ladder, bot=bot, on_trial=True, now=START)
        leave(actor=mia, ladder=ladder, bot=bot, now=START)
        with pytest.raises(LadderPlayRefused, match="Alder is not on"):
            trials.choose(actor=mia, ladder=ladder, bot=bot, on_trial=True, now=START)


class TestTheDatabase:
    def refuses(self, made, **facts):
        with pytest.raises(IntegrityError), transaction.atomic():
            Candidacy.objects.filter(pk=made.pk).update(**facts)

    def test_refuses_an_inconsistent_trial(self, enter, versions):
        made = enter()
        self.refuses(made, current=versions[1])
        self.refuses(made, elo1=made.elo0)
        self.refuses(made, most_pairs=0)
        self.refuses(made, status="done")
        self.refuses(made, status="passed")
        self.refuses(made, reason="x")

    def test_refuses_two_running_trials_of_a_bot_on_a_ladder(self, enter):
        made = enter()
        made.pk = None
        with pytest.raises(IntegrityError), transaction.atomic():
            made.save(force_insert=True)

    def test_refuses_a_rated_trial_match_or_one_without_a_trial(self, enter):
        enter()
        pair_trials(START)
        match = Match.objects.first()
        for facts in ({"rated": True}, {"candidacy": None}, {"number": None}, {"kind": "ladder"}):
            with pytest.raises(IntegrityError), transaction.atomic():
                Match.objects.filter(pk=match.pk).update(**facts)

    def test_refuses_a_second_match_with_the_same_number(self, enter):
        enter()
        pair_trials(START)
        match = Match.objects.first()
        match.pk = None
        with pytest.raises(IntegrityError), transaction.atomic():
            match.save(force_insert=True)
