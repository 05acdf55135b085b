"""A Swiss as a report in FIDE's format: bbpPairings and py4swiss read it, and pair the next round as the site does."""

import shutil
import subprocess
from pathlib import Path

import pytest
from py4swiss.trf import TrfParser
from rest_framework.test import APIClient

from ratings.rate.trf import read_report, read_trf
from tests.factories import START, make_event, make_version, spoil_match
from tests.tournaments.events.test_rounds import hold_event, play_out, play_round
from tests.tournaments.pairing import trf
from tournaments.models import Bye, Match
from tournaments.models.lifecycle import MatchStatus
from tournaments.pairing.trf import Player, RoundResult, bye_code, report
from tournaments.services.events import rounds
from tournaments.services.events.entries import leave_event

DATA = Path(__file__).parents[2] / "data" / "pairing"


def made_by_bbp_pairings(folder):
    """Build bbpPairings, and return its path."""
    shutil.unpack_archive(DATA / "bbpPairings-16a000f.tar.xz", folder)
    # Its generator of tournaments and its other Swiss system are not needed.
    subprocess.run(["make", "engine_comparison=no", "burstein=no", "optimize=no", "optional_cxxflags=-std=c++20"],
                   cwd=folder, check=True, capture_output=True)
    return folder / "bbpPairings.exe"


def paired_by_bbp_pairings(program, text, path):
    """Return the next round's pairs, white first, as places in the draw."""
    (path / "report.trf").write_text(text)
    subprocess.run([program, "--dutch", path / "report.trf", "-p", path / "pairs.txt"], check=True)
    lines = [line.split() for line in (path / "pairs.txt").read_text().splitlines()[1:] if line]
    return {(int(white) - 1, int(black) - 1 if int(black) else None) for white, black in lines}


class TestReport:
    @pytest.mark.parametrize("name", ["bbp-20-7", "bbp-40-9"])
    def test_has_the_columns_of_bbp_pairings(self, name):
        theirs = [line for line in (DATA / f"{name}.trf").read_text().splitlines() if line.startswith("001")]
        players = [Player(line[14:47].strip(), float(line[48:52]), int(line[85:89])) for line in theirs]
        results = trf.read(DATA / f"{name}.trf")
        played = [{player: RoundResult(row[number].code, row[number].opponent, row[number].colour == "w")
                   for player, row in enumerate(results)} for number in range(len(results[0]))]
        ours = report("AutoTest", players, len(played), played, facts={"062": "20"}).splitlines()
        assert ours[:2] == ["012 AutoTest", "062 20"]
        assert ours[2:-2] == [line.rstrip() for line in theirs]
        assert ours[-2:] == [f"XXR {len(played)}", "XXC white1"]

    def test_has_one_code_per_kind_of_bye(self):
        played = [{0: RoundResult(bye_code(1.0)), 1: RoundResult(bye_code(0.5)), 2: RoundResult(bye_code(0.0))}]
        lines = report("Cup", [Player("a\nb", None, 1), Player("c" * 99, -12.0, 2), Player("d", 12345.0, 3)], 3, played,
                       facts={}, away=frozenset({2})).splitlines()
        assert [line[89:].strip() for line in lines[1:4]] == ["0000 - U", "0000 - H", "0000 - Z  0000 - Z"]
        assert [line[80:84] for line in lines[1:4]] == [" 1.0", " 0.5", " 0.0"]
        assert [(line[14:47].strip(), line[48:52]) for line in lines[1:4]] == [
            ("a b", "    "), ("c" * 33, "   0"), ("d", "9999")]


