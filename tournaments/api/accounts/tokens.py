"""The asker's own tokens. A token makes no tokens: who steals one must not outlast its revocation."""

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import mixins, serializers, status
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from tournaments.models import Token
from tournaments.models.lifecycle import TokenScope
from tournaments.selectors.shared.permissions import Forbidden
from tournaments.services.accounts.tokens import LONGEST_NAME, MOST, make_token, revoke_token
from tournaments.web.errors import refusable


class TokenSerializer(serializers.ModelSerializer):
    class Meta:
        model = Token
        read_only_fields = fields = ["id", "name", "prefix", "scope", "created_at", "last_used_at", "expires_at",
                                     "revoked_at"]


class NewTokenSerializer(serializers.Serializer):
    name = serializers.CharField(max_length=LONGEST_NAME, help_text="What it is for, in your words. At most "
                                                                        f"{MOST} tokens may be in force.")
    expires_at = serializers.DateTimeField(default=None, allow_null=True,
                                           help_text="From when it is refused, not in the past; null for never.")
    scope = serializers.ChoiceField(TokenScope.choices, default=TokenScope.EVERYTHING,
                                    help_text="What it may do: everything that you may, read and upload, or read.")


class MadeTokenSerializer(TokenSerializer):
    token = serializers.CharField(read_only=True, help_text="The token itself: shown this once.")

    class Meta(TokenSerializer.Meta):
        read_only_fields = fields = [*TokenSerializer.Meta.fields, "token"]


@extend_schema_view(
    list=extend_schema(description="Your tokens, newest first, revoked ones too. What they are is not shown again."),
    retrieve=extend_schema(description="One of your tokens."),
)
class TokenViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, GenericViewSet):
    queryset = Token.objects.all()
    serializer_class = TokenSerializer
    permission_classes = [IsAuthenticated]

    def get_queryset(self) -> QuerySet[Token]:
        """The asker's own."""
        return super().get_queryset().filter(user=self.request.user.pk)

    @extend_schema(request=NewTokenSerializer, responses=refusable(created=MadeTokenSerializer))
    def create(self, request: Request) -> Response:
        """Make a token. Only with a session, as on your account's page: a token makes no other."""
        if isinstance(request.auth, Token):
            raise Forbidden("A token makes no tokens: sign in and make it on your account's page.")
        form = NewTokenSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        token, text = make_token(user=request.user, now=timezone.now(), **form.validated_data)
        token.token = text
        return Response(MadeTokenSerializer(token).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=None, responses=refusable(gone=None, malformed=False))
    def destroy(self, request: Request, pk: str) -> Response:
        """Revoke a token: it is refused from now on."""
        revoke_token(token=self.get_object(), actor=request.user, now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)
