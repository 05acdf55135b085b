"""Options that the commands for single events and for series share."""

from argparse import ArgumentParser
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from django.core.management.base import CommandError

from engines.rules.books import BookError, decode
from tournaments.formats.registry import DEFAULT, FORMATS
from tournaments.management.base import add_organiser_argument, organiser_named
from tournaments.models.events import TARGETS
from tournaments.models.lifecycle import Seeding
from tournaments.models.rulings import WITHDRAWALS
from tournaments.services.events.regulations import REGULATIONS

# Options with the names of the services' arguments.
_FORMAT: Final = ("format", "cycles", "swiss_rounds", "target", "target_value", "max_matches", "max_hours", "seeding",
                  "max_entries", "description")


def add_event_arguments(parser: ArgumentParser, *, starts_at: str) -> None:
    """Add the options that `facts_of` reads. `starts_at` is the help text of that option."""
    _add_format_arguments(parser)
    _add_regulation_arguments(parser)
    parser.add_argument("--description", default="", help="description for the event's page")
    parser.add_argument("--book", metavar="FILE",
                        help="text file of openings, one per line (default: the ruleset's openings)")
    parser.add_argument("--starts-at", metavar="TIME", help=starts_at)
    add_organiser_argument(parser)


def facts_of(options: dict[str, Any]) -> dict[str, Any]:
    """Return the services' keyword arguments for these options. Raises CommandError."""
    return {**{name: options[name] for name in _FORMAT},
            # The services have the defaults.
            **{name: options[name] for name in REGULATIONS if options[name] is not None},
            "tie_breaks": options["tie_break"], "rated": not options["unrated"], "private": options["private"],
            "openings": not options["no_openings"], "book": _book(options["book"]),
            "starts_at": time_of(options["starts_at"]), "created_by": organiser_named(options["organiser"])}


def time_of(text: str | None) -> datetime | None:
    """Return the time, in UTC unless it has an offset. Raises CommandError."""
    if text is None:
        return None
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise CommandError(f"{text!r} is not a time. Write it like 2030-01-31T18:00.") from None
    return time if time.utcoffset() is not None else time.replace(tzinfo=UTC)


def _book(path: str | None) -> str:
    if path is None:
        return ""
    try:
        return decode(Path(path).read_bytes())
    except OSError as error:
        raise CommandError(f"The opening book {path} cannot be read: {error.strerror}.") from None
    except BookError as error:
        raise CommandError(f"The opening book {path} cannot be used. {error}") from None


def _add_format_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--format", choices=list(FORMATS), default=DEFAULT,
                        help="pairing system (default: round-robin)")
    parser.add_argument("--cycles", type=int, default=1,
                        help="matches per pairing, of two games each (default: 1)")
    parser.add_argument("--swiss-rounds", type=int, help="rounds of a Swiss (default: as many as its entries require)")
    parser.add_argument("--target", choices=[name for name, _ in TARGETS], default="",
                        help="target of a precision event: every rating, or the first places")
    parser.add_argument("--target-value", type=int,
                        help="half width of every 95%% interval in Elo, or the number of first places")
    parser.add_argument("--max-matches", type=int, help="maximum number of matches of a precision event")
    parser.add_argument("--max-hours", type=int, help="maximum hours of a precision event (default: no limit)")
    parser.add_argument("--seeding", choices=Seeding.values, default=Seeding.RATING,
                        help="order of the entrants in the draw (default: by rating)")
    parser.add_argument("--tie-break", action="append", default=[], metavar="NAME",
                        help="tie-break; may be repeated, in order of priority (default: the format's own)")
    parser.add_argument("--max-entries", type=int, help="maximum number of entries (default: no limit)")
    parser.add_argument("--unrated", action="store_true", help="do not count the games for the ladder")
    parser.add_argument("--private", action="store_true", help="let only invited users see and enter it")
    parser.add_argument("--no-openings", action="store_true", help="start games from the empty board")


def _add_regulation_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--withdrawals", choices=[policy for policy, _ in WITHDRAWALS],
                        help="results of an entrant that leaves a round-robin or gauntlet (default: keep)")
    parser.add_argument("--apart-rounds", type=int,
                        help="first rounds of a Swiss in which bots of one owner or team do not meet (default: none)")
    parser.add_argument("--minutes", type=int, help="minutes for which an arena pairs its entrants (default: 60)")
    parser.add_argument("--streaks", action="store_true", default=None,
                        help="double the points of an arena after two wins in a row")
