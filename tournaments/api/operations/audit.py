"""The audit log, for the site's staff."""

import django_filters
from rest_framework import serializers
from rest_framework.viewsets import ReadOnlyModelViewSet

from tournaments.api.plumbing.actions import described
from tournaments.api.plumbing.permissions import StaffWithRight
from tournaments.models import AuditEntry
from tournaments.selectors.notices import notices as reads


class AuditEntrySerializer(serializers.ModelSerializer):
    actor = serializers.CharField(source="actor.username", default=None, allow_null=True,
                                  help_text="Who; null for the service itself, or for an account that is gone.")
    detail = serializers.DictField(help_text="What else there is to say.")

    class Meta:
        model = AuditEntry
        read_only_fields = fields = ["id", "at", "actor", "verb", "kind", "target", "name", "detail"]


class AuditFilter(django_filters.FilterSet):
    actor = django_filters.CharFilter("actor__username", label="Name of the account that acted.")
    verb = django_filters.CharFilter(label="What was done.")
    kind = django_filters.CharFilter(label="Which noun it was done to: event, bot, version …")
    target = django_filters.CharFilter(label="The id of what it was done to.")
    since = django_filters.IsoDateTimeFilter("at", "gte", label="From when.")
    before = django_filters.IsoDateTimeFilter("at", "lt", label="Until when.")


@described(
    list="Who did what to what, newest first. For the site's staff with the right to view the audit log.",
    retrieve="One entry of the audit log. For staff.",
)
class AuditViewSet(ReadOnlyModelViewSet):
    queryset = reads.audit_log()
    serializer_class = AuditEntrySerializer
    permission_classes = [StaffWithRight]
    filterset_class = AuditFilter
