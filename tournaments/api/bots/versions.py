"""Versions: what each is made of, and whether it takes part."""

import django_filters
from rest_framework.viewsets import ReadOnlyModelViewSet

from tournaments.api.bots.bots import VersionSerializer
from tournaments.api.plumbing.actions import Verb, described
from tournaments.models import Version
from tournaments.models.lifecycle import VersionStatus
from tournaments.services.bots import versions as verbs


class VersionFilter(django_filters.FilterSet):
    bot = django_filters.CharFilter("bot__slug", label="Slug of its bot.")
    owner = django_filters.CharFilter("bot__owner__username", label="Name of the account that owns its bot.")
    status = django_filters.ChoiceFilter(choices=VersionStatus.choices, label="Whether it takes part.")


@described(list="Versions of all bots, newest first.", retrieve="One version.")
class VersionViewSet(ReadOnlyModelViewSet):
    queryset = Version.objects.select_related("bot__owner", "bot__team")
    serializer_class = VersionSerializer
    filterset_class = VersionFilter

    rest = Verb(verbs.rest, "Keep it from being paired until you bring it back. For the bot's owner and team.")
    withdraw = Verb(verbs.withdraw, "Take it out of everything; a ladder on which it plays is left. For the bot's "
                                    "owner and team.")
    bring_back = Verb(verbs.bring_back, "Let it take part again; a ladder that it left is joined anew. For the bot's "
                                        "owner and team.")
