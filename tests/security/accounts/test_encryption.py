"""Secrets are encrypted with the site's secret key, which can be replaced without interruption."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from tests.security.accounts.codes import Clock, use
from tournaments.platform.encryption import Unsealable, encrypt, reseal, unseal
from tournaments.services.accounts.second_factor import WrongCode

NEW_KEY = "new" * 20
pytestmark = pytest.mark.django_db


class TestEncryption:
    def test_differs_each_time_and_decrypts(self) -> None:
        assert encrypt("words") != encrypt("words")
        assert unseal(encrypt("words")) == "words"

    def test_rejects_changed_texts(self) -> None:
        sealed = encrypt("words")
        for changed in (sealed[:-4], "", sealed.swapcase(), "ü"):
            with pytest.raises(Unsealable):
                unseal(changed)

    def test_uses_the_newest_key_and_decrypts_with_older_ones(self, settings: Any) -> None:
        old, sealed = settings.SECRET_KEY, encrypt("words")
        settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = NEW_KEY, [old]
        assert unseal(sealed) == "words"
        resealed = reseal(sealed)
        settings.SECRET_KEY_FALLBACKS = []
        assert unseal(resealed) == "words"
        with pytest.raises(Unsealable):
            unseal(sealed)


class TestANewSecretKey:
    def test_replaces_the_old_one_after_resealing_without_interruption(
            self, mia: User, clock: Clock, settings: Any, capsys: Any) -> None:
        settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = NEW_KEY, [settings.SECRET_KEY]
        assert use(mia, clock.next_code())
        for _ in range(2):
            call_command("reseal")
        assert capsys.readouterr().out == "1 encrypted with the newest key.\n" * 2
        settings.SECRET_KEY_FALLBACKS = []
        # A used code stays used.
        with pytest.raises(WrongCode):
            use(mia, clock.code())
        assert use(mia, clock.next_code())

    def test_without_resealing_leaves_only_the_recovery_codes(
            self, mia: User, clock: Clock, settings: Any, caplog: Any) -> None:
        settings.SECRET_KEY = NEW_KEY
        with pytest.raises(WrongCode):
            use(mia, clock.next_code())
        assert "not decrypted" in caplog.text
        with pytest.raises(CommandError, match="No key decrypts the secrets of mia"):
            call_command("reseal")
        assert use(mia, mia.codes[0])
