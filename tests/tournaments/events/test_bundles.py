"""An event's bundle: its contents, and that `verify` accepts it unchanged and refuses it tampered with."""

import csv
import hashlib
import io
import json
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from engines.records.bundle import json_bytes
from engines.sandbox.isolation.limits import Tier
from tests.bench.verify import write
from tests.factories import START, make_event, make_user, make_version, play_event, play_match, spoil_match
from tournaments.formats import brackets, bundled, verification
from tournaments.kit.main import main
from tournaments.models import Attempt, Event, Game, Match
from tournaments.pairing import bracket
from tournaments.services.events.entries import leave_event
from tournaments.services.events.events import cancel_event, create_event, start_event
from tournaments.services.events.exports import ExportRefused, event_bundle, game_sgf
from tournaments.services.events.rounds import pair_next
from tournaments.services.ladders.ladders import create_ladder

Change = Callable[[dict[str, bytes]], None]


@pytest.fixture
def event(db: None) -> Event:
    """A finished round-robin of four with openings; one game ended by a forfeit."""
    names = ("Morphy", "Anderssen", "<b>Steinitz</b>", "Zukertört")
    event = make_event([make_version(name) for name in names], ruleset="square-grid-hex", size=5, openings=True)
    play_match(Match.objects.order_by("pk")[0], fault_after=3)
    return play_event(event)


@pytest.fixture
def path(event: Event, tmp_path: Path) -> Path:
    return saved(event, tmp_path)


def saved(event: Event, directory: Path) -> Path:
    with event_bundle(event) as file:
        (directory / "bundle.zip").write_bytes(file.read())
    return directory / "bundle.zip"


