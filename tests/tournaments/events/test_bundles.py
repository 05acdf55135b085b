"""An event's bundle: its contents, and that `verify` accepts it unchanged and refuses it tampered with."""

import csv
import hashlib
import io
import json
import re
import zipfile
from collections.abc import Callable
from cProfile import Profile
from pathlib import Path
from typing import Any

import pytest

from engines.records import bundle
from engines.records.bundle import json_bytes
from engines.rules.registry import find
from engines.sandbox.isolation.limits import Tier
from tests.bench.verify import write
from tests.factories import START, make_event, make_version, play_event, play_match, spoil_match
from tests.tournaments.events.test_rounds import hold_event, play_out, to_the_end
from tournaments.formats import verification
from tournaments.kit.main import main
from tournaments.models import Attempt, Event, Game, Match
from tournaments.services.events.entries import leave_event
from tournaments.services.events.events import cancel_event
from tournaments.services.events.exports import ExportRefused, event_bundle, game_sgf

Change = Callable[[dict[str, bytes]], None]


@pytest.fixture(scope="module")
def event(module_db: None) -> Event:
    """A finished round-robin of four with openings; one game ended by a forfeit."""
    names = ("Morphy", "Anderssen", "<b>Steinitz</b>", "Zukertört")
    event = make_event([make_version(name) for name in names], ruleset="square-grid-hex", size=5, openings=True)
    play_match(Match.objects.order_by("pk")[0], fault_after=3)
    return play_event(event)


@pytest.fixture(scope="module")
def path(event: Event, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved(event, tmp_path_factory.mktemp("bundle"))


def saved(event: Event, directory: Path) -> Path:
    with event_bundle(event) as file:
        (directory / "bundle.zip").write_bytes(file.read())
    return directory / "bundle.zip"


def contents(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name) for name in file.namelist()}


