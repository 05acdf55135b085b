"""Addresses of the API."""

from django.urls import include, path, re_path
from drf_spectacular.views import SpectacularAPIView
from rest_framework.routers import DefaultRouter

from tournaments.api.bots import BotViewSet
from tournaments.api.docs import DocsView
from tournaments.api.errors import NowhereView
from tournaments.api.events import EventViewSet
from tournaments.api.games import GameViewSet
from tournaments.api.ladders import LadderViewSet
from tournaments.api.matches import MatchViewSet
from tournaments.api.rulesets import RulesetViewSet
from tournaments.api.submissions import SubmissionViewSet

router = DefaultRouter()
router.register("rulesets", RulesetViewSet, basename="ruleset")
router.register("bots", BotViewSet)
router.register("submissions", SubmissionViewSet)
router.register("ladders", LadderViewSet)
router.register("events", EventViewSet)
router.register("matches", MatchViewSet)
router.register("games", GameViewSet)

urlpatterns = [
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    path("docs/", DocsView.as_view(url_name="schema"), name="api-docs"),
    path("", include(router.urls)),
    re_path(".*/$", NowhereView.as_view()),
]
