"""Versions of bots, and their suspension and withdrawal."""

import django_filters
from rest_framework.viewsets import ReadOnlyModelViewSet

from tournaments.api.bots.bots import VersionSerializer
from tournaments.api.plumbing.actions import Verb, described
from tournaments.models import Version
from tournaments.models.lifecycle import VersionStatus
from tournaments.services.bots import versions as verbs


class VersionFilter(django_filters.FilterSet):
    bot = django_filters.CharFilter("bot__slug", label="Slug of the bot.")
    owner = django_filters.CharFilter("bot__owner__username", label="Username of the bot's owner.")
    status = django_filters.ChoiceFilter(choices=VersionStatus.choices, label="Status of the version.")


@described(list="List the versions of all bots, newest first.", retrieve="Return one version.")
class VersionViewSet(ReadOnlyModelViewSet):
    queryset = Version.objects.select_related("bot__owner", "bot__team")
    serializer_class = VersionSerializer
    filterset_class = VersionFilter

    rest = Verb(verbs.rest, "Suspend the version: it is not paired until you bring it back. Only for the bot's owner "
                            "and team.")
    withdraw = Verb(verbs.withdraw, "Withdraw the version from all competitions, including the ladders that it plays "
                                    "on. Only for the bot's owner and team.")
    bring_back = Verb(verbs.bring_back, "Make the version active again. It must rejoin the ladders that it left on "
                                        "withdrawal. Only for the bot's owner and team.")