def tampered(path: Path, change: Change, *, signed: bool = True) -> Path:
    """Return a bundle with changed files next to this one; if `signed`, its manifest matches them."""
    files = contents(path)
    change(files)
    if signed:
        facts = {name: {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
                 for name, data in files.items() if name != "manifest.json"}
        files["manifest.json"] = json_bytes({"bundle": 1, "files": facts})
    with zipfile.ZipFile(path.with_name("tampered.zip"), "w") as file:
        for name, data in files.items():
            file.writestr(name, data)
    return path.with_name("tampered.zip")


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


def number(text: str) -> Change:
    """Return a change that puts this text in the place of the first game's overhead."""
    def change(files: dict[str, bytes]) -> None:
        games = files["games.jsonl"]
        files["games.jsonl"] = re.sub(rb'"overhead":[^,}]+', f'"overhead":{text}'.encode(), games, count=1)
    return change


class TestABundle:
    def test_contains_the_event_its_games_results_and_sgf(self, event: Event, path: Path) -> None:
        files = contents(path)
        games = list(Game.objects.filter(event=event).select_related("event", "match__round")
                     .order_by("match_id", "number"))
        assert set(files) == {"event.json", "games.jsonl", "results.csv", "manifest.json",
                              *(f"sgf/{game.pk}.sgf" for game in games)}
        assert [json.loads(line)["record"] for line in files["games.jsonl"].splitlines()] == [
            game.record for game in games]
        about = json.loads(files["event.json"])
        assert [entry["name"] for entry in about["entries"]] == [
            entry.bot.name for entry in event.entries.order_by("place")]
        rows = list(csv.DictReader(io.StringIO(files["results.csv"].decode())))
        assert [(row["first"], row["second"], float(row["result"]), row["opening"], int(row["period"]))
                for row in rows] == [
            (game.seat0.bot.slug, game.seat1.bot.slug, 0.5 if game.winner is None else 1 - game.winner,
             " ".join(game.record["opening"]), game.match.rating_period) for game in games]
        assert files[f"sgf/{games[0].pk}.sgf"].decode() == game_sgf(games[0])
        manifest = json.loads(files["manifest.json"])
        del files["manifest.json"]
        assert manifest["files"] == {name: {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
                                     for name, data in files.items()}

    def test_is_identical_each_time_and_contains_neither_stderr_nor_hosts(self, event: Event, path: Path) -> None:
        with event_bundle(event) as file:
            assert file.read() == path.read_bytes()
        said = b"".join(contents(path).values())
        assert b"stderr" not in said
        assert b"test:1" not in said

    def test_is_available_once_the_event_has_ended(self, db: None) -> None:
        event = make_event([make_version("Lasker"), make_version("Marshall")], name="Cup", size=5)
        with pytest.raises(ExportRefused, match="Cup is running: its bundle is available once it has"):
            event_bundle(event)


class TestVerify:
    def test_accepts_a_bundle(self, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["verify", str(path)]) == 0
        assert capsys.readouterr().out == (
            "Autumn Round Robin verified: 15 files unchanged, 12 games by the rules, standings of 4 entrants as "
            "published.\n")

    def test_accepts_a_bundle_of_an_older_release_with_rating_changes(self, path: Path) -> None:
        period = {"number": 1, "round": 1, "before": {}, "changes": []}
        older = edited(event=lambda event: event.update(periods=[period]))
        assert main(["verify", str(tampered(path, older))]) == 0

    def test_accepts_a_bundle_in_every_ruleset(self, db: None, tmp_path: Path) -> None:
        for ruleset in ("scware", "squ", "ooscg-w", "squaresquared"):
            event = make_event([make_version("Morphy"), make_version("Lasker")], ruleset=ruleset,
                               size=min(find(ruleset).sizes))
            assert main(["verify", str(saved(play_event(event), tmp_path))]) == 0, ruleset

    def test_accepts_a_later_event_on_the_same_ladder(self, event: Event, tmp_path: Path) -> None:
        versions = [entry.version for entry in event.entries.order_by("place")][:2]
        again = play_event(make_event(versions, name="Again", ruleset="square-grid-hex", size=5))
        assert main(["verify", str(saved(again, tmp_path))]) == 0

    def test_accepts_a_cancelled_event(self, db: None, tmp_path: Path) -> None:
        event = make_event([make_version(name) for name in ("Morphy", "Steinitz", "Lasker")], size=5)
        play_event(event, matches_to_play=1)
        cancel_event(event=event, now=event.started_at)
        play_event(event, matches_to_play=0)
        assert main(["verify", str(saved(event, tmp_path))]) == 0

    def test_gives_games_played_without_isolation_no_rating_period(self, db: None, tmp_path: Path) -> None:
        event = make_event([make_version("Morphy"), make_version("Steinitz")], size=5)
        play_match(event.matches.get())
        Attempt.objects.update(tier=Tier.UNSAFE_LOCAL)
        path = saved(play_event(event), tmp_path)
        assert [json.loads(line)["period"] for line in contents(path)["games.jsonl"].splitlines()] == [None, None]
        assert main(["verify", str(path)]) == 0


def verified(event: Event, directory: Path) -> bool:
    """Play the rest of the event, rate it, and verify its bundle."""
    play_out(event)
    return main(["verify", str(saved(play_event(event), directory))]) == 0


class TestOtherFormats:
    @pytest.mark.slow
    def test_can_be_verified(self, db: None, tmp_path: Path) -> None:
        assert verified(hold_event(4, "double knockout", rated=True), tmp_path)
        assert verified(hold_event(2, "gauntlet", runners=[make_version("runner")], rated=True), tmp_path)

    @pytest.mark.parametrize("format_", ["swiss", "knockout"])
    def test_can_be_verified_after_a_withdrawal_and_a_void_match(
        self, db: None, tmp_path: Path, format_: str, settings: Any
    ) -> None:
        settings.MAX_ATTEMPTS = 1
        event = hold_event(6, format_, rated=True)
        open_, other = event.matches.order_by("pk")[:2]
        leave_event(entry=event.entries.get(version=open_.first), actor=None, now=START)
        spoil_match(other, "the disk was full")
        assert verified(event, tmp_path)

    def test_refuse_a_bundle_in_which_the_loser_advances(
        self, db: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = saved(to_the_end(hold_event(2, "knockout")), tmp_path)
        about = json.loads(contents(path)["event.json"])
        (winner,), = about["stages"]
        other = next(entry["bot"] for entry in about["entries"] if entry["bot"] != winner)
        assert main(["verify", str(tampered(path, edited(event=lambda event: event.update(stages=[[other]]))))]) == 1
        assert "the one with fewer points advances" in capsys.readouterr().out


def calls_of(act: Callable[[], object]) -> int:
    """Count the calls of functions, which are the same on every machine."""
    profile = Profile()
    profile.runcall(act)
    return sum(each.callcount for each in profile.getstats())


class TestALargeBundle:
    @pytest.mark.parametrize("format_", ["knockout", "double knockout"])
    def test_takes_as_many_calls_per_game_as_a_small_one(self, tmp_path: Path, format_: str) -> None:
        calls = []
        for about in (62, 510):
            path = tmp_path / f"{about}.zip"
            with path.open("wb") as file:
                games = write(file, about, format_)
            calls.append(calls_of(lambda path=path: verification.verify_bundle(str(path))) / games)
        small, large = calls
        assert large < 1.1 * small


class TestATamperedBundle:
    def test_is_refused_for_a_changed_missing_or_extra_file(
        self, path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def said_of(change: Change, *, signed: bool = False) -> str:
            assert main(["verify", str(tampered(path, change, signed=signed))]) == 1
            return capsys.readouterr().out

        for name in ("event.json", "games.jsonl", "results.csv"):
            def flip(files: dict[str, bytes], name: str = name) -> None:
                files[name] = files[name][:-3] + bytes([files[name][-3] ^ 1]) + files[name][-2:]

            assert f"Invalid: {name} was changed: its SHA-256 is " in said_of(flip)
            for signed in (False, True):
                assert f"Invalid: {name} is missing" in said_of(lambda files, name=name: files.pop(name), signed=signed)
        assert "more was added" in said_of(lambda files: files.update({"more": b""}))

    def test_is_refused_with_line_and_reason_despite_new_hashes(
        self, path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def other_result(files: dict[str, bytes]) -> None:
            lines = files["results.csv"].splitlines(keepends=True)
            lines[4] = lines[4].replace(b",1,", b",2,") if b",1," in lines[4] else lines[4].replace(b",0,", b",2,")
            files["results.csv"] = b"".join(lines)

        wrong = []
        for change, why in (
                (edited(game=lambda game: game["record"]["result"].update(winner=None)), "games.jsonl, line 1, game "),
                (edited(game=lambda game: game["record"]["turns"].pop()), "games.jsonl, line 1, game "),
                (edited(game=lambda game: game["record"]["turns"][0].update(turn="a9")), "be played: a9 is off"),
                (edited(game=lambda game: game["seats"].reverse()), "the record is of a game by "),
                (edited(game=lambda game: game["seats"][0].update(sha256="0")), "did not enter with that build"),
                (edited(game=lambda game: game.update(period=99)), "results.csv, line 2: "),
                (edited(event=lambda event: event["standings"].reverse()), "not in order of place"),
                (edited(event=lambda event: event["standings"][0].update(points=0)), "event.json, standings: "),
                (edited(event=lambda event: event["standings"][1]["tie_breaks"].reverse()), "has tie_breaks "),
                (edited(event=lambda event: event["standings"].pop()), "there are 3 lines for 4 entrants"),
                (edited(event=lambda event: event.pop("standings")), "event.json has no standings"),
                (edited(event=lambda event: event.update(entries=event["entries"] * 3000)), "have the same bot"),
                (edited(event=lambda event: event["standings"].append(event["standings"][0])), "have the same bot"),
                (edited(event=lambda event: event["event"].update(cycles=10**9)),
                 "event.json, event, cycles is not a whole number from 1 to 32767"),
                (edited(event=lambda event: event["entries"][2].update(left_at="soon")),
                 "event.json, entries[2], left_at is not a time with its zone"),
                (edited(event=lambda event: event.update(standings={})), "event.json, standings is not a list of"),
                (edited(game=lambda game: game.update(round=True)), "games.jsonl, line 1, round is not a whole number"),
                (number("NaN"), "games.jsonl, line 1 is not JSON: the number NaN is out of range"),
                (number("1" + "0" * 400), "games.jsonl, line 1 is not JSON: the number 1000"),
                (number("1e400"), "games.jsonl, line 1 is not JSON: the number 1e400 is out of range"),
                (other_result, "Invalid: results.csv, line 5: ")):
            status, said = main(["verify", str(tampered(path, change))]), capsys.readouterr().out
            if status != 1 or not said.startswith("Invalid: ") or why not in said:
                wrong.append((why, said))
        assert wrong == []

    def test_is_refused_before_it_fills_the_memory(
        self, path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(bundle, "_LARGEST", 100_000)
        for name in ("event.json", "results.csv"):
            def grow(files: dict[str, bytes], name: str = name) -> None:
                files[name] += b" " * 100_000

            assert main(["verify", str(tampered(path, grow))]) == 1
            assert capsys.readouterr().out == f"Invalid: {name} is too large: it may have 100,000 bytes\n"

    def test_is_refused_when_it_is_no_zip_or_does_not_exist(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        for content in (b"", b"no zip", b"PK\x03\x04"):
            (tmp_path / "x.zip").write_bytes(content)
            assert main(["verify", str(tmp_path / "x.zip")]) == 1
        assert main(["verify", str(tmp_path / "nowhere.zip")]) == 2
        assert "is not a file" in capsys.readouterr().err
