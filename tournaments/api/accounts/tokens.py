"""The asker's own tokens. A token makes no tokens: who steals one must not outlast its revocation."""

from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.permissions import BasePermission, IsAuthenticated
from rest_framework.request import Request
from rest_framework.viewsets import ReadOnlyModelViewSet

from tournaments.api.plumbing.actions import Verb, described
from tournaments.models import Token
from tournaments.models.lifecycle import TokenScope
from tournaments.services.accounts.tokens import LONGEST_NAME, MOST, make_token, revoke_token


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


class MakesNoTokens(BasePermission):
    """A token makes no others."""

    message = "A token makes no tokens: sign in and make it on your account's page."

    def has_permission(self, request: Request, view: Any) -> bool:
        return view.action != "create" or not isinstance(request.auth, Token)


def _made(**facts: Any) -> Token:
    """The token's row, with the token itself."""
    token, text = make_token(**facts)
    token.token = text
    return token


@described(
    list="Your tokens, newest first, revoked ones too. What they are is not shown again.",
    retrieve="One of your tokens.",
)
class TokenViewSet(ReadOnlyModelViewSet):
    queryset = Token.objects.all()
    serializer_class = TokenSerializer
    permission_classes = [IsAuthenticated, MakesNoTokens]

    def get_queryset(self) -> QuerySet[Token]:
        """The asker's own."""
        return super().get_queryset().filter(user=self.request.user.pk)

    create = Verb(_made, "Make a token. Only with a session, as on your account's page: a token makes no other.",
                  form=NewTokenSerializer, answer=MadeTokenSerializer, code=201, actor="user")
    destroy = Verb(revoke_token, "Revoke a token: it is refused from now on.", code=204)
