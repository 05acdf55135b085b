"""Refusals and other messages that contain facts."""

from django.utils import translation

from tournaments.platform.refusals import Refused, stated
from tournaments.platform.text import sentence


class TestARefusal:
    def test_states_its_facts(self) -> None:
        assert str(Refused("%(bot)s has %(count)s games.", bot="morphy", count=12345)) == "morphy has 12,345 games."

    def test_without_facts_is_its_text(self) -> None:
        assert str(Refused("That is 100 % of it.")) == "That is 100 % of it."


class TestAStatedText:
    def test_formats_whole_numbers_for_the_language(self) -> None:
        with translation.override("de"):
            assert stated("%(count)s Partien", count=12345) == "12.345 Partien"

    def test_leaves_other_facts_unchanged(self) -> None:
        assert stated("%(share)s of %(name)s: %(over)s", share=0.5, name="50 %", over=True) == "0.5 of 50 %: True"


def test_a_reason_becomes_a_sentence() -> None:
    for reason in ("no bot.toml in it", "no bot.toml in it.", "No bot.toml in it."):
        assert sentence(reason) == "No bot.toml in it."
