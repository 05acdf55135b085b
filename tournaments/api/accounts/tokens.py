"""Tokens of the requesting user. A token cannot create tokens, so that a stolen one is useless once it is revoked."""

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
    name = serializers.CharField(max_length=LONGEST_NAME, help_text="Name of the token: its purpose, in your own "
                                                                        f"words. An account can have at most {MOST} "
                                                                        "valid tokens.")
    expires_at = serializers.DateTimeField(default=None, allow_null=True,
                                           help_text="Expiry time, not in the past; null for never.")
    scope = serializers.ChoiceField(TokenScope.choices, default=TokenScope.EVERYTHING,
                                    help_text="Scope of the token: everything that you are allowed to do, reading and "
                                              "uploading, or reading.")


class MadeTokenSerializer(TokenSerializer):
    token = serializers.CharField(read_only=True, help_text="The token itself. Shown only once.")

    class Meta(TokenSerializer.Meta):
        read_only_fields = fields = [*TokenSerializer.Meta.fields, "token"]


class MakesNoTokens(BasePermission):
    """Permission that keeps tokens from creating tokens."""

    message = "A token cannot create tokens: sign in and create one on your account page."

    def has_permission(self, request: Request, view: Any) -> bool:
        return view.action != "create" or not isinstance(request.auth, Token)


def _made(**facts: Any) -> Token:
    """Return the row of a new token, with the token itself."""
    token, text = make_token(**facts)
    token.token = text
    return token


@described(
    list="List your tokens, newest first, including revoked tokens. The tokens themselves are not shown again.",
    retrieve="Return one of your tokens.",
)
class TokenViewSet(ReadOnlyModelViewSet):
    queryset = Token.objects.all()
    serializer_class = TokenSerializer
    permission_classes = [IsAuthenticated, MakesNoTokens]

    def get_queryset(self) -> QuerySet[Token]:
        """Return the tokens of the requesting user."""
        return super().get_queryset().filter(user=self.request.user.pk)

    create = Verb(_made, "Create a token. Requires a session, as on your account page: a token cannot create tokens.",
                  form=NewTokenSerializer, answer=MadeTokenSerializer, code=201, actor="user")
    destroy = Verb(revoke_token, "Revoke a token. It stops working at once.", code=204)
