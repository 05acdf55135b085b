"""The asker's own webhooks, and the log of what was sent to them."""

from typing import Any

import django_filters
from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import mixins, serializers, status
from rest_framework.decorators import action
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from tournaments.api.plumbing.fields import RowIdFilter
from tournaments.models import Delivery, Webhook
from tournaments.models.lifecycle import DeliveryStatus
from tournaments.models.notices import NOTICES
from tournaments.selectors.notices import notices as reads
from tournaments.services.notices import webhooks as verbs
from tournaments.services.notices.deliveries import resend
from tournaments.web.errors import refusable

KINDS = "Kinds of notices that it is told of; empty for all. There are " + ", ".join(NOTICES) + "."


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


@extend_schema_view(
    list=extend_schema(description="Your webhooks, newest first. Their secrets are not shown again."),
    retrieve=extend_schema(description="One of your webhooks."),
)
class WebhookViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, GenericViewSet):
    queryset = Webhook.objects.all()
    serializer_class = WebhookSerializer
    permission_classes = [IsAuthenticated]

    def get_queryset(self) -> QuerySet[Webhook]:
        """The asker's own."""
        return super().get_queryset().filter(owner=self.request.user.pk)

    @extend_schema(request=NewWebhookSerializer, responses=refusable(created=SecretWebhookSerializer))
    def create(self, request: Request) -> Response:
        """Be told by POST of what concerns you.

        The body is `{"id", "kind", "created_at", "data"}`; `Squarefield-Signature: t=…,v1=…` is the Unix time and the
        hex HMAC-SHA256, with the secret, of that time, a full stop and the body. Answer with 2xx within ten seconds;
        otherwise it is posted again, later each time, under the same id.
        """
        form = NewWebhookSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        webhook = verbs.create_webhook(owner=request.user, now=timezone.now(), **form.validated_data)
        return Response(SecretWebhookSerializer(webhook).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=WebhookChangesSerializer, responses=refusable(ok=WebhookSerializer))
    def partial_update(self, request: Request, pk: str) -> Response:
        """Change its address or kinds, pause it, or resume it. What is left out stays."""
        form = WebhookChangesSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        return self._done(verbs.change_webhook, WebhookSerializer, **form.validated_data)

    @extend_schema(request=None, responses=refusable(gone=None, malformed=False))
    def destroy(self, request: Request, pk: str) -> Response:
        """Delete it, with its log and what is on its way."""
        verbs.delete_webhook(webhook=self.get_object(), actor=request.user, now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(request=None, responses=refusable(ok=SecretWebhookSerializer, malformed=False))
    @action(detail=True, methods=["post"])
    def secret(self, request: Request, pk: str) -> Response:
        """Give it a new secret, which signs from now on; for a day the old one signs too, with a `v1` of its own."""
        return self._done(verbs.renew_secret, SecretWebhookSerializer)

    @extend_schema(request=None, responses=refusable(taken=DeliverySerializer, malformed=False))
    @action(detail=True, methods=["post"])
    def test(self, request: Request, pk: str) -> Response:
        """Send it a notice of the kind `test`; what came of it is in the deliveries."""
        return self._done(verbs.send_test, DeliverySerializer, status.HTTP_202_ACCEPTED)

    def _done(self, verb: Any, serializer: type[serializers.Serializer], code: int = status.HTTP_200_OK,
              **facts: Any) -> Response:
        row = verb(webhook=self.get_object(), actor=self.request.user, now=timezone.now(), **facts)
        return Response(serializer(row).data, status=code)


@extend_schema_view(
    list=extend_schema(description="What was sent to your webhooks or is on its way, newest first. `answer` is what "
                                   "their servers said: strangers' text."),
    retrieve=extend_schema(description="One notice on its way to a webhook of yours."),
)
class DeliveryViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, GenericViewSet):
    queryset = Delivery.objects.all()
    serializer_class = DeliverySerializer
    permission_classes = [IsAuthenticated]
    filterset_class = DeliveryFilter

    def get_queryset(self) -> QuerySet[Delivery]:
        """Those to the asker's own webhooks."""
        return reads.deliveries_of(self.request.user)

    @extend_schema(request=None, responses=refusable(taken=DeliverySerializer, malformed=False))
    @action(detail=True, methods=["post"])
    def resend(self, request: Request, pk: str) -> Response:
        """Send it once more under its old id, if it arrived or was given up."""
        delivery = resend(delivery=self.get_object(), actor=request.user, now=timezone.now())
        return Response(DeliverySerializer(delivery).data, status=status.HTTP_202_ACCEPTED)
