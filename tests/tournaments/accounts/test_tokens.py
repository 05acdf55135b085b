"""Personal tokens: shown once, stored as a hash, refused with a reason."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tests.factories import make_user
from tournaments.models import AuditEntry, Token
from tournaments.selectors.shared.permissions import Forbidden
from tournaments.services.accounts import tokens
from tournaments.services.accounts.tokens import TokenRefused, make_token, revoke_token, use_token

pytestmark = pytest.mark.django_db


@pytest.fixture
def made(author, now):
    """A token and its text."""
    return make_token(user=author, name=" my laptop ", now=now, expires_at=now + timedelta(days=1))


class TestMakeToken:
    def test_stores_only_the_hash_of_a_text_that_is_different_each_time(self, made, author, now):
        token, text = made
        assert (len(text), text[:4], text.isascii()) == (44, "sqf_", True)
        assert token.prefix == text[:10]
        kept = Token.objects.values().get()
        assert text not in str(kept)
        assert (kept["name"], kept["user_id"]) == ("my laptop", author.pk)
        assert make_token(user=author, name="n", now=now)[1] != text

    def test_is_recorded_in_the_audit_log_without_the_secret(self, made, author):
        entry = AuditEntry.objects.get()
        assert (entry.actor, entry.verb, entry.kind) == (author, "make", "token")
        assert made[1] not in str(AuditEntry.objects.values().get())

    def test_requires_a_name_and_a_future_expiry(self, author, now):
        for name in ("", "  ", "x" * 61):
            with pytest.raises(TokenRefused, match="1 to 60 characters"):
                make_token(user=author, name=name, now=now)
        with pytest.raises(TokenRefused, match="The expiry, 2026-11-20 12:00 UTC, has already passed"):
            make_token(user=author, name="n", now=now, expires_at=now)

    def test_limits_the_number_of_valid_tokens(self, author, now, monkeypatch):
        monkeypatch.setattr(tokens, "MOST", 2)
        first, _ = make_token(user=author, name="n", now=now)
        make_token(user=author, name="n", now=now)
        with pytest.raises(TokenRefused, match="revoke one"):
            make_token(user=author, name="n", now=now)
        revoke_token(token=first, actor=author, now=now)
        make_token(user=author, name="n", now=now)


class TestUseToken:
    def test_returns_the_token_and_records_the_last_use_once_per_minute(self, made, author, now,
                                                                        django_assert_num_queries):
        noted = []
        for second in (0, 30, 59, 60, 61):
            with django_assert_num_queries(2 if second in (0, 60) else 1):
                assert use_token(text=made[1], now=now + timedelta(seconds=second)).user == author
            noted.append((Token.objects.get().last_used_at - now).seconds)
        assert noted == [0, 0, 0, 60, 60]

    @pytest.mark.database
    def test_refuses_unknown_expired_and_revoked_tokens_and_those_of_closed_accounts(self, made, author, now):
        token, text = made
        for unknown in ("", "sqf_", "sqf_" + "x" * 40, "\0", "é"):
            with pytest.raises(TokenRefused, match="Unknown token"):
                use_token(text=unknown, now=now)
        with pytest.raises(TokenRefused, match="expired at 2026-11-21 12:00 UTC"):
            use_token(text=text, now=now + timedelta(days=1))
        type(author).objects.update(is_active=False)
        with pytest.raises(TokenRefused, match="closed"):
            use_token(text=text, now=now)
        revoke_token(token=token, actor=author, now=now)
        with pytest.raises(TokenRefused, match="was revoked at 2026-11-20 12:00 UTC"):
            use_token(text=text, now=now)


class TestRevokeToken:
    def test_is_for_its_owner_and_staff_and_happens_once(self, made, author, staff, now):
        with pytest.raises(Forbidden, match="not yours"):
            revoke_token(token=made[0], actor=make_user("mia"), now=now)
        assert revoke_token(token=made[0], actor=staff, now=now).revoked_at == now
        with pytest.raises(TokenRefused, match="already been revoked"):
            revoke_token(token=made[0], actor=author, now=now + timedelta(hours=1))
        assert Token.objects.get().revoked_at == now


class TestTheCommand:
    def test_prints_a_token_that_works_or_says_why_it_created_none(self, author, now):
        out = StringIO()
        call_command("create_token", "author", "--for", "the nightly job", stdout=out)
        token = use_token(text=out.getvalue().strip(), now=now)
        assert (token.user, token.name, token.expires_at) == (author, "the nightly job", None)
        for arguments, why in ((["nobody"], "no account"), (["author", "--days", "0"], "has already passed")):
            with pytest.raises(CommandError, match=why):
                call_command("create_token", *arguments)
