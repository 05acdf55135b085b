"""`squarefield play`: games between two bots, either one that is shown live or a series with statistics."""

import argparse
import json
import os
import secrets
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final, TextIO

from engines.bots import REFERENCE_BOTS
from engines.cli import INTERRUPTED, parser_of
from engines.records.record import GameRecord
from engines.records.replay import result_sentence
from engines.records.time_control import TimeControl, TimeControlError
from engines.referee.play import OpeningError, default_ply_cap, play_game
from engines.rules.openings import draw
from engines.rules.registry import RULESETS
from engines.rules.ruleset import Ruleset, SetupError
from engines.sandbox import Build, Sandbox, SandboxError, Tier
from ratings.sprt import Bounds
from tournaments.kit.bots import KINDS, MAPPING, CannotPlay, stage_for
from tournaments.kit.bridge.outside import Outside, outside
from tournaments.kit.pool import Pool, Setting, limits_for, player_of, tier_of
from tournaments.kit.series import Standing, schedule
from tournaments.kit.terminal import Progress, Screen, refused, show_end, shown, tell_tier

_MOST_GAMES: Final = 100_000
_DESCRIPTION: Final = """\
Plays one game between two bots and shows it. The first bot has the first colour and moves first.
A bot that breaks the rules of conduct forfeits the game; the reason and the offending line are
printed.

With --games, plays a series in pairs of games from the same opening, with the seats swapped, and
prints the first bot's score and Elo difference with 95 % confidence intervals. A pair that repeats
an earlier pair turn for turn does not count again. --sprt ends the series as soon as the test
decides between two Elo differences, or when games only repeat earlier ones.

A bot is {kinds}.
It can also be the mapping file of a bridge (see `squarefield bridge`).
The reference bots are {names}."""


def main(argv: Sequence[str]) -> int:
    """Play. Returns 0 if all games have a result, 2 if they could not be played, 130 after Ctrl-C."""
    parser = _parser()
    options = parser.parse_args(argv)
    if options.sprt is not None and options.games is None:
        parser.error("--sprt needs --games N, the maximum number of games")
    options.games = options.games or 1
    several = options.games > 1 or options.sprt is not None or options.record_dir is not None
    if several and options.record is not None:
        parser.error("--record saves one game: for a series, use --record-dir")
    if several and (options.opening is not None or options.ponder):
        parser.error("--opening and --ponder work for one game only")
    try:
        _check_concurrency(options.concurrency)
        if several:
            return _play_series(options)
        show_end(_play_one(options))
    except (CannotPlay, OpeningError, SandboxError) as error:
        return refused("no game played", error)
    return 0


def _parser() -> argparse.ArgumentParser:
    description = _DESCRIPTION.format(kinds=KINDS.replace(", its archive", ",\nits archive"),
                                      names=", ".join(REFERENCE_BOTS))
    parser = parser_of("squarefield play", description)
    parser.add_argument("ruleset", choices=RULESETS, metavar="RULESET", help=", ".join(RULESETS))
    parser.add_argument("bots", nargs=2, metavar="BOT", help="a reference bot's name, or a bot's directory or file")
    parser.add_argument("--size", type=int, metavar="N", help="board size in cells per side (default: the ruleset's "
                                                              "own)")
    parser.add_argument("--time", default="10+0.1", metavar="TIME", help="seconds per bot + seconds per turn, or a "
                        "fixed time such as 0.5/turn (default: %(default)s)")
    parser.add_argument("--opening", type=_turns, metavar="TURNS", help="opening turns of one game, such as 'b1;a2'; "
                        "use a record's opening, time and bots to replay it")
    parser.add_argument("--seed", type=_seed, metavar="N", help="seed for the opening of one game, unless --opening is "
                        "given, or for the openings of a series (default there: random); it is recorded")
    parser.add_argument("--ponder", action="store_true", help="let bots think during the opponent's turn (one game "
                                                              "only)")
    parser.add_argument("--record", metavar="FILE", help="save the game's record to this file, as JSON")
    parser.add_argument("--quiet", action="store_true", help="print only the result")
    parser.add_argument("--unsafe-local", action="store_true", help="run the bots without a sandbox (only for your own "
                                                                    "bots)")
    series = parser.add_argument_group("series of games")
    series.add_argument("--games", type=count, metavar="N", help="number of games (default: 1); with --sprt, the "
                        "maximum")
    series.add_argument("--concurrency", type=count, default=1, metavar="K", help="games in parallel, at most one per "
                        "core")
    series.add_argument("--sprt", type=_sprt, metavar="ELO0,ELO1", help="stop when the test decides whether the "
                        "first bot is ELO0 or ELO1 normalized Elo stronger, with an error rate of 5 %% either way, or "
                        "when games only repeat earlier ones; for example --sprt=-10,40. Needs --games")
    series.add_argument("--record-dir", metavar="DIR", help="save every game's record to this directory, as "
                                                            "game-1.json, game-2.json …")
    return parser


