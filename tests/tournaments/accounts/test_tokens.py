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
    def test_stores_only_the_hash_of_the_text(self, made, author):
        token, text = made
        assert (len(text), text[:4], text.isascii()) == (44, "sqf_", True)
        assert token.prefix == text[:10]
        kept = Token.objects.values().get()
        assert text not in str(kept)
        assert (kept["name"], kept["user_id"]) == ("my laptop", author.pk)

    def test_returns_a_different_text_each_time(self, author, now):
        assert len({make_token(user=author, name="n", now=now)[1] for _ in range(5)}) == 5

    @pytest.mark.parametrize("name", ["", "  ", "x" * 61])
    def test_requires_a_name(self, author, now, name):
        with pytest.raises(TokenRefused, match="1 to 60 characters"):
            make_token(user=author, name=name, now=now)

    def test_refuses_an_expiry_in_the_past(self, author, now):
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

    def test_is_recorded_in_the_audit_log_without_the_secret(self, made, author):
        entry = AuditEntry.objects.get()
        assert (entry.actor, entry.verb, entry.kind) == (author, "make", "token")
        assert made[1] not in str(AuditEntry.objects.values().get())


class TestUseToken:
    def test_returns_the_token_of_its_user(self, made, author, now):
        assert use_token(text=made[1], now=now).user == author

    def test_records_the_last_use_once_per_minute(self, made, now, django_assert_num_queries):
        seconds = [0, 30, 59, 60, 61]
        noted = []
        for second in seconds:
            with django_assert_num_queries(2 if second in (0, 60) else 1):
                use_token(text=made[1], now=now + timedelta(seconds=second))
            noted.append((Token.objects.get().last_used_at - now).seconds)
        assert noted == [0, 0, 0, 60, 60]

    @pytest.mark.parametrize("text", ["", "sqf_", "sqf_" + "x" * 40, "\0", "é"])
    def test_refuses_an_unknown_text(self, made, now, text):
        with pytest.raises(TokenRefused, match="Unknown token"):
            use_token(text=text, now=now)

    def test_refuses_an_expired_token(self, made, now):
        with pytest.raises(TokenRefused, match="expired at 2026-11-21 12:00 UTC"):
            use_token(text=made[1], now=now + timedelta(days=1))

    def test_refuses_a_revoked_token(self, made, author, now):
        revoke_token(token=made[0], actor=author, now=now)
        with pytest.raises(TokenRefused, match="was revoked at 2026-11-20 12:00 UTC"):
            use_token(text=made[1], now=now)

    def test_refuses_the_token_of_a_closed_account(self, made, author, now):
        author.is_active = False
        author.save()
        with pytest.raises(TokenRefused, match="closed"):
            use_token(text=made[1], now=now)


class TestRevokeToken:
    def test_is_for_its_owner_and_staff(self, made, staff, now):
        with pytest.raises(Forbidden, match="not yours"):
            revoke_token(token=made[0], actor=make_user("mia"), now=now)
        assert revoke_token(token=made[0], actor=staff, now=now).revoked_at == now

    def test_is_refused_the_second_time(self, made, author, now):
        revoke_token(token=made[0], actor=author, now=now)
        with pytest.raises(TokenRefused, match="already been revoked"):
            revoke_token(token=made[0], actor=author, now=now + timedelta(hours=1))
        assert Token.objects.get().revoked_at == now


class TestTheCommand:
    def test_prints_a_token_that_works(self, author, now):
        out = StringIO()
        call_command("create_token", "author", "--for", "the nightly job", stdout=out)
        token = use_token(text=out.getvalue().strip(), now=now)
        assert (token.user, token.name, token.expires_at) == (author, "the nightly job", None)

    @pytest.mark.parametrize(("arguments", "why"), [
        (["nobody"], "no account"), (["author", "--days", "0"], "has already passed")])
    def test_says_why_it_created_no_token(self, author, arguments, why):
        with pytest.raises(CommandError, match=why):
            call_command("create_token", *arguments)
