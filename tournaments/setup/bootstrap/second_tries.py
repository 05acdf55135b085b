"""The tests that may pass at the second try only, where continuous integration runs them: a list with causes and dates.

A failure that comes and goes is a fault of the test or of the product. The second try shows which tests have one; in CI
each of them must be on the list, so that somebody has looked for its cause and takes it off again in time.
"""

import datetime as dt
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

LIST: Final = Path("tests/second_tries.toml")
LONGEST: Final = dt.timedelta(days=60)


def inexcusable(passed_late: Sequence[str], today: dt.date, book: Path = LIST) -> list[str]:
    """One sentence for each of these tests that the list does not excuse on this day."""
    listed = tomllib.loads(book.read_text(encoding="utf-8")) if book.exists() else {}
    return [f"{name}: {why}" for name in passed_late if (why := _objection(listed.get(name), today, book))]


def _objection(entry: object, today: dt.date, book: Path) -> str | None:
    """Why an entry of the list is no excuse, or None."""
    if not isinstance(entry, dict):
        return f"find its cause and remove it, or list it in {book} with `cause` and `until`"
    until = entry.get("until")
    if not str(entry.get("cause") or "").strip() or not isinstance(until, dt.date):
        return f"its entry in {book} needs a `cause` and a day `until`"
    if not today <= until <= today + LONGEST:
        return f"`until` in {book} is {until}: it must be today or one of the next {LONGEST.days} days"
    return None
