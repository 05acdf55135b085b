"""An opening book in an event's bundle. Pure."""

from collections.abc import Sequence
from hashlib import sha256

from engines.records.bundle import json_bytes
from tournaments.formats.bundled import JSON, Mismatch


def digest_of(openings: Sequence[Sequence[str]]) -> str:
    """Return the SHA-256 of the openings as canonical JSON."""
    return sha256(json_bytes([list(opening) for opening in openings])).hexdigest()


def check_book(event: JSON, games: Sequence[JSON]) -> None:
    """Check that every game of an event with a book begins with one of its openings. Raises Mismatch."""
    book = event.get("book")
    if book is None:
        return
    if digest_of(book["openings"]) != book["sha256"]:
        raise Mismatch("event.json, book: the openings do not have the SHA-256 that it gives")
    known = {tuple(opening) for opening in book["openings"]}
    for game in games:
        if tuple(game["record"]["opening"]) not in known:
            raise Mismatch(f"{game['where']}: its opening is not in the event's book")
