"""The results of a whole ladder as a file, and its official table computed from the file by `squarefield rate`."""

import csv
import io
import json

import pytest
from rest_framework.test import APIClient

from ratings.models import OfficialLine, OfficialTable
from ratings.official import LINE_FACTS
from tests.factories import START, make_event, make_user, make_version, play_event, play_match
from tests.tournaments.ladders.official import play_to
from tournaments.kit.main import main
from tournaments.models import Bot, Event, Game, Ladder, Match
from tournaments.services.ladders.anchors import set_anchor
from tournaments.services.ladders.official import compute_due
from tournaments.services.ladders.rating import rate_due

pytestmark = pytest.mark.django_db
LATER = START.replace(hour=20)


@pytest.fixture(scope="module")
def mixed(module_db):
    """A ladder with openings and without, two versions of one bot, an anchor, and games that the table leaves out."""
    old = [make_version(name) for name in ("ant", "bee", "cat")]
    play_event(make_event(old, ruleset="square-grid-hex", size=4, openings=True))
    new = [make_version("ant"), old[1], old[2], make_version('d"og, Esq.')]
    event = make_event(new, name="Without openings", ruleset="square-grid-hex", size=4)
    play_to(Match.objects.filter(event=event).earliest("pk"), 0, 1, now=START, tier="unsafe-local")
    play_event(event)
    set_anchor(ladder=event.ladder, version=old[0], rating=1812.5, actor=make_user("noor", staff=True), now=LATER)
    compute_due(LATER)
    later = make_event(old, name="Later", ruleset="square-grid-hex", size=4)
    for match in Match.objects.filter(event=later, round__number=1):
        play_match(match)
    rate_due(LATER)
    for match in Match.objects.filter(event=later, round__number=2):
        play_match(match)
    return event.ladder_id


@pytest.fixture
def ladder(mixed, db):
    return Ladder.objects.get(pk=mixed)


def downloaded(ladder):
    answer = APIClient().get(f"/api/ladders/{ladder.slug}/results/")
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/csv; charset=utf-8")
    assert answer["Content-Disposition"] == f'attachment; filename="{ladder.slug}-results.csv"'
    return b"".join(answer.streaming_content).decode()


def rated(text, path, capsys, *options):
    (path / "results.csv").write_text(text)
    status = main(["rate", str(path / "results.csv"), *options])
    out, error = capsys.readouterr()
    return json.loads(out) if status == 0 else error


class TestResults:
    def test_give_the_official_table_to_every_digit(self, ladder, tmp_path, capsys):
        table = OfficialTable.objects.get(ladder=ladder)
        said = rated(downloaded(ladder), tmp_path, capsys, "--official", str(table.period),
                     "--anchor", f"{Bot.objects.get(name='ant').slug} v1=1812.5")
        lines = OfficialLine.objects.filter(table=table).select_related("version__bot").order_by("rank")
        assert said["players"] == [{"name": f"{line.version.bot.slug} v{line.version.number}",
                                    **{fact: getattr(line, fact) for fact in LINE_FACTS}} for line in lines]
        assert len(said["players"]) == 5
        assert (said["input"], said["games"], said["version"]) == (table.input, table.games, table.model)
        assert [said["first_move_advantage"], said["first_move_advantage_low"], said["first_move_advantage_high"],
                said["draw_parameter"], said["draw_parameter_low"], said["draw_parameter_high"]] == [
            table.advantage, table.advantage_low, table.advantage_high, table.draw_parameter,
            table.draw_parameter_low, table.draw_parameter_high]

    def test_name_opening_period_rated_and_versions(self, ladder):
        rows = list(csv.DictReader(io.StringIO(downloaded(ladder))))
        assert list(rows[0]) == ["first", "second", "result", "opening", "period", "rated", "first_version",
                                 "second_version", "first_id", "second_id"]
        assert len(rows) == Game.objects.count()
        assert {row["rated"] for row in rows if not row["period"]} == {"no"}
        assert {row["rated"] for row in rows if row["period"]} == {"yes"}
        assert {row["first_version"] for row in rows} == {"1", "2"}
        assert len({row["opening"] for row in rows}) > 2

    def test_leave_out_private_events(self, ladder):
        before, games = downloaded(ladder).count("\n"), Game.objects.filter(event__name="Later").count()
        Event.objects.filter(name="Later").update(private=True)
        assert downloaded(ladder).count("\n") == before - games < before

    def test_are_refused_with_line_and_reason(self, ladder, tmp_path, capsys):
        for change, said in (
            ((",yes,", ",maybe,"), "line 2: the column rated says 'maybe': write yes or no"),
            ((",first_id", ",id"), ("line 1: there is no column first_id: make the first line first,second,result,"
                                    "opening,period,rated,first_version,second_version,first_id,second_id")),
        ):
            error = rated(downloaded(ladder).replace(*change, 1), tmp_path, capsys, "--official", "1")
            assert error.endswith(f"results.csv, {said}\n")
