"""The formatting of numbers, times and untrusted text."""

import pytest

from engines.rules.registry import RULESETS
from frontend.templatetags import squarefield as tags
from frontend.text.wording import points, recurrence, time_control
from tournaments.models import Ladder, Series


class TestNumbers:
    def test_have_thin_spaces_between_thousands(self):
        assert tags.thin(1204388) == "1\u202f204\u202f388"

    @pytest.mark.parametrize(("seconds", "written"), [
        (None, "–"), (0.2, "1 s"), (40, "40 s"), (2820, "47 min"), (12000, "3 h 20 min"), (400000, "5 days")])
    def test_of_seconds_become_readable_durations(self, seconds, written):
        assert tags.duration(seconds).replace("\u202f", " ") == written

    @pytest.mark.parametrize(("share", "depth"), [(0.5, "0.00"), (0.0, "1.00"), (1.0, "1.00"), (0.75, "0.50")])
    def test_of_shares_become_shades_by_distance_from_even(self, share, depth):
        assert tags.from_half(share) == depth


    @pytest.mark.parametrize(("value", "written"), [(0.0, "0"), (0.5, "½"), (1.5, "1½"), (12.0, "12")])
    def test_of_points_have_halves(self, value, written):
        assert points(value) == written


class TestBadges:
    def test_differ_for_all_rulesets(self):
        badges = {slug: tags.ruleset_badge(slug) for slug in RULESETS}
        assert len(set(badges.values())) == len(badges)
        assert (badges["scware"], badges["square-grid-hex"], badges["squ"]) == ("Scw", "SGH", "SQU")
        assert {len(badge) for badge in badges.values()} <= {2, 3}


class TestTimeControls:
    @pytest.mark.parametrize(("facts", "written"), [
        ({"base_seconds": 5, "increment_seconds": 0.1}, "5 s + 0.1 s per turn"),
        ({"base_seconds": 5}, "5 s per game"),
        ({"per_turn_seconds": 0.5}, "0.5 s per turn"),
        ({"base_seconds": 60, "pondering": True}, "60 s per game, pondering"),
    ])
    def test_are_described_in_words(self, facts, written):
        assert time_control(Ladder(**facts)).replace("\u202f", " ") == written


class TestVisible:
    @pytest.mark.parametrize(("text", "shown"), [
        ("e4\n", "e4\n"), ("\x1b[0m", "⟨U+001B⟩[0m"), ("\x00", "⟨U+0000⟩"), ("\u202egnp.exe", "⟨U+202E⟩gnp.exe"),
        ("\u2066x\u2069", "⟨U+2066⟩x⟨U+2069⟩"), ("\x7f", "⟨U+007F⟩"), ("\ufeff", "⟨U+FEFF⟩"), ("żółw 龟", "żółw 龟")])
    def test_replaces_invisible_characters(self, text, shown):
        assert tags.visible(text) == shown


class TestRecurrence:
    @pytest.mark.parametrize(("cron", "words"), [
        ("0 14 * * sun", "every Sunday at 14:00, Europe/Berlin"),
        ("30 6 * * *", "every day at 06:30, Europe/Berlin"),
        ("*/5 6 1 * *", "cron */5 6 1 * *, Europe/Berlin"),
        ("0 6 * * mon-fri", "cron 0 6 * * mon-fri, Europe/Berlin"),
    ])
    def test_describes_common_schedules_in_words(self, cron, words):
        assert recurrence(Series(cron=cron, time_zone="Europe/Berlin")) == words