@pytest.mark.django_db
class TestAnEvent:
    def fetched(self, event):
        answer = APIClient().get(f"/api/events/{event.slug}/trf/")
        assert (answer.status_code, answer["Content-Type"]) == (200, "text/plain; charset=utf-8")
        assert answer["Content-Disposition"] == f'attachment; filename="{event.slug}.trf"'
        return answer.content.decode()

    @pytest.mark.slow
    @pytest.mark.parametrize("format_", ["swiss", "accelerated swiss"])
    def test_is_paired_by_py4swiss_as_by_us(self, tmp_path, format_):
        """Of an accelerated event, py4swiss pairs by the rules before 2026, which in this one give the same."""
        event = hold_event(9, format_, swiss_rounds=4)
        for _ in range(3):
            play_round(event)
            theirs = trf.paired_by_py4swiss(self.fetched(event), tmp_path)
            assert rounds.pair_next(event=event, now=START)
            assert self.pairs(event) == theirs

    @pytest.mark.thorough
    @pytest.mark.slow
    def test_is_paired_by_bbp_pairings_as_by_us(self, tmp_path):
        """Every day, test_swiss_elsewhere.py compares stored pairings of this program."""
        program = made_by_bbp_pairings(tmp_path)
        for format_ in ("swiss", "accelerated swiss"):
            event = hold_event(9, format_, swiss_rounds=5)
            for _ in range(4):
                play_round(event)
                theirs = paired_by_bbp_pairings(program, self.fetched(event), tmp_path)
                assert rounds.pair_next(event=event, now=START)
                assert self.pairs(event) == theirs

    def pairs(self, event):
        place = dict(event.entries.values_list("version", "place"))
        last = event.rounds.latest("number")
        matches = Match.objects.filter(round=last).values_list("first", "second")
        return ({(place[first], place[second]) for first, second in matches}
                | {(bye.entry.place, None) for bye in Bye.objects.filter(round=last)})

    @pytest.mark.slow
    def test_reports_forfeits_void_matches_and_absences(self, tmp_path):
        event = hold_event(7, "swiss", swiss_rounds=4)
        void, left, *_ = Match.objects.filter(event=event).order_by("number")
        while Match.objects.get(pk=void.pk).status == MatchStatus.QUEUED:
            spoil_match(Match.objects.get(pk=void.pk), "the host failed")
        loser = event.entries.get(version=left.second)
        leave_event(entry=loser, actor=None, now=START)
        play_round(event)
        parsed = self.results(self.fetched(event), tmp_path)
        place = dict(event.entries.values_list("version", "place"))
        assert parsed[place[void.first_id]] == parsed[place[void.second_id]] == ["H"]
        assert parsed[place[left.first_id]] == ["+"]
        # The last code says that the entrant is absent from the next round.
        assert parsed[loser.place] == ["-", "Z"]
        assert ["U"] in parsed
        theirs = trf.paired_by_py4swiss(self.fetched(event), tmp_path)
        assert rounds.pair_next(event=event, now=START)
        assert self.pairs(event) == theirs
        assert self.results(self.fetched(event), tmp_path) == parsed
        play_out(event)
        text = self.fetched(event)
        parsed = self.results(text, tmp_path)
        assert [len(row) for row in parsed] == [4] * 7
        players = read_report(text.encode()).players
        assert [[result.code for result in players[number].results] for number in range(1, 8)] == parsed
        met = {(result.opponent - 1, number, round_) for number, player in enumerate(players.values())
               for round_, result in enumerate(player.results) if result.opponent}
        assert met == {(number, opponent, round_) for opponent, number, round_ in met}
        finished = Match.objects.filter(event=event, status=MatchStatus.FINISHED).exclude(pk=left.pk)
        assert len(read_trf(text.encode()).games) == finished.count()

    def results(self, text, path):
        (path / "report.trf").write_text(text)
        return [[result.result.value for result in player.results]
                for player in TrfParser.parse(path / "report.trf", strict=True).player_sections]

    def test_is_refused_with_a_reason_for_other_formats_and_before_the_start(self):
        versions = [make_version(name) for name in ("ant", "bee")]
        plain = make_event(versions, ruleset="square-grid-hex", size=3)
        waiting = hold_event(4, "swiss", started=False)
        answers = [APIClient().get(f"/api/events/{event.slug}/trf/") for event in (plain, waiting)]
        assert [answer.status_code for answer in answers] == [409, 409]
        assert [answer.json()["detail"] for answer in answers] == [
            "Autumn Round Robin is a round-robin: only a Swiss has a FIDE report (TRF).",
            "Cup has not started: its FIDE report (TRF) is available after the draw."]