def _turns(text: str) -> tuple[str, ...]:
    return tuple(turn.strip() for turn in text.split(";") if turn.strip())


def _seed(text: str) -> int:
    number = int(text)
    if not 0 <= number < 2**63:
        raise argparse.ArgumentTypeError(f"the seed must be from 0 to 2^63 - 1, not {number}")
    return number


def count(text: str) -> int:
    """Return a number of games or processes. Raises ArgumentTypeError."""
    number = int(text)
    if not 1 <= number <= _MOST_GAMES:
        raise argparse.ArgumentTypeError(f"the number must be from 1 to {_MOST_GAMES}, not {number}")
    return number


def _sprt(text: str) -> Bounds:
    elo0, _, elo1 = text.partition(",")
    try:
        numbers = float(elo0), float(elo1)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} must be two numbers separated by a comma") from None
    try:
        return Bounds(*numbers)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _check_concurrency(games: int) -> None:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if games > cores:
        raise CannotPlay(f"--concurrency {games}: this machine has {'one core' if cores == 1 else f'{cores} cores'}, "
                         "and each game needs its own, or bots would lose on time")


def _game_of(options: argparse.Namespace) -> tuple[Ruleset, int, TimeControl]:
    ruleset = RULESETS[options.ruleset]
    size = ruleset.default_size if options.size is None else options.size
    try:
        ruleset.check_size(size)
        return ruleset, size, TimeControl.parse(options.time)
    except (SetupError, TimeControlError) as error:
        raise CannotPlay(str(error)) from None


def _open(options: argparse.Namespace, ruleset: Ruleset, size: int) -> tuple[Sandbox, tuple[Build, Build]]:
    sandbox = Sandbox.open(unsafe_local=options.unsafe_local)
    first, second = (outside(name, ruleset, size) if Path(name).suffix == MAPPING else
                     stage_for(sandbox, name, ruleset) for name in options.bots)
    tell_tier(sandbox)
    for build in {build.manifest.name: build for build in (first, second) if isinstance(build, Outside)}:
        print(shown(f"{build} runs outside the sandbox, as you; clocks measure wall-clock time"), file=sys.stderr)
    return sandbox, (first, second)


# --- one game --------------------------------------------------------------------------------


def _play_one(options: argparse.Namespace) -> GameRecord:
    ruleset, size, control = _game_of(options)
    with ExitStack() as stack:
        file = stack.enter_context(_writing(Path(options.record))) if options.record else None
        sandbox, builds = _open(options, ruleset, size)
        players = (player_of(sandbox, builds[0]), player_of(sandbox, builds[1]))
        opening = _opening_of(options, ruleset, size)
        names = (players[0].name, players[1].name)
        show = None if options.quiet else Screen(ruleset, size, control, names, given=opening).show
        record = play_game(ruleset, size, players, time_control=control, ply_cap=default_ply_cap(size),
                           opening=opening, seed=options.seed, on_turn=show, ponder=options.ponder,
                           limits=limits_for(builds), tier=tier_of(sandbox, builds))
        if file is not None:
            _write(record, file)
    return record


