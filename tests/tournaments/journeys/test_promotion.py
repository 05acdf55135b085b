"""A trial of a version against its predecessor, by real workers, until it takes over."""

import pytest
from django.utils import timezone

from engines.bots import REFERENCE_BOTS
from tests.tournaments.conftest import RANDOM_BOT
from tournaments.models import Candidacy, LadderEntry, Match
from tournaments.models.lifecycle import CandidacyStatus, MatchKind, MatchStatus
from tournaments.selectors.ladders.candidacies import summary
from tournaments.services.ladders import trials
from tournaments.services.ladders.ladder_play import join
from tournaments.services.ladders.ladders import create_ladder

pytestmark = [pytest.mark.workers, pytest.mark.serial, pytest.mark.slow, pytest.mark.needs_servers]


class TestPromotion:
    def test_follows_when_a_greedy_candidate_beats_a_random_version(self, site, enter, staff):
        now = timezone.now()
        ladder = create_ladder(ruleset="square-grid-hex", size=5, base_seconds=60.0)
        current, neighbour = enter("Otter", staff), enter("Beaver", staff)
        for version in (current, neighbour):
            join(actor=staff, ladder=ladder, version=version, now=now)
        trials.choose(actor=staff, ladder=ladder, bot=current.bot, on_trial=True, now=now)
        greedy = enter("Otter", staff, (REFERENCE_BOTS["greedy"] / "main.py").read_text(encoding="utf-8"))
        by_itself = Candidacy.objects.get()
        assert (by_itself.candidate, by_itself.current) == (greedy, current)
        # Repeat the trial with bounds that need fewer games.
        trials.withdraw(actor=staff, candidacy=by_itself, now=now)
        trial = trials.enter(actor=staff, ladder=ladder, version=greedy, elo1=100, seed=11, now=now)

        site.start("coordinator")
        site.start("worker", "--concurrency", "2")
        site.wait_for(lambda: Candidacy.objects.exclude(status=CandidacyStatus.RUNNING).filter(pk=trial.pk).exists())

        trial.refresh_from_db()
        assert trial.status == CandidacyStatus.PASSED, trial.reason
        assert LadderEntry.objects.get(bot=current.bot).version == greedy
        shown = summary(trial)
        assert shown.verdict.state == "passed"
        assert shown.verdict.low > 0
        judged = Match.objects.filter(candidacy=trial, number__lte=trial.judged)
        assert set(judged.values_list("status", flat=True)) == {MatchStatus.FINISHED}
        assert judged.filter(first__bot=neighbour.bot).exists() or judged.filter(second__bot=neighbour.bot).exists()
        meanwhile = Match.objects.filter(kind=MatchKind.LADDER, status=MatchStatus.FINISHED,
                                         ended_at__lte=trial.ended_at)
        assert meanwhile.filter(first=current).exists() or meanwhile.filter(second=current).exists()

    def test_follows_for_the_best_of_three_candidates(self, site, enter, staff):
        now = timezone.now()
        ladder = create_ladder(ruleset="square-grid-hex", size=5, base_seconds=60.0)
        current = enter("Otter", staff)
        greedy = enter("Otter", staff, (REFERENCE_BOTS["greedy"] / "main.py").read_text(encoding="utf-8"))
        others = [enter("Otter", staff, RANDOM_BOT.format(seed=seed)) for seed in (101, 102)]
        # Not before, because a new version would take over at once.
        join(actor=staff, ladder=ladder, version=current, now=now)
        trial = trials.enter(actor=staff, ladder=ladder, version=others[0], others=[greedy, others[1]], elo1=100,
                             seed=11, now=now)

        site.start("coordinator")
        site.start("worker", "--concurrency", "2")
        site.wait_for(lambda: Candidacy.objects.exclude(status=CandidacyStatus.RUNNING).filter(pk=trial.pk).exists())

        trial.refresh_from_db()
        assert (trial.status, trial.candidate) == (CandidacyStatus.PASSED, greedy), trial.reason
        assert LadderEntry.objects.get(bot=current.bot).version == greedy
        ended = dict(trial.contenders.values_list("version", "status"))
        assert ended == {greedy.pk: "chosen", **{other.pk: "out" for other in others}}
