"""The asker's own webhooks, and the log of what was sent to them."""

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

KINDS = "Kinds of notices that it is told of; empty for all. There are " + ", ".join(CHOICES) + "."


class WebhookSerializer(serializers.ModelSerializer):
    kinds = serializers.ListField(child=serializers.CharField(), help_text=KINDS)

    class Meta:
        model = Webhook
        read_only_fields = fields = ["id", "url", "kinds", "active", "failing_since", "created_at"]


class SecretWebhookSerializer(WebhookSerializer):
    secret = serializers.CharField(read_only=True, help_text="The key of the signatures: shown this once.")

    class Meta(WebhookSerializer.Meta):
        read_only_fields = fields = [*WebhookSerializer.Meta.fields, "secret"]


class NewWebhookSerializer(serializers.Serializer):
    url = serializers.CharField(max_length=500, help_text="Where notices are posted: https, and an address of the "
                                                          f"public internet. You may have {verbs.MOST_WEBHOOKS}.")
    kinds = serializers.ListField(child=serializers.CharField(max_length=40), max_length=40, default=list,
                                  help_text=KINDS)


class WebhookChangesSerializer(serializers.Serializer):
    url = serializers.CharField(required=False, max_length=500, help_text="Where notices are posted from now on.")
    kinds = serializers.ListField(child=serializers.CharField(max_length=40), max_length=40, required=False,
                                  help_text=KINDS)
    active = serializers.BooleanField(required=False, help_text="false pauses it: what is on its way waits. "
                                                                "true resumes it.")


class DeliverySerializer(serializers.ModelSerializer):
    webhook = serializers.IntegerField(source="webhook_id", help_text="Id of the webhook.")
    payload = serializers.JSONField(help_text="What is told, as `data` of the body.")

    class Meta:
        model = Delivery
        read_only_fields = fields = ["id", "webhook", "kind", "payload", "status", "attempts", "due_at", "created_at",
                                     "ended_at", "answer"]


class DeliveryFilter(django_filters.FilterSet):
    webhook = RowIdFilter("webhook_id", label="Id of the webhook.")
    status = django_filters.ChoiceFilter(choices=DeliveryStatus.choices, label="Whether it has arrived.")
    kind = django_filters.CharFilter(label="What happened.")


@described(list="Your webhooks, newest first. Their secrets are not shown again.", retrieve="One of your webhooks.")
class WebhookViewSet(ReadOnlyModelViewSet):
    queryset = Webhook.objects.all()
    serializer_class = WebhookSerializer
    permission_classes = [IsAuthenticated]

    def get_queryset(self) -> QuerySet[Webhook]:
        """The asker's own."""
        return super().get_queryset().filter(owner=self.request.user.pk)

    create = Verb(verbs.create_webhook, """
        Be told by POST of what concerns you.

        The body is `{"id", "kind", "created_at", "data"}`; `Squarefield-Signature: t=…,v1=…` is the Unix time and the
        hex HMAC-SHA256, with the secret, of that time, a full stop and the body. Answer with 2xx within ten seconds;
        otherwise it is posted again, later each time, under the same id.
        """, form=NewWebhookSerializer, answer=SecretWebhookSerializer, code=201, actor="owner")
    partial_update = Verb(verbs.change_webhook, "Change its address or kinds, pause it, or resume it. What is left out "
                                                "stays.", form=WebhookChangesSerializer)
    destroy = Verb(verbs.delete_webhook, "Delete it, with its log and what is on its way.", code=204)
    secret = Verb(verbs.renew_secret, "Give it a new secret, which signs from now on; for a day the old one signs too, "
                                      "with a `v1` of its own.", answer=SecretWebhookSerializer)
    test = Verb(verbs.send_test, "Send it a notice of the kind `test`; what came of it is in the deliveries.",
                answer=DeliverySerializer, code=202)


@described(
    list="What was sent to your webhooks or is on its way, newest first. `answer` is what their servers said: "
         "strangers' text.",
    retrieve="One notice on its way to a webhook of yours.",
)
class DeliveryViewSet(ReadOnlyModelViewSet):
    queryset = Delivery.objects.all()
    serializer_class = DeliverySerializer
    permission_classes = [IsAuthenticated]
    filterset_class = DeliveryFilter

    def get_queryset(self) -> QuerySet[Delivery]:
        """Those to the asker's own webhooks."""
        return reads.deliveries_of(self.request.user)

    resend = Verb(resend, "Send it once more under its old id, if it arrived or was given up.", code=202)
