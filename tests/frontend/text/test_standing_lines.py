"""Lines of an event's standings as shown on its page."""

import pytest
from django.urls import reverse

from frontend.text.events.standing_lines import standing_lines
from tests.factories import START, make_event, make_user, make_version, play_event
from tournaments.models import Event
from tournaments.selectors.events import events as reads
from tournaments.services.events.events import create_event, start_event
from tournaments.services.ladders.ladders import create_ladder

pytestmark = pytest.mark.django_db

NUMBER = '<td class="n">'


def versions():
    return [make_version(name) for name in ("ant", "bee", "cat")]


def soon(**facts) -> Event:
    ladder = create_ladder(ruleset="square-grid-hex", size=3, base_seconds=5.0)
    return create_event(name="Soon", ladder=ladder, versions=versions(), starts_at=START, now=START, seed=7,
                        created_by=make_user("mia", staff=True), **facts)


def cells(event: Event) -> list[list[str]]:
    """Return the cells of each line as rendered by the template."""
    return [line["numbers"].split(NUMBER)[1:] for line in standing_lines(event, reads.standings(event))]


class TestStandingLines:
    def test_are_markup_on_the_page(self, client):
        for event in (soon(), start_event(event=soon(format="knockout"), now=START)):
            page = client.get(reverse("event", args=[event.slug])).content.decode()
            assert "&lt;td" not in page
            assert page.count(NUMBER) >= 3

    def test_have_points_share_games_record_tie_breaks_and_rating(self):
        event = play_event(make_event(versions(), ruleset="square-grid-hex", size=3))
        best = reads.standings(event)[0]
        points, share, games, record, *tie_breaks, rating = cells(event)[0]
        assert points == f"<strong>{best.row.points:g}</strong></td>"
        assert share == f"{best.row.score.share * 100:.1f}%</td>"
        score = best.row.score
        assert (games, record) == ("4</td>", f"{score.wins}–{score.draws}–{score.losses}</td>")
        assert len(tie_breaks) == len(best.row.tie_breaks)
        assert rating.startswith(f'{best.rating.value:.0f} <small class="muted">± ')

    def test_have_no_points_in_a_knockout(self):
        event = start_event(event=soon(format="knockout"), now=START)
        assert cells(event) == [["0</td>", "0–0–0</td>", "–</td>"]] * 3

    def test_have_only_a_rating_before_the_start(self):
        event = soon()
        assert cells(event) == [["–</td>"]] * 3
        assert {line["place"] for line in standing_lines(event, reads.standings(event))} == {""}
