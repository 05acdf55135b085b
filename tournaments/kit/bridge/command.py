"""`squarefield bridge`: an engine that cannot be uploaded, as a bot of our protocol or as a player on a site."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from engines.cli import parser_of
from engines.rules.registry import RULESETS
from engines.sdk import Session
from tournaments.kit.bots import CannotPlay
from tournaments.kit.bridge.engine import Engine, EngineFailed
from tournaments.kit.bridge.mapping import read_mapping
from tournaments.kit.bridge.online import PACES, Match, play_on_site
from tournaments.kit.bridge.translator import BridgeBot
from tournaments.kit.play import count
from tournaments.kit.site import Rejected
from tournaments.kit.submit import add_site, site_of
from tournaments.kit.terminal import refused, shown

_DESCRIPTION: Final = """\
Connects an engine that cannot be uploaded: one that speaks its own dialect of GTP, or needs a GPU,
the network, or more memory than a site allows. MAPPING is a TOML file that says how to start the
engine and how it names commands, colours and cells.

Without --against, speaks Squarefield's bot protocol on standard input and output, as any bot does.
You rarely need this: `squarefield play` takes the mapping file as a bot.

With --against, plays unrated games on a site against one of its bots, with your token. The engine
runs on this machine.

The exit status is 0 if all games were played, 1 if the engine failed, 2 if no game was possible."""


def main(argv: Sequence[str]) -> int:
    """Run the bridge. Returns 0, 1 if the engine failed, or 2 if it could not play at all."""
    options = _parser().parse_args(argv)
    try:
        mapping = read_mapping(Path(options.mapping))
        with Engine(mapping) as engine:
            bot = BridgeBot(mapping, engine)
            if options.against is None:
                serve(bot)
            else:
                site = site_of(options.site, options.token_file)
                size = RULESETS[mapping.ruleset].default_size if options.size is None else options.size
                play_on_site(site, bot, Match(options.against, mapping.ruleset, size, options.pace, options.games))
    except EngineFailed as error:
        print(shown(f"bridge: {error}"), file=sys.stderr)
        return 1
    except Rejected as error:
        return refused(f"{options.site} rejected the game", error)
    except CannotPlay as error:
        return refused("bridge", error)
    return 0


def serve(bot: BridgeBot) -> None:
    """Answer our protocol on standard input until `quit`. Raises EngineFailed and MappingRefused."""
    out, sys.stdout = sys.stdout, sys.stderr
    session = _Session(bot)
    while not session.over and (line := sys.stdin.buffer.readline()):
        answer = session.answer(line.decode("utf-8", "replace"))
        if answer is not None:
            out.write(answer)
            out.flush()


class _Session(Session):
    """A session that tells the bridge of the start of a game, and of every turn of the opening and the opponent."""

    bot: BridgeBot

    def _clear_board(self, words: list[str]) -> str:
        answer = super()._clear_board(words)
        if self._position is not None:
            self.bot.begin(self._position.size)
        return answer

    def _play(self, words: list[str]) -> str:
        before = self._position
        answer = super()._play(words)
        if before is not None:
            self.bot.hear(before, before.parse(words[1]))
        return answer


def _parser() -> argparse.ArgumentParser:
    parser = parser_of("squarefield bridge", _DESCRIPTION)
    parser.add_argument("mapping", metavar="MAPPING", help="the mapping file, such as gnugo.toml")
    online = parser.add_argument_group("games on a site")
    online.add_argument("--against", metavar="BOT", help="slug of a bot on the site, such as searcher")
    add_site(online)
    online.add_argument("--size", type=int, metavar="N", help="board size in cells per side (default: the "
                                                                     "ruleset's own)")
    online.add_argument("--pace", choices=PACES, default="normal", help="time for both sides (default: %(default)s)")
    online.add_argument("--games", type=count, default=1, metavar="N",
                        help="number of games; seats alternate (default: %(default)s)")
    return parser
