"""The audit log, for the site's staff."""

import django_filters
from rest_framework import serializers
from rest_framework.viewsets import ReadOnlyModelViewSet

from tournaments.api.plumbing.actions import described
from tournaments.api.plumbing.fields import MomentFilter
from tournaments.api.plumbing.permissions import StaffWithRight
from tournaments.models import AuditEntry
from tournaments.selectors.notices import notices as reads


class AuditEntrySerializer(serializers.ModelSerializer):
    actor = serializers.CharField(source="actor.username", default=None, allow_null=True,
                                  help_text="Username of the actor; null for the service itself, or if the account was "
                                            "deleted.")
    detail = serializers.DictField(help_text="Further details of the action.")

    class Meta:
        model = AuditEntry
        read_only_fields = fields = ["id", "at", "actor", "verb", "kind", "target", "name", "detail"]


class AuditFilter(django_filters.FilterSet):
    actor = django_filters.CharFilter("actor__username", label="Username of the actor.")
    verb = django_filters.CharFilter(label="Action.")
    kind = django_filters.CharFilter(label="Kind of the object: event, bot, version …")
    target = django_filters.CharFilter(label="ID of the object.")
    since = MomentFilter("at", "gte", label="Earliest time, inclusive.")
    before = MomentFilter("at", "lt", label="Latest time, exclusive.")


@described(
    list="List the entries of the audit log, newest first. Only for staff with permission to view the audit log.",
    retrieve="Return one entry of the audit log. Only for staff with permission to view the audit log.",
)
class AuditViewSet(ReadOnlyModelViewSet):
    queryset = reads.audit_log()
    serializer_class = AuditEntrySerializer
    permission_classes = [StaffWithRight]
    filterset_class = AuditFilter
