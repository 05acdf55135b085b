"""URLs of the API."""

from django.urls import include, path, re_path
from rest_framework.routers import DefaultRouter

from tournaments.api.accounts.bans import BanViewSet
from tournaments.api.accounts.me import MeView
from tournaments.api.accounts.teams import TeamViewSet
from tournaments.api.accounts.tokens import TokenViewSet
from tournaments.api.bots.bots import BotViewSet
from tournaments.api.bots.submissions import SubmissionViewSet
from tournaments.api.bots.versions import VersionViewSet
from tournaments.api.casual.games import CasualGameViewSet
from tournaments.api.casual.questions import QuestionViewSet
from tournaments.api.events.bundles import BundleView, TrfView
from tournaments.api.events.events import EventViewSet
from tournaments.api.events.series import SeriesViewSet
from tournaments.api.ladders.all_round import AllRoundView
from tournaments.api.ladders.candidacies import CandidacyViewSet
from tournaments.api.ladders.challenges import ChallengeViewSet
from tournaments.api.ladders.ladders import LadderViewSet
from tournaments.api.ladders.openings import OpeningsView
from tournaments.api.ladders.results import LadderResultsView
from tournaments.api.ladders.rulesets import RulesetViewSet
from tournaments.api.matches.games import GameViewSet
from tournaments.api.matches.matches import MatchViewSet
from tournaments.api.matches.rounds import RoundViewSet
from tournaments.api.notices.follows import FollowViewSet
from tournaments.api.notices.webhooks import DeliveryViewSet, WebhookViewSet
from tournaments.api.operations.audit import AuditViewSet
from tournaments.api.operations.downloads import DownloadsView
from tournaments.api.operations.search import SearchView
from tournaments.api.operations.tools import ToolsView
from tournaments.api.operations.workers import WorkerViewSet
from tournaments.api.plumbing.schema_view import SchemaView
from tournaments.web.errors import NotFoundView
from tournaments.web.problems import ProblemViewSet

router = DefaultRouter()
router.register("rulesets", RulesetViewSet, basename="ruleset")
router.register("bots", BotViewSet)
router.register("versions", VersionViewSet)
router.register("submissions", SubmissionViewSet)
router.register("tokens", TokenViewSet)
router.register("teams", TeamViewSet)
router.register("ladders", LadderViewSet)
router.register("candidacies", CandidacyViewSet)
router.register("challenges", ChallengeViewSet)
router.register("events", EventViewSet)
router.register("matches", MatchViewSet)
router.register("games", GameViewSet)
router.register("questions", QuestionViewSet)
router.register("casual-games", CasualGameViewSet, basename="casual-game")
router.register("rounds", RoundViewSet)
router.register("series", SeriesViewSet)
router.register("workers", WorkerViewSet)
router.register("webhooks", WebhookViewSet)
router.register("deliveries", DeliveryViewSet)
router.register("follows", FollowViewSet)
router.register("bans", BanViewSet)
router.register("audit", AuditViewSet)
router.register("problems", ProblemViewSet, basename="problem")

urlpatterns = [
    path("schema/", SchemaView.as_view(), name="schema"),
    path("me/", MeView.as_view(), name="me"),
    path("all-round/", AllRoundView.as_view(), name="all-round"),
    path("openings/<slug:ruleset>/<int:size>/", OpeningsView.as_view(), name="openings"),
    path("search/", SearchView.as_view(), name="search"),
    path("downloads/", DownloadsView.as_view(), name="downloads"),
    path("tools/", ToolsView.as_view(), name="tools"),
    path("ladders/<slug:slug>/results/", LadderResultsView.as_view(), name="ladder-results"),
    path("events/<slug:slug>/trf/", TrfView.as_view(), name="event-trf"),
    path("events/<slug:slug>/bundle/", BundleView.as_view(), name="event-bundle"),
    path("", include(router.urls)),
    # Any characters, because a path with a line break must get this answer, too.
    re_path(r"[\s\S]*/$", NotFoundView.as_view()),
]
