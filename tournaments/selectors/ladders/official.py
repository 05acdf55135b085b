"""Reads about the ratings of all versions on a ladder: page by page, and a bot's own."""

from collections.abc import Sequence

from django.db.models import QuerySet

from ratings.models import OfficialLine, OfficialTable, Rating
from tournaments.models import Bot, Ladder, Version


def table_of(ladder: Ladder) -> OfficialTable | None:
    """Return the ladder's fit; None before the first one."""
    return OfficialTable.objects.filter(ladder=ladder).first()


def tag_of(ladder: Ladder) -> str:
    """Return a tag that changes whenever the ladder's ratings do."""
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
    """Return the lines of the bot's versions on all ladders, by ladder, the newest version first."""
    return list(OfficialLine.objects.filter(version__bot=bot).select_related("table__ladder", "version")
                .order_by("table__ladder__slug", "-version__number"))


def lines_by_bot(table: OfficialTable | None, bots: Sequence[int]) -> dict[int, OfficialLine]:
    """Return the line that is the rating of each of these bots (IDs); those without one are left out. One query."""
    if table is None:
        return {}
    rated = Rating.objects.filter(ladder=table.ladder_id, bot__in=bots).order_by().values("version")
    return {line.version.bot_id: line for line in lines(table).filter(version__in=rated)}


def line_of(table: OfficialTable | None, bot: Bot) -> OfficialLine | None:
    """Return the line that is the bot's rating."""
    return lines_by_bot(table, [bot.pk]).get(bot.pk)


def line_of_version(table: OfficialTable | None, version: Version) -> OfficialLine | None:
    """Return the version's line, if it has one."""
    return lines(table).filter(version=version).first()
