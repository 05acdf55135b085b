"""The opening book of an event, which its organiser uploads as text."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.utils.translation import gettext

from engines.rules.books import BookError, read_book
from engines.rules.openings import Opening
from engines.rules.registry import find
from tournaments.formats.bundled import digest_of
from tournaments.models import Ladder, OpeningBook
from tournaments.platform.refusals import Refused


class BookRefused(Refused):
    """The opening book has bad lines, or the event has no openings."""


def judged(text: str, ladder: Ladder, *, openings: bool) -> Sequence[Opening]:
    """Return the openings of a book, judged by the ladder's rules; none for an empty text. Raises BookRefused."""
    if not text.strip():
        return ()
    if not openings:
        raise BookRefused(gettext("The event begins from the empty board and cannot have an opening book: turn on the "
                                  "openings, or remove the book."))
    try:
        return read_book(text, find(ladder.ruleset), ladder.size)
    except BookError as error:
        raise BookRefused(gettext("The opening book cannot be used. %(faults)s"), faults=str(error)) from None


def store(openings: Sequence[Opening], ladder: Ladder, uploaded_by: Any, now: datetime) -> OpeningBook | None:
    """Insert a book with these openings, which have been judged; without any, return None."""
    if not openings:
        return None
    return OpeningBook.objects.create(
        ruleset=ladder.ruleset, size=ladder.size, openings=[list(opening) for opening in openings],
        count=len(openings), digest=digest_of(openings), uploaded_by=uploaded_by, created_at=now)
