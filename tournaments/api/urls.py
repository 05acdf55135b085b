"""Addresses of the API."""

from django.urls import include, path, re_path
from rest_framework.routers import DefaultRouter

from tournaments.api.audit import AuditViewSet
from tournaments.api.bans import BanViewSet
from tournaments.api.bots import BotViewSet
from tournaments.api.bundles import BundleView
from tournaments.api.candidacies import CandidacyViewSet
from tournaments.api.casual import CasualGameViewSet
from tournaments.api.challenges import ChallengeViewSet
from tournaments.api.errors import NowhereView
from tournaments.api.events import EventViewSet
from tournaments.api.games import GameViewSet
from tournaments.api.ladders import LadderViewSet
from tournaments.api.matches import MatchViewSet
from tournaments.api.me import MeView
from tournaments.api.problems import ProblemViewSet
from tournaments.api.questions import QuestionViewSet
from tournaments.api.rounds import RoundViewSet
from tournaments.api.rulesets import RulesetViewSet
from tournaments.api.schema_view import SchemaView
from tournaments.api.series import SeriesViewSet
from tournaments.api.submissions import SubmissionViewSet
from tournaments.api.teams import TeamViewSet
from tournaments.api.tokens import TokenViewSet
from tournaments.api.tools import ToolsView
from tournaments.api.versions import VersionViewSet
from tournaments.api.webhooks import DeliveryViewSet, WebhookViewSet
from tournaments.api.workers import WorkerViewSet

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
router.register("bans", BanViewSet)
router.register("audit", AuditViewSet)
router.register("problems", ProblemViewSet, basename="problem")

urlpatterns = [
    path("schema/", SchemaView.as_view(), name="schema"),
    path("me/", MeView.as_view(), name="me"),
    path("tools/", ToolsView.as_view(), name="tools"),
    path("events/<slug:slug>/bundle/", BundleView.as_view(), name="event-bundle"),
    path("", include(router.urls)),
    # Of any characters: with a line break an address is nowhere, too.
    re_path(r"[\s\S]*/$", NowhereView.as_view()),
]
