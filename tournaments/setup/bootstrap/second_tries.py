"""List of flaky tests, with causes and dates, that may pass only at the second try in continuous integration.

An intermittent failure is a fault of the test or of the product. The second try reveals such tests. In CI, each of them
must be on the list, so that its cause has been investigated and it is removed from the list in time.
"""

import datetime as dt
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

LIST: Final = Path("tests/second_tries.toml")
LONGEST: Final = dt.timedelta(days=60)


def inexcusable(passed_late: Sequence[str], today: dt.date, book: Path = LIST) -> list[str]:
    """Return a sentence for each of these tests that the list does not excuse on this day."""
    listed = tomllib.loads(book.read_text(encoding="utf-8")) if book.exists() else {}
    return [f"{name}: {why}" for name in passed_late if (why := _objection(listed.get(name), today, book))]


def _objection(entry: object, today: dt.date, book: Path) -> str | None:
    """Return why an entry of the list does not excuse its test, or None if it does."""
    if not isinstance(entry, dict):
        return f"find and fix its cause, or list it in {book} with `cause` and `until`"
    until = entry.get("until")
    if not str(entry.get("cause") or "").strip() or not isinstance(until, dt.date):
        return f"its entry in {book} needs a `cause` and a date `until`"
    if not today <= until <= today + LONGEST:
        return f"`until` in {book} is {until}: it must be today or within the next {LONGEST.days} days"
    return None
