"""A real worker analyses a game in slices: `searcher` judges it, and a bot that crashes spoils only its verdicts."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from ratings.models import ReportedChances
from tests.factories import make_event, make_user, play_match
from tests.tournaments.conftest import RANDOM_BOT
from tests.tournaments.site import ROOT, Site
from tournaments.models import Analysis, Bot, Match
from tournaments.selectors.casual.analyses import Judged
from tournaments.services.casual.analyses import set_judging

pytestmark = [pytest.mark.workers, pytest.mark.serial, pytest.mark.slow, pytest.mark.needs_servers]
SEARCHER = (ROOT / "engines/bots/searcher/main.py").read_text()
CRASHER = RANDOM_BOT.format(seed=1).replace("return position", "sys.exit(1); return position")


class TestAnAnalysis:
    def test_is_made_by_real_workers(self, site: Site, enter, staff):
        searcher, crasher, quiet = (enter("searcher", staff, SEARCHER), enter("Crasher", staff, CRASHER),
                                    enter("Quiet", staff))
        event = make_event([quiet, crasher], ruleset="squ", size=4)
        game = play_match(Match.objects.get(event=event)).games.get(number=1)
        set_judging(bot=Bot.objects.get(name="Quiet"), judges=False, actor=staff, now=timezone.now())
        # As if it had reported chances in rated games, so that it comes first.
        ReportedChances.objects.create(ladder=event.ladder, version=searcher, bin=5, turns=1, games=1, squares=1,
                                       chance=5000, halves=1)
        client = Client()
        client.force_login(make_user("pia"))
        site.environment |= {"SQUAREFIELD_ANALYSIS_SLICE_SECONDS": "0.5"}
        assert client.post(f"/api/games/{game.pk}/analysis/").status_code == 202
        Analysis.objects.update(seconds=0.1)
        site.start("coordinator")
        site.start("worker", "--concurrency", "1")
        site.wait_for(lambda: Analysis.objects.filter(status="done").exists())

        made = Analysis.objects.get()
        assert (made.judge, made.other, made.judged, made.voids) == (searcher, crasher, game.plies, 0)
        # It was interrupted and continued.
        assert made.attempt > 1
        judged = Judged(made)
        assert judged.main == 0
        verdicts = judged.verdicts_of(0)
        chances = [verdict.win for verdict in verdicts]
        assert sum(chance is not None for chance in chances) > game.plies / 2, verdicts
        assert {verdict.reason for verdict in judged.verdicts_of(1)} == {"crash", "gave up"}
        page = client.get(reverse("game-analysis", args=[game.pk])).content.decode()
        assert "Judged by searcher v1 and Crasher v1, 0.1 s per position each." in page
        assert f"All {game.plies} positions were judged." in page
        assert '<svg class="plot"' in page
