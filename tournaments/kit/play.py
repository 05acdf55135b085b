"""`squarefield play`: bots against each other here, one game shown as it goes, or a series that is counted."""

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
from engines.cli import parser_of
from engines.records.record import GameRecord
from engines.records.replay import result_sentence
from engines.records.time_control import TimeControl, TimeControlError
from engines.referee.play import OpeningError, default_ply_cap, play_game
from engines.rules.openings import draw
from engines.rules.registry import RULESETS
from engines.rules.ruleset import Ruleset, SetupError
from engines.sandbox import Build, Sandbox, SandboxError, Tier
from ratings.sprt import Bounds
from tournaments.kit.bots import KINDS, CannotPlay, stage_for
from tournaments.kit.pool import Pool, Setting, player_of
from tournaments.kit.series import Standing, schedule
from tournaments.kit.terminal import Progress, Screen, refused, show_end, shown, tell_tier

_MOST_GAMES: Final = 100_000
_DESCRIPTION: Final = """\
Plays one game between two bots and shows it; the first has the first colour and moves first.
Whatever they do, the game ends: a bot that breaks the rules of conduct forfeits, with its
reason and the offending line.

With --games, plays a series: in pairs from the same opening, seats exchanged, and counts what
the first bot scores, with 95 % intervals for its score and the Elo difference. A pair that
repeats an earlier one turn for turn is played and does not count again. --sprt ends the series
as soon as one of two differences can be told from the other, or when no new games come.

A bot is {kinds}.
The reference bots are {names}."""


def main(argv: Sequence[str]) -> int:
    """Play. Returns 0 when everything was played to some result, 2 when it could not be."""
    parser = _parser()
    options = parser.parse_args(argv)
    if options.sprt is not None and options.games is None:
        parser.error("--sprt needs --games N, the most games to play")
    options.games = options.games or 1
    several = options.games > 1 or options.sprt is not None or options.record_dir is not None
    if several and options.record is not None:
        parser.error("--record saves one game: with more, use --record-dir")
    if several and (options.opening is not None or options.ponder):
        parser.error("--opening and --ponder are for one game")
    try:
        _check_concurrency(options.concurrency)
        if several:
            _play_series(options)
        else:
            show_end(_play_one(options))
    except (CannotPlay, OpeningError, SandboxError) as error:
        return refused("no game", error)
    return 0


def _parser() -> argparse.ArgumentParser:
    description = _DESCRIPTION.format(kinds=KINDS.replace(", its archive", ",\nits archive"),
                                      names=", ".join(REFERENCE_BOTS))
    parser = parser_of("squarefield play", description)
    parser.add_argument("ruleset", choices=RULESETS, metavar="RULESET", help=", ".join(RULESETS))
    parser.add_argument("bots", nargs=2, metavar="BOT", help="a reference bot's name, or a directory or file of a bot")
    parser.add_argument("--size", type=int, metavar="N", help="cells a side; by default what the ruleset prefers")
    parser.add_argument("--time", default="10+0.1", metavar="TIME", help="seconds each, and more for each turn, or a "
                        "fixed time such as 0.5/turn (default: %(default)s)")
    parser.add_argument("--opening", type=_turns, metavar="TURNS", help="what one game begins with, such as 'b1;a2': "
                        "with the times and bots of its record, it is played again")
    parser.add_argument("--seed", type=_seed, metavar="N", help="recorded; draws one game's opening unless that is "
                        "given, and a series's, by lot when left out")
    parser.add_argument("--ponder", action="store_true", help="in one game, bots may think off turn")
    parser.add_argument("--record", metavar="FILE", help="save the game's record there, as JSON")
    parser.add_argument("--quiet", action="store_true", help="print nothing but the result")
    parser.add_argument("--unsafe-local", action="store_true", help="run the bots without a sandbox: only your own")
    series = parser.add_argument_group("series of games")
    series.add_argument("--games", type=_count, metavar="N", help="how many (default: 1); with --sprt, the most")
    series.add_argument("--concurrency", type=_count, default=1, metavar="K", help="games at once, at most one a core")
    series.add_argument("--sprt", type=_sprt, metavar="ELO0,ELO1", help="stop when it is known whether the first bot "
                        "is ELO0 or ELO1 normalized Elo stronger, wrong once in twenty either way, or when no "
                        "new games come; such as --sprt=-10,40. Needs --games")
    series.add_argument("--record-dir", metavar="DIR", help="save every game's record there, as game-1.json and so on")
    return parser


def _turns(text: str) -> tuple[str, ...]:
    return tuple(turn.strip() for turn in text.split(";") if turn.strip())


