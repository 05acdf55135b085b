"""Names of bots in all scripts: whose they are, and the addresses that follow from them."""

import pytest

from tests.tournaments.conftest import make_archive
from tournaments.models import Bot
from tournaments.services.bots.submissions import SubmissionRefused, accept_upload


@pytest.fixture
def refusal(now):
    """Return a function that uploads a bot and returns the reason why its name is refused."""
    def refusal(name, uploader):
        with pytest.raises(SubmissionRefused) as refused:
            accept_upload(archive=make_archive(name, code="# new"), filename="bot.zip", uploader=uploader, now=now)
        assert refused.value.step == "name"
        return str(refused.value)
    return refusal


class TestANameOfABot:
    def test_is_compared_as_a_name_and_gives_an_address_of_its_own(self, enter, staff):
        names = ["棋士 1", "囲碁 1", "Νίκη 1", "Шашист", "C++ Bot", "C# Bot", "Bot +1", "Bot -1", "2048"]
        for name in names:
            enter(name)
        enter("将棋 1", staff)
        assert list(Bot.objects.order_by("pk").values_list("slug", flat=True)) == [
            "bot-1", "bot-1-2", "bot-1-3", "bot", "c-bot", "c-bot-2", "bot-1-4", "bot-1-5", "2048", "bot-1-6"]
        assert enter("囲碁 1", code="# second").bot.slug == "bot-1-2"
        assert enter("Bot -1", code="# second").number == 2

    def test_is_one_name_in_both_unicode_forms(self, enter):
        assert enter("Bo\u0308tchen").bot == enter("B\u00f6tchen", code="# second").bot

    @pytest.mark.parametrize("name", ["s\u0435archer", "Searcher", "SEARCHER", "ѕеагсhег".replace("г", "r")])
    def test_is_not_another_authors_and_does_not_look_like_it(self, enter, refusal, staff, name):
        enter("searcher")
        assert "another author" in refusal(name, staff)

    def test_may_look_like_another_of_its_author_but_not_be_the_same(self, enter, refusal, author):
        enter("modern")
        assert enter("modem").bot.slug == "modem"
        assert "write it exactly the same way" in refusal("Modern", author)

    def test_does_not_look_like_one_that_is_being_checked(self, refusal, author, staff, now):
        accept_upload(archive=make_archive("Otter 1"), filename="bot.zip", uploader=author, now=now)
        assert "Otter 1 is being checked" in refusal("Otter l", staff)

    def test_keeps_its_address_while_it_is_being_checked(self, author, staff, now):
        def upload(name, uploader, code=""):
            archive = make_archive(name, code=code)
            return accept_upload(archive=archive, filename="b.zip", uploader=uploader, now=now).slug

        assert [upload("囲碁", author), upload("将棋", staff), upload("囲碁", author, "# 2")] == ["bot", "bot-2", "bot"]

    @pytest.mark.parametrize("name", ["???", "-", "★", "\u3164"])
    def test_has_a_letter_or_a_digit(self, refusal, author, name):
        assert "has no letter or digit" in refusal(name, author)
