"""Webhooks of the requesting user, and the log of their deliveries."""

import django_filters
from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.viewsets import ReadOnlyModelViewSet

from tournaments.api.plumbing.actions import Verb, described
from tournaments.api.plumbing.fields import RowIdFilter
from tournaments.models import Delivery, Webhook
from tournaments.models.lifecycle import DeliveryStatus
from tournaments.selectors.notices import notices as reads
from tournaments.services.notices import webhooks as verbs
from tournaments.services.notices.deliveries import resend
from tournaments.services.notices.kinds import CHOICES

KINDS = "Kinds of notices that the webhook receives; empty for all. Supported kinds: " + ", ".join(CHOICES) + "."


class WebhookSerializer(serializers.ModelSerializer):
    kinds = serializers.ListField(child=serializers.CharField(), help_text=KINDS)

    class Meta:
        model = Webhook
        read_only_fields = fields = ["id", "url", "kinds", "active", "failing_since", "created_at"]


class SecretWebhookSerializer(WebhookSerializer):
    secret = serializers.CharField(read_only=True, help_text="Secret that signs the deliveries. Shown only once.")

    class Meta(WebhookSerializer.Meta):
        read_only_fields = fields = [*WebhookSerializer.Meta.fields, "secret"]


class NewWebhookSerializer(serializers.Serializer):
    url = serializers.CharField(max_length=500, help_text="URL to which notices are posted: https, on the public "
                                                          f"internet. An account can have {verbs.MOST_WEBHOOKS} "
                                                          "webhooks.")
    kinds = serializers.ListField(child=serializers.CharField(max_length=40), max_length=40, default=list,
                                  help_text=KINDS)


class WebhookChangesSerializer(serializers.Serializer):
    url = serializers.CharField(required=False, max_length=500, help_text="New URL to which notices are posted.")
    kinds = serializers.ListField(child=serializers.CharField(max_length=40), max_length=40, required=False,
                                  help_text=KINDS)
    active = serializers.BooleanField(required=False, help_text="false pauses the webhook and holds its pending "
                                                                "deliveries; true resumes it.")


class DeliverySerializer(serializers.ModelSerializer):
    webhook = serializers.IntegerField(source="webhook_id", help_text="ID of the webhook.")
    payload = serializers.JSONField(help_text="Content of the notice, sent as `data` in the body.")

    class Meta:
        model = Delivery
        read_only_fields = fields = ["id", "webhook", "kind", "payload", "status", "attempts", "due_at", "created_at",
                                     "ended_at", "answer"]


class DeliveryFilter(django_filters.FilterSet):
    webhook = RowIdFilter("webhook_id", label="ID of the webhook.")
    status = django_filters.ChoiceFilter(choices=DeliveryStatus.choices, label="Status of the delivery.")
    kind = django_filters.CharFilter(label="Kind of notice.")


@described(list="List your webhooks, newest first, without their secrets.", retrieve="Return one of your webhooks.")
class WebhookViewSet(ReadOnlyModelViewSet):
    queryset = Webhook.objects.all()
    serializer_class = WebhookSerializer
    permission_classes = [IsAuthenticated]

    def get_queryset(self) -> QuerySet[Webhook]:
        """Return the webhooks of the requesting user."""
        return super().get_queryset().filter(owner=self.request.user.pk)

    create = Verb(verbs.create_webhook, """
        Create a webhook, to which notices that concern you are posted.

        The body is `{"id", "kind", "created_at", "data"}`. `Squarefield-Signature: t=…,v1=…` has the Unix time and the
        hex HMAC-SHA256, keyed with the secret, of that time, a full stop and the body. Answer with 2xx within ten
        seconds; otherwise the notice is posted again under the same ID, after increasing intervals.
        """, form=NewWebhookSerializer, answer=SecretWebhookSerializer, code=201, actor="owner")
    partial_update = Verb(verbs.change_webhook, "Change the URL or the kinds of a webhook, pause it, or resume it. "
                                                "Omitted fields keep their values.", form=WebhookChangesSerializer)
    destroy = Verb(verbs.delete_webhook, "Delete a webhook, with its delivery log and pending deliveries.", code=204)
    secret = Verb(verbs.renew_secret, "Replace the secret. For 24 hours, deliveries are signed with both secrets, each "
                                      "with its own `v1`.", answer=SecretWebhookSerializer)
    test = Verb(verbs.send_test, "Send a notice of the kind `test`. The deliveries show its result.",
                answer=DeliverySerializer, code=202)


@described(
    list="List the deliveries to your webhooks, sent and pending, newest first. `answer` is the receiving server's "
         "answer: untrusted text, escape it before display.",
    retrieve="Return one delivery to one of your webhooks.",
)
class DeliveryViewSet(ReadOnlyModelViewSet):
    queryset = Delivery.objects.all()
    serializer_class = DeliverySerializer
    permission_classes = [IsAuthenticated]
    filterset_class = DeliveryFilter

    def get_queryset(self) -> QuerySet[Delivery]:
        """Return the deliveries to the requesting user's webhooks."""
        return reads.deliveries_of(self.request.user)

    resend = Verb(resend, "Send a notice again under the same ID, if it was delivered or given up.", code=202)