def _seed(text: str) -> int:
    number = int(text)
    if not 0 <= number < 2**63:
        raise argparse.ArgumentTypeError(f"a seed is 0 to 2^63 - 1, not {number}")
    return number


def _count(text: str) -> int:
    number = int(text)
    if not 1 <= number <= _MOST_GAMES:
        raise argparse.ArgumentTypeError(f"{number} is not a number from 1 to {_MOST_GAMES}")
    return number


def _sprt(text: str) -> Bounds:
    elo0, _, elo1 = text.partition(",")
    try:
        numbers = float(elo0), float(elo1)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not two numbers with a comma between them") from None
    try:
        return Bounds(*numbers)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _check_concurrency(games: int) -> None:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if games > cores:
        raise CannotPlay(f"--concurrency {games}: there {'is one core' if cores == 1 else f'are {cores} cores'} here, "
                         "and a game needs one of its own, or its bots would lose on time")


def _game_of(options: argparse.Namespace) -> tuple[Ruleset, int, TimeControl]:
    ruleset = RULESETS[options.ruleset]
    size = ruleset.default_size if options.size is None else options.size
    try:
        ruleset.check_size(size)
        return ruleset, size, TimeControl.parse(options.time)
    except (SetupError, TimeControlError) as error:
        raise CannotPlay(str(error)) from None


def _open(options: argparse.Namespace, ruleset: Ruleset) -> tuple[Sandbox, tuple[Build, Build]]:
    sandbox = Sandbox.open(unsafe_local=options.unsafe_local)
    first, second = (stage_for(sandbox, name, ruleset) for name in options.bots)
    tell_tier(sandbox)
    return sandbox, (first, second)


# --- one game --------------------------------------------------------------------------------


def _play_one(options: argparse.Namespace) -> GameRecord:
    ruleset, size, control = _game_of(options)
    with ExitStack() as stack:
        file = stack.enter_context(_writing(Path(options.record))) if options.record else None
        sandbox, builds = _open(options, ruleset)
        players = (player_of(sandbox, builds[0]), player_of(sandbox, builds[1]))
        opening = _opening_of(options, ruleset, size)
        names = (players[0].name, players[1].name)
        show = None if options.quiet else Screen(ruleset, size, control, names, given=opening).show
        record = play_game(ruleset, size, players, time_control=control, ply_cap=default_ply_cap(size),
                           opening=opening, seed=options.seed, on_turn=show, ponder=options.ponder,
                           tier=sandbox.tier.value)
        if file is not None:
            _write(record, file)
    return record


def _opening_of(options: argparse.Namespace, ruleset: Ruleset, size: int) -> tuple[str, ...]:
    """The opening that was given, or the one that the seed draws, or none."""
    if options.opening is not None:
        given: tuple[str, ...] = options.opening
        return given
    return () if options.seed is None else draw(ruleset, size, options.seed)


@contextmanager
def _writing(path: Path) -> Iterator[TextIO]:
    """A file that takes the path's place when the block ends well. Raises CannotPlay before anything is played."""
    path = path.resolve()
    if path.exists() and not path.is_file():
        raise CannotPlay(f"the record cannot be written: {path} is not a file")
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        file = part.open("x", encoding="utf-8")
    except OSError as error:
        raise CannotPlay(f"the record cannot be written to {path}: {error.strerror}") from None
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


def _play_series(options: argparse.Namespace) -> None:
    ruleset, size, control = _game_of(options)
    directory = _directory(options.record_dir) if options.record_dir else None
    sandbox, builds = _open(options, ruleset)
    if sandbox.tier is not Tier.STANDARD and options.concurrency > 1:
        print("clocks: they measure wall time here, so games at once take time from one another", file=sys.stderr)
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


def _run(options: argparse.Namespace, setting: Setting, standing: Standing, seed: int,
         directory: Path | None) -> GameRecord | None:
    """Play the games until they are all played or enough is known; returns the first that was forfeited, if any."""
    jobs = schedule(RULESETS[setting.ruleset], setting.size, options.games, seed)
    progress, began, first_fault = Progress(), time.monotonic(), None
    with Pool(setting, min(options.concurrency, options.games)) as pool:
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


def _bar(done: int, of: int, width: int = 20) -> str:
    filled = width * done // of
    return f"[{'#' * filled}{'.' * (width - filled)}]"


def _names(builds: tuple[Build, Build]) -> tuple[str, str]:
    """The bots' names, told apart when they are the same."""
    first, second = (build.manifest.name for build in builds)
    return (first, second) if first != second else (f"{first} (1st)", f"{second} (2nd)")


def _directory(name: str) -> Path:
    path = Path(name)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotPlay(f"records cannot be written to {path}: {error.strerror}") from None
    return path
