"""Passwords: accepted unchanged, and refused if they consist of the site's own words, which attackers try first."""

import re

import pytest
from django.contrib.auth.models import User
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
    def test_is_stored_and_compared_unchanged(self, own_counters: None) -> None:
        for number, password in enumerate((" Ünïcödé \U0001f600 und mehr ", "x" * 32 + "Y" * 232)):
            name = f"otto{number}"
            Client().post(reverse("account_signup"), {"username": name, "password1": password, "password2": password})
            for tried, is_in in ((password, True), (password.strip(), password == password.strip()),
                                 (password.swapcase(), False), (password[:-1], False)):
                browser = Client()
                browser.post(reverse("account_login"), {"login": name, "password": tried})
                assert ("_auth_user_id" in browser.session) is is_in, tried

    def test_is_hidden_and_supports_password_managers(self) -> None:
        for page in ("account_login", "account_signup"):
            fields = re.findall(r'<input[^>]*name="password\d?"[^>]*>', Client().get(reverse(page)).content.decode())
            assert fields
            for field in fields:
                assert 'type="password"' in field
                assert re.search(r'autocomplete="(current|new)-password"', field)


class TestAPasswordOfTheSitesWords:
    def test_is_refused_in_every_spelling(self) -> None:
        accepted = [password for password in (
            "squarefield2026", "Squ4ref1e1d!", "SquareSquared1", "P@ssw0rd-Ladder", "gamesadmin12", "scware-scware",
            "Square Field 42", "ｓｑｕａｒｅｆｉｅｌｄ1") if not refused(password)]
        assert accepted == []

    def test_is_accepted_with_enough_other_words(self) -> None:
        assert [password for password in (
            "correct horse 42", "squarefield correct horse", "k3xq-Wz71-ladder-vv", "long walk on a 2nd hill",
            "汉字汉字汉字汉字") if refused(password)] == []

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
