"""History of a bot's rating on a ladder, with its band and the version that was rated."""

from collections.abc import Sequence

from django.db.models import F

from ratings.models import Rating, RatingPoint
from tournaments.models import Bot, Ladder


def rating_history(bot: Bot, ladder: Ladder) -> Sequence[RatingPoint]:
    """Return the stored points of the bot's rating on the ladder, oldest first, then the present one; two queries."""
    rating = Rating.objects.filter(bot=bot, ladder=ladder).select_related("version").annotate(
        at=F("ladder__official_table__computed_at")).first()
    if rating is None or rating.at is None:
        return []
    now = RatingPoint(ladder=ladder, bot=bot, at=rating.at, version=rating.version.number, value=rating.value,
                      low=rating.low, high=rating.high)
    return [*RatingPoint.objects.filter(bot=bot, ladder=ladder, at__lt=now.at).order_by("at"), now]