def _opening_of(options: argparse.Namespace, ruleset: Ruleset, size: int) -> tuple[str, ...]:
    """Return the given opening, or the one drawn by the seed, or none."""
    if options.opening is not None:
        given: tuple[str, ...] = options.opening
        return given
    return () if options.seed is None else draw(ruleset, size, options.seed)


@contextmanager
def _writing(path: Path) -> Iterator[TextIO]:
    """Yield a file that replaces the path if the block succeeds. Raises CannotPlay before any game is played."""
    path = path.resolve()
    if path.exists() and not path.is_file():
        raise CannotPlay(f"cannot write the record: {path} is not a file")
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        file = part.open("x", encoding="utf-8")
    except OSError as error:
        raise CannotPlay(f"cannot write the record to {path}: {error.strerror}") from None
    try:
        with file:
            yield file
        part.replace(path)
    except BaseException:
        part.unlink()
        raise


def _write(record: GameRecord, file: TextIO) -> None:
    json.dump(record.to_dict(), file, ensure_ascii=False)
    file.write("\n")


# --- a series --------------------------------------------------------------------------------


def _play_series(options: argparse.Namespace) -> int:
    ruleset, size, control = _game_of(options)
    directory = _directory(options.record_dir) if options.record_dir else None
    sandbox, builds = _open(options, ruleset, size)
    if sandbox.tier is not Tier.STANDARD and options.concurrency > 1:
        print("clocks: this sandbox measures wall-clock time, so parallel games slow each other down", file=sys.stderr)
    seed = secrets.randbits(32) if options.seed is None else options.seed
    standing = Standing(_names(builds), options.sprt)
    if not options.quiet:
        print(shown(f"{ruleset.name}, {size}×{size}, {control} s: {standing.names[0]} against {standing.names[1]}, "
                    f"{options.games} games, --seed {seed}"), flush=True)
    setting = Setting(ruleset.slug, size, control, builds, sandbox.runtime.root, options.unsafe_local)
    first_fault = _run(options, setting, standing, seed, directory)
    for line in standing.summary():
        print(shown(line))
    if first_fault is not None and not options.quiet:
        print("The first forfeit:")
        show_end(first_fault)
    return INTERRUPTED if standing.state == "interrupted" else 0


def _run(options: argparse.Namespace, setting: Setting, standing: Standing, seed: int,
         directory: Path | None) -> GameRecord | None:
    """Play the games until all are played, the test ends, or Ctrl-C. Returns the first forfeited game, if any."""
    jobs = schedule(RULESETS[setting.ruleset], setting.size, options.games, seed)
    progress, began, first_fault = Progress(), time.monotonic(), None
    with _interruptible(standing), Pool(setting, min(options.concurrency, options.games)) as pool:
        for done, (job, record) in enumerate(pool.play(jobs), start=1):
            standing.add(job, record)
            if directory is not None:
                with _writing(directory / f"game-{job.number}.json") as file:
                    _write(record, file)
            if record.fault is not None and first_fault is None:
                first_fault = record
            if not options.quiet:
                left = (time.monotonic() - began) / done * (options.games - done)
                bar, line = _bar(done, options.games), standing.line()
                progress.show(f"{bar} {done}/{options.games}  {line}  {left:.0f} s left",
                              instead=f"game {job.number}: {result_sentence(record)}  {line}")
            if standing.over:
                break
    progress.end()
    return first_fault


@contextmanager
def _interruptible(standing: Standing) -> Iterator[None]:
    """Let Ctrl-C end the series, so that the results so far are shown."""
    try:
        yield
    except KeyboardInterrupt:
        standing.interrupt()


def _bar(done: int, of: int, width: int = 20) -> str:
    filled = width * done // of
    return f"[{'#' * filled}{'.' * (width - filled)}]"


def _names(builds: tuple[Build, Build]) -> tuple[str, str]:
    """Return the bots' names, numbered if they are the same."""
    first, second = (build.manifest.name for build in builds)
    return (first, second) if first != second else (f"{first} (1st)", f"{second} (2nd)")


def _directory(name: str) -> Path:
    path = Path(name)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotPlay(f"cannot write records to {path}: {error.strerror}") from None
    return path
