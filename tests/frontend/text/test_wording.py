"""The formatting of numbers, times and untrusted text, and the tags for parts that many pages repeat."""

from collections.abc import Callable

from django.template import Context, Template

from engines.rules.registry import RULESETS
from frontend.templatetags import squarefield as tags
from frontend.text.wording import points, recurrence, time_control
from tournaments.models import Ladder, Series

MARKUP = "<b>&"


def check(write: Callable[[object], str], table: dict[object, str]) -> None:
    """Compare what is written for each value, with ordinary spaces."""
    assert {value: write(value).replace("\u202f", " ") for value in table} == table


class TestNumbers:
    def test_have_thin_spaces_between_thousands(self):
        assert tags.thin(1204388) == "1\u202f204\u202f388"

    def test_of_seconds_become_readable_durations(self):
        check(tags.duration, {None: "–", 0.2: "1 s", 40: "40 s", 2820: "47 min", 12000: "3 h 20 min",
                              400000: "5 days"})

    def test_of_shares_become_shades_by_distance_from_even(self):
        check(tags.from_half, {0.5: "0.00", 0.0: "1.00", 1.0: "1.00", 0.75: "0.50"})

    def test_of_points_have_halves(self):
        check(points, {0.0: "0", 0.5: "½", 1.5: "1½", 12.0: "12"})


class TestBadges:
    def test_differ_for_all_rulesets(self):
        badges = {slug: tags.ruleset_badge(slug) for slug in RULESETS}
        assert len(set(badges.values())) == len(badges)
        assert (badges["scware"], badges["square-grid-hex"], badges["squ"]) == ("Scw", "SGH", "SQU")
        assert {len(badge) for badge in badges.values()} <= {2, 3}


class TestTimeControls:
    def test_are_described_in_words(self):
        for facts, written in (
                ({"base_seconds": 5, "increment_seconds": 0.1}, "5 s + 0.1 s per turn"),
                ({"base_seconds": 5}, "5 s per game"),
                ({"per_turn_seconds": 0.5}, "0.5 s per turn"),
                ({"base_seconds": 60, "pondering": True}, "60 s per game, pondering")):
            assert time_control(Ladder(**facts)).replace("\u202f", " ") == written


class TestVisible:
    def test_replaces_invisible_characters(self):
        check(tags.visible, {"e4\n": "e4\n", "\x1b[0m": "⟨U+001B⟩[0m", "\x00": "⟨U+0000⟩", "\x7f": "⟨U+007F⟩",
                             "\u202egnp.exe": "⟨U+202E⟩gnp.exe", "\u2066x\u2069": "⟨U+2066⟩x⟨U+2069⟩",
                             "\ufeff": "⟨U+FEFF⟩", "żółw 龟": "żółw 龟"})


class TestRecurrence:
    def test_describes_common_schedules_in_words(self):
        check(lambda cron: recurrence(Series(cron=cron, time_zone="Europe/Berlin")), {
            "0 14 * * sun": "every Sunday at 14:00, Europe/Berlin",
            "30 6 * * *": "every day at 06:30, Europe/Berlin",
            "*/5 6 1 * *": "cron */5 6 1 * *, Europe/Berlin",
            "0 6 * * mon-fri": "cron 0 6 * * mon-fri, Europe/Berlin"})


def shown(source: str, **facts: object) -> str:
    return Template("{% load parts %}" + source).render(Context(facts))


class TestParts:
    def test_escape_their_arguments(self):
        for source in ("{% page_head text %}", "{% card text text %}{{ text }}{% endcard %}", "{% fact text text %}",
                       "{% scrolling_table text %}{{ text }}{% endscrolling_table %}",
                       '{% post_button "language" words=text label=text %}'):
            page = shown(source, text=MARKUP, csrf_token="token")
            assert MARKUP not in page, source
            assert "&lt;b&gt;&amp;" in page, source
            assert "&amp;lt;" not in page, source

    def test_translate_texts_in_the_template(self):
        assert "<h2>Games</h2>" in shown('{% card _("Games") %}{% endcard %}')

    def test_leave_out_missing_arguments(self):
        assert "<span" not in shown('{% card "Games" %}{% endcard %}')
        assert "aria-label" not in shown('{% post_button "language" words="Go" %}', csrf_token="token")

    def test_post_with_the_csrf_token(self):
        button = shown('{% post_button "language" words="Go" %}', csrf_token="a token")
        assert '<form method="post" action="/language/">' in button
        assert '<input type="hidden" name="csrfmiddlewaretoken" value="a token">' in button
