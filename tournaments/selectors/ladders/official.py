"""Reads about official tables: their lines, page by page, and a bot's own."""

from collections.abc import Sequence

from django.db.models import OuterRef, QuerySet, Subquery

from ratings.models import OfficialLine, OfficialTable
from tournaments.models import Bot, Ladder, LadderEntry, Version


def table_of(ladder: Ladder) -> OfficialTable | None:
    """Return the ladder's official table; None before the first one was computed."""
    return OfficialTable.objects.filter(ladder=ladder).first()


def tag_of(ladder: Ladder) -> str:
    """Return a tag that changes whenever the ladder's official table does."""
    known = OfficialTable.objects.filter(ladder=ladder).values_list("pk", "revision").first()
    return "{}-{}-{}".format(ladder.pk, *(known or ("none", 0)))


def lines(table: OfficialTable | None) -> QuerySet[OfficialLine]:
    """Return the table's lines with versions, bots and owners, from the top; none without a table."""
    if table is None:
        return OfficialLine.objects.none()
    return OfficialLine.objects.filter(table=table).select_related("table", "version__bot__owner").order_by("rank")


def lines_after(table: OfficialTable | None, rank: int, size: int) -> list[OfficialLine]:
    """Return the next `size` lines below this rank, or with 0 from the top."""
    return list(lines(table).filter(rank__gt=rank)[:size])


def lines_of_bot(bot: Bot) -> list[OfficialLine]:
    """Return the lines of the bot's versions in all official tables, by ladder, the newest version first."""
    return list(OfficialLine.objects.filter(version__bot=bot).select_related("table__ladder", "version")
                .order_by("table__ladder__slug", "-version__number"))


def lines_by_bot(table: OfficialTable | None, bots: Sequence[int]) -> dict[int, OfficialLine]:
    """Return the line of each of these bots (IDs), as `line_of`; those without one are left out. One query."""
    found = lines(table).filter(version__bot__in=bots).annotate(plays=_plays_there()).order_by("version__number")
    spoken: dict[int, OfficialLine] = {}
    for line in found:
        known = spoken.get(line.version.bot_id)
        if known is None or known.version_id != known.plays:
            spoken[line.version.bot_id] = line
    return spoken


def line_of(table: OfficialTable | None, bot: Bot) -> OfficialLine | None:
    """Return the bot's line: of the version that plays on the ladder, or else of the newest one that has a line."""
    return lines_by_bot(table, [bot.pk]).get(bot.pk)


def line_of_version(table: OfficialTable | None, version: Version) -> OfficialLine | None:
    """Return the version's line, if it has one."""
    return lines(table).filter(version=version).first()


def _plays_there() -> Subquery:
    entry = LadderEntry.objects.filter(ladder=OuterRef("table__ladder"), bot=OuterRef("version__bot"))
    return Subquery(entry.values("version")[:1])