def contents(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as bundle:
        return {name: bundle.read(name) for name in bundle.namelist()}


def tampered(path: Path, change: Change, *, signed: bool = True) -> Path:
    """Write the bundle with changed files; if `signed`, with a manifest that matches them."""
    files = contents(path)
    change(files)
    if signed:
        facts = {name: {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
                 for name, data in files.items() if name != "manifest.json"}
        files["manifest.json"] = json_bytes({"bundle": 1, "files": facts})
    with zipfile.ZipFile(path, "w") as bundle:
        for name, data in files.items():
            bundle.writestr(name, data)
    return path


def edited(**edits: Callable[[Any], Any]) -> Change:
    """Return a change that applies a function to event.json (`event=`) or the first line of games.jsonl (`game=`)."""
    def change(files: dict[str, bytes]) -> None:
        if "event" in edits:
            about = json.loads(files["event.json"])
            edits["event"](about)
            files["event.json"] = json_bytes(about)
        if "game" in edits:
            first, *others = files["games.jsonl"].splitlines(keepends=True)
            game = json.loads(first)
            edits["game"](game)
            files["games.jsonl"] = b"".join([json_bytes(game) + b"\n", *others])
    return change


class TestABundle:
    def test_contains_the_event_its_games_results_and_sgf(self, event: Event, path: Path) -> None:
        files = contents(path)
        games = [json.loads(line) for line in files["games.jsonl"].splitlines()]
        assert [game["record"] for game in games] == [
            game.record for game in Game.objects.order_by("match_id", "number")]
        assert set(files) == {"event.json", "games.jsonl", "results.csv", "manifest.json",
                              *(f"sgf/{game['game']}.sgf" for game in games)}
        about = json.loads(files["event.json"])
        assert [entry["name"] for entry in about["entries"]] == [
            entry.bot.name for entry in event.entries.order_by("place")]
        assert [period["number"] for period in about["periods"]] == [1, 2, 3]
        assert all(len(period["changes"]) == 4 for period in about["periods"])

    def test_contains_the_results_as_csv(self, path: Path) -> None:
        rows = list(csv.DictReader(io.StringIO(contents(path)["results.csv"].decode())))
        games = list(Game.objects.order_by("match_id", "number"))
        assert [(row["first"], row["second"], float(row["result"]), row["opening"], int(row["period"]))
                for row in rows] == [
            (game.seat0.bot.slug, game.seat1.bot.slug, 0.5 if game.winner is None else 1 - game.winner,
             " ".join(game.record["opening"]), game.match.rating_period) for game in games]

    def test_lists_the_hash_of_every_file(self, path: Path) -> None:
        files = contents(path)
        manifest = json.loads(files.pop("manifest.json"))
        assert manifest["files"] == {name: {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
                                     for name, data in files.items()}

    def test_is_identical_each_time(self, event: Event) -> None:
        with event_bundle(event) as one, event_bundle(event) as other:
            assert one.read() == other.read()

    def test_contains_the_sgf_of_a_game(self, path: Path) -> None:
        game = Game.objects.select_related("event", "match__round").order_by("pk")[0]
        assert contents(path)[f"sgf/{game.pk}.sgf"].decode() == game_sgf(game)

    def test_contains_neither_stderr_nor_hosts(self, path: Path) -> None:
        said = b"".join(contents(path).values())
        assert b"stderr" not in said
        assert b"test:1" not in said

    def test_is_available_once_the_event_has_ended(self, db: None) -> None:
        event = make_event([make_version("Morphy"), make_version("Steinitz")], size=5)
        with pytest.raises(ExportRefused, match="Autumn Round Robin is running: its bundle is available once it has"):
            event_bundle(event)


class TestVerify:
    def test_accepts_a_bundle(self, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["verify", str(path)]) == 0
        assert capsys.readouterr().out == (
            "Autumn Round Robin verified: 15 files unchanged, 12 games by the rules, standings of 4 entrants and 24 "
            "rating changes as published.\n")

    @pytest.mark.parametrize("ruleset", ["scware", "squ", "ooscg-w", "squaresquared"])
    def test_accepts_a_bundle_in_every_ruleset(self, db: None, tmp_path: Path, ruleset: str) -> None:
        event = make_event([make_version("Morphy"), make_version("Steinitz")], ruleset=ruleset, size=6)
        assert main(["verify", str(saved(play_event(event), tmp_path))]) == 0

    def test_accepts_a_later_event_on_the_same_ladder(self, event: Event, tmp_path: Path) -> None:
        versions = [entry.version for entry in event.entries.order_by("place")][:3]
        again = play_event(make_event(versions, name="Again", ruleset="square-grid-hex", size=5))
        path = saved(again, tmp_path)
        assert all(facts["games"] >= 6 for facts in json.loads(
            contents(path)["event.json"])["periods"][0]["before"].values())
        assert main(["verify", str(path)]) == 0

    def test_accepts_a_cancelled_event(self, db: None, tmp_path: Path) -> None:
        event = make_event([make_version(name) for name in ("Morphy", "Steinitz", "Lasker")], size=5)
        play_event(event, matches_to_play=1)
        cancel_event(event=event, now=event.started_at)
        play_event(event, matches_to_play=0)
        assert main(["verify", str(saved(event, tmp_path))]) == 0

    def test_leaves_games_played_without_isolation_out_of_the_ratings(self, db: None, tmp_path: Path) -> None:
        event = make_event([make_version("Morphy"), make_version("Steinitz")], size=5)
        play_match(Match.objects.get())
        Attempt.objects.update(tier=Tier.UNSAFE_LOCAL)
        path = saved(play_event(event), tmp_path)
        assert [json.loads(line)["period"] for line in contents(path)["games.jsonl"].splitlines()] == [None, None]
        assert main(["verify", str(path)]) == 0


def played(event: Event) -> Event:
    """Pair and play rounds until nothing is due."""
    while True:
        for match in Match.objects.filter(event=event, status="queued").order_by("pk"):
            # The same games regardless of database ids.
            play_match(match, seed=100 * match.round.number + match.number)
        if not pair_next(event=event, now=START):
            return play_event(event)


def held(bots: int, format_: str) -> Event:
    ladder = create_ladder(ruleset="square-grid-hex", size=3, base_seconds=5.0)
    versions = [make_version(f"bot {number:02}") for number in range(bots)]
    runners = versions[:1] if format_ == "gauntlet" else ()
    event = create_event(name="Cup", ladder=ladder, versions=versions[len(runners):], runners=runners, starts_at=START,
                         now=START, seed=7, created_by=make_user("organiser", staff=True), format=format_)
    return start_event(event=event, now=START)


class TestOtherFormats:
    @pytest.mark.parametrize(("format_", "bots"), [("swiss", 7), ("knockout", 6), ("double knockout", 5),
                                                   ("gauntlet", 4)])
    def test_can_be_verified(self, db: None, tmp_path: Path, format_: str, bots: int) -> None:
        assert main(["verify", str(saved(played(held(bots, format_)), tmp_path))]) == 0

    @pytest.mark.parametrize("format_", ["swiss", "knockout"])
    def test_can_be_verified_after_a_withdrawal_and_a_void_match(
        self, db: None, tmp_path: Path, format_: str, settings: Any
    ) -> None:
        settings.MAX_ATTEMPTS = 1
        event = held(6, format_)
        open_, other = Match.objects.order_by("pk")[:2]
        leave_event(entry=event.entries.get(version=open_.first), actor=None, now=START)
        spoil_match(other, "the disk was full")
        assert main(["verify", str(saved(played(event), tmp_path))]) == 0

    def test_refuse_a_bundle_in_which_the_loser_advances(
        self, db: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = saved(played(held(2, "knockout")), tmp_path)
        about = json.loads(contents(path)["event.json"])
        (winner,), = about["stages"]
        other = next(entry["bot"] for entry in about["entries"] if entry["bot"] != winner)
        assert main(["verify", str(tampered(path, edited(event=lambda event: event.update(stages=[[other]]))))]) == 1
        assert "the one with fewer points advances" in capsys.readouterr().out


def steps_of(act: Callable[[], object]) -> int:
    """Count the executed lines of the verification and of the brackets, which is the same on every machine."""
    steps = 0
    files = {module.__file__ for module in (verification, bundled, brackets, bracket)}

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal steps
        steps += event == "line"
        return trace if frame.f_code.co_filename in files else None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        act()
    finally:
        sys.settrace(before)
    return steps


class TestALargeBundle:
    @pytest.mark.parametrize("format_", ["knockout", "double knockout"])
    def test_takes_as_many_steps_per_game_as_a_small_one(self, tmp_path: Path, format_: str) -> None:
        steps = []
        for about in (126, 1022):
            path = tmp_path / f"{about}.zip"
            with path.open("wb") as file:
                games = write(file, about, format_)
            steps.append(steps_of(lambda path=path: verification.verify_bundle(str(path))) / games)
        small, large = steps
        assert large < 1.1 * small


def flip(name: str) -> Change:
    def change(files: dict[str, bytes]) -> None:
        files[name] = files[name][:-3] + bytes([files[name][-3] ^ 1]) + files[name][-2:]
    return change


def without(name: str) -> Change:
    def change(files: dict[str, bytes]) -> None:
        del files[name]
    return change


class TestATamperedBundle:
    @pytest.mark.parametrize("name", ["event.json", "games.jsonl", "results.csv"])
    def test_is_refused_for_a_changed_byte(self, path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["verify", str(tampered(path, flip(name), signed=False))]) == 1
        assert f"Invalid: {name} was changed: its SHA-256 is " in capsys.readouterr().out

    @pytest.mark.parametrize("name", ["event.json", "games.jsonl", "results.csv"])
    def test_is_refused_for_a_missing_file(self, path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["verify", str(tampered(path, without(name), signed=False))]) == 1
        assert f"Invalid: {name} is missing" in capsys.readouterr().out
        assert main(["verify", str(tampered(path, lambda files: None))]) == 1
        assert f"Invalid: {name} is missing" in capsys.readouterr().out

    def test_is_refused_for_an_extra_file(self, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["verify", str(tampered(path, lambda files: files.update({"more": b""}), signed=False))]) == 1
        assert "more was added" in capsys.readouterr().out

    @pytest.mark.parametrize(("change", "why"), [
        (edited(game=lambda game: game["record"]["result"].update(winner=None)), "games.jsonl, line 1, game "),
        (edited(game=lambda game: game["record"]["turns"].pop()), "games.jsonl, line 1, game "),
        (edited(game=lambda game: game["record"]["turns"][0].update(turn="a9")), "cannot be played: a9 is off"),
        (edited(game=lambda game: game["seats"].reverse()), "the record is of a game by "),
        (edited(game=lambda game: game["seats"][0].update(sha256="0")), "did not enter with that build"),
        (edited(game=lambda game: game.update(period=99)), "results.csv, line 2: "),
        (edited(event=lambda event: event["standings"].reverse()), "not in order of place"),
        (edited(event=lambda event: event["standings"][0].update(points=0)), "event.json, standings: "),
        (edited(event=lambda event: event["standings"][1]["tie_breaks"].reverse()), "has tie_breaks "),
        (edited(event=lambda event: event["standings"].pop()), "there are 3 lines for 4 entrants"),
        (edited(event=lambda event: event["periods"][0]["changes"].pop()), "rating period 1: the rating changes of"),
        (edited(event=lambda event: event["periods"][1]["changes"][2][1].update(
            {next(iter(event["periods"][1]["changes"][2][1])): 99.0})), "rating period 2: the rating changes of game"),
        (edited(event=lambda event: next(iter(event["periods"][2]["before"].values())).update(rating=2000.0)),
         "starts with 2000.0, but had "),
        (edited(event=lambda event: event.pop("periods")), "not in the format that sites write"),
    ])
    def test_is_refused_with_line_and_reason_despite_new_hashes(
        self, path: Path, change: Change, why: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["verify", str(tampered(path, change))]) == 1
        said = capsys.readouterr().out
        assert said.startswith("Invalid: ")
        assert why in said

    def test_is_refused_with_the_line_of_a_changed_result(
        self, path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def change(files: dict[str, bytes]) -> None:
            lines = files["results.csv"].splitlines(keepends=True)
            lines[4] = lines[4].replace(b",1,", b",2,") if b",1," in lines[4] else lines[4].replace(b",0,", b",2,")
            files["results.csv"] = b"".join(lines)

        assert main(["verify", str(tampered(path, change))]) == 1
        assert "Invalid: results.csv, line 5: " in capsys.readouterr().out

    @pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x03\x04"])
    def test_is_refused_when_it_is_not_a_zip(self, tmp_path: Path, content: bytes) -> None:
        (tmp_path / "x.zip").write_bytes(content)
        assert main(["verify", str(tmp_path / "x.zip")]) == 1

    def test_that_does_not_exist_is_reported(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["verify", str(tmp_path / "nowhere.zip")]) == 2
        assert "is not a file" in capsys.readouterr().err
