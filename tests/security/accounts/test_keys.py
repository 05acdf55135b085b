"""The keys that the site creates are random, well-formed and masked in every log line."""

from types import SimpleNamespace

from allauth.account.models import EmailConfirmationHMAC
from allauth.account.utils import user_pk_to_url_str
from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.urls import reverse
from hypothesis import example, given
from hypothesis import strategies as st

from tournaments.platform.keys import LINK, TOKEN, WEBHOOK, Key, masked

LINKS = ("/questions/{}/", "/api/questions/{}/", "/casual-games/{}/", "/play/games/{}/turn/")


def texts_of(key: Key) -> st.SearchStrategy[str]:
    """Return a strategy for every text that the generator can create."""
    return st.text(key.alphabet, min_size=key.length, max_size=key.length).map(key.prefix.__add__)


class TestAKey:
    def test_is_random_and_well_formed(self) -> None:
        for key in (TOKEN, WEBHOOK, LINK):
            # Of so many random letters, each of the alphabet is one, except once in 10**20 runs.
            made = {key.make() for _ in range(200)}
            assert len(made) == 200
            assert all(text.startswith(key.prefix) and len(text) == len(key.prefix) + key.length for text in made)
            assert set("".join(text.removeprefix(key.prefix) for text in made)) == set(key.alphabet)

    @given(token=texts_of(TOKEN), webhook=texts_of(WEBHOOK))
    @example(token="sqf_" + "0" * 40, webhook="whsec_--" + "x" * 41)
    @example(token="sqf_" + "0" * 40, webhook="whsec_x-" + "_" * 41)
    def test_is_masked_anywhere_in_a_line(self, token: str, webhook: str) -> None:
        for key, text in ((TOKEN, token), (WEBHOOK, webhook)):
            for line in ("it was {}", "Token%20{}", "?key={}&x", "'{}'", "key_{}"):
                assert masked(line.format(text)) == line.format(f"{key.start_of(text)}…")

    @given(text=texts_of(LINK))
    @example(text="-" * LINK.length)
    def test_of_a_question_or_casual_game_is_masked_in_urls(self, text: str) -> None:
        for address in LINKS:
            assert masked(address.format(text)) == address.format(f"{text[:4]}…")

    @given(pk=st.integers(1, 10**9), password=st.text(max_size=20))
    def test_for_a_password_reset_or_confirmation_is_masked(self, pk: int, password: str) -> None:
        user = User(pk=pk, username=f"user {pk}", password=password, email="mia@example.org")
        confirming = EmailConfirmationHMAC(SimpleNamespace(pk=pk)).key
        resetting = default_token_generator.make_token(user)
        for name, fields, secret in [
            ("account_confirm_email", {"key": confirming}, confirming),
            ("account_reset_password_from_key", {"uidb36": user_pk_to_url_str(user), "key": resetting}, resetting),
        ]:
            address = reverse(name, kwargs=fields)
            assert secret in address
            assert secret not in masked(address)
