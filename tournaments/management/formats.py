"""Options of commands that say how an event is played, alike for one event and for a series."""

from argparse import ArgumentParser
from typing import Any

from tournaments.formats.registry import DEFAULT, FORMATS
from tournaments.models.lifecycle import Seeding


def add_format_arguments(parser: ArgumentParser) -> None:
    """Add the options that `format_of` reads."""
    parser.add_argument("--format", choices=list(FORMATS), default=DEFAULT,
                        help="who meets whom (default: round-robin)")
    parser.add_argument("--cycles", type=int, default=1,
                        help="how often each pair meets, two games each time (default 1)")
    parser.add_argument("--swiss-rounds", type=int, help="rounds of a Swiss (default: as many as its entries need)")
    parser.add_argument("--seeding", choices=Seeding.values, default=Seeding.RATING,
                        help="the order of the draw (default: by rating)")
    parser.add_argument("--tie-break", action="append", default=[], metavar="NAME",
                        help="the first given decides first (default: those of the format)")
    parser.add_argument("--max-entries", type=int, help="how many may enter (default: any number)")
    parser.add_argument("--unrated", action="store_true", help="its games do not count for the ladder")
    parser.add_argument("--private", action="store_true", help="only who is invited may enter or see it")
    parser.add_argument("--no-openings", action="store_true", help="games begin with the empty board")


def format_of(options: dict[str, Any]) -> dict[str, Any]:
    """What the services call these options."""
    return {"format": options["format"], "cycles": options["cycles"], "swiss_rounds": options["swiss_rounds"],
            "seeding": options["seeding"], "tie_breaks": options["tie_break"], "max_entries": options["max_entries"],
            "rated": not options["unrated"], "private": options["private"], "openings": not options["no_openings"]}
