"""Passwords: accepted unchanged, and refused if they consist of the site's own words, which attackers try first."""

import re

import pytest
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse

from engines.rules.registry import RULESETS
from tournaments.web.accounts.passwords import SHORTEST, WORDS, OwnWordsValidator


def refused(password: str) -> bool:
    try:
        OwnWordsValidator().validate(password)
    except ValidationError:
        return True
    return False


@pytest.mark.django_db
class TestAPassword:
    @pytest.mark.parametrize("password", [
        " Blanks at both ends ", "Ünïcödé \U0001f600 und mehr", "x" * 32 + "Y" * 232, "only small letters here",
    ], ids=["blanks", "unicode", "long", "small"])
    def test_is_stored_and_compared_unchanged(self, password: str, settings, tmp_path) -> None:
        # Use a cache of this test's own, which counts the failures.
        settings.CACHES = {**settings.CACHES, "default": {
            "BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": str(tmp_path)}}
        Client().post(reverse("account_signup"), {"username": "otto", "password1": password, "password2": password})
        for tried, is_in in ((password, True), (password.strip(), password == password.strip()),
                             (password.swapcase(), False), (password[:-1], False)):
            browser = Client()
            browser.post(reverse("account_login"), {"login": "otto", "password": tried})
            assert ("_auth_user_id" in browser.session) is is_in, tried

    @pytest.mark.parametrize("page", ["account_login", "account_signup"])
    def test_is_hidden_and_supports_password_managers(self, page: str) -> None:
        fields = re.findall(r'<input[^>]*name="password\d?"[^>]*>', Client().get(reverse(page)).content.decode())
        assert fields
        for field in fields:
            assert 'type="password"' in field
            assert re.search(r'autocomplete="(current|new)-password"', field)
            assert "onpaste" not in field


class TestAPasswordOfTheSitesWords:
    @pytest.mark.parametrize("password", [
        "squarefield2026", "Squ4ref1e1d!", "SquareSquared1", "P@ssw0rd-Ladder", "gamesadmin12", "scware-scware",
        "Square Field 42", "ｓｑｕａｒｅｆｉｅｌｄ1"])
    def test_is_refused_in_every_spelling(self, password: str) -> None:
        assert refused(password)

    @pytest.mark.parametrize("password", [
        "correct horse 42", "squarefield correct horse", "k3xq-Wz71-ladder-vv", "long walk on a 2nd hill",
        "汉字汉字汉字汉字"])
    def test_is_accepted_with_enough_other_words(self, password: str) -> None:
        assert not refused(password)

    def test_covers_every_listed_word_and_every_ruleset(self) -> None:
        names = [*WORDS, *RULESETS, *(ruleset.name for ruleset in RULESETS.values())]
        assert {name for name in names if len(name) >= SHORTEST and not refused(f"{name}-1")} == set()

    def test_covers_the_configured_site_name(self, settings) -> None:
        assert not refused("Hollerbusch1")
        settings.SITE_NAME = "Hollerbusch"
        assert refused("Hollerbusch1")

    @pytest.mark.django_db
    def test_is_refused_at_sign_up_with_a_reason(self) -> None:
        page = Client().post(reverse("account_signup"), {
            "username": "otto", "password1": "squarefield2026", "password2": "squarefield2026"})
        assert "such as “squarefield”" in page.content.decode()
        assert not User.objects.exists()

    def test_is_refused_by_djangos_validators(self) -> None:
        with pytest.raises(ValidationError, match="words from this site"):
            validate_password("squarefield2026")
