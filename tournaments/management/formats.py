"""Format options, shared by the commands for single events and for series."""

from argparse import ArgumentParser
from typing import Any

from tournaments.formats.registry import DEFAULT, FORMATS
from tournaments.models.events import TARGETS
from tournaments.models.lifecycle import Seeding
from tournaments.models.rulings import WITHDRAWALS


def add_format_arguments(parser: ArgumentParser) -> None:
    """Add the options that `format_of` reads."""
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


def add_regulation_arguments(parser: ArgumentParser) -> None:
    """Add the options that `regulations_of` reads."""
    parser.add_argument("--withdrawals", choices=[policy for policy, _ in WITHDRAWALS],
                        help="results of an entrant that leaves a round-robin or gauntlet (default: keep)")
    parser.add_argument("--late-rounds", type=int,
                        help="rounds that a late entrant of a Swiss can miss (default: no late entries)")
    parser.add_argument("--byes-allowed", type=int, help="byes that an entrant of a Swiss can request (default: none)")
    parser.add_argument("--bye-points", type=float, help="points for a requested bye or a missed round: 0 or 0.5")
    parser.add_argument("--apart-rounds", type=int,
                        help="first rounds of a Swiss in which bots of one owner or team do not meet (default: none)")
    parser.add_argument("--confirm-rounds", action="store_true",
                        help="let each round of a Swiss wait until the organiser has confirmed its pairings")


    parser.add_argument("--minutes", type=int, help="minutes for which an arena pairs its entrants (default: 60)")
    parser.add_argument("--streaks", action="store_true", default=None,
                        help="double the points of an arena after two wins in a row")


def regulations_of(options: dict[str, Any]) -> dict[str, Any]:
    """Return the keyword arguments of `create_event` for these options."""
    return {name: options[name] for name in ("withdrawals", "late_rounds", "byes_allowed", "bye_points",
                                             "apart_rounds", "confirm_rounds", "minutes", "streaks")
            if options[name] is not None}


def format_of(options: dict[str, Any]) -> dict[str, Any]:
    """Return the services' keyword arguments for these options."""
    return {"format": options["format"], "cycles": options["cycles"], "swiss_rounds": options["swiss_rounds"],
            **{name: options[name] for name in ("target", "target_value", "max_matches", "max_hours")},
            "seeding": options["seeding"], "tie_breaks": options["tie_break"], "max_entries": options["max_entries"],
            "rated": not options["unrated"], "private": options["private"], "openings": not options["no_openings"]}
