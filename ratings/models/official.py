"""The last computed official table of a ladder. It can be rebuilt from the statistics."""

from django.db import models
from django.db.models import F, Q


class OfficialTable(models.Model):
    """A ladder's official table: the data that all its lines share. Estimates have 95 % intervals."""

    ladder = models.OneToOneField("tournaments.Ladder", models.CASCADE, related_name="official_table",
                                  help_text="Ladder.")
    revision = models.PositiveIntegerField(help_text="Revision, from 1, increased by each computation.")
    model = models.CharField(max_length=40, help_text="Name and version of the model.")
    input = models.CharField(max_length=64, help_text="SHA-256 of the counted games that it was computed from.")
    anchors = models.JSONField(default=dict, help_text="Given ratings by version ID, which set the scale.")
    period = models.PositiveIntegerField(help_text="Number of the last rating period whose games it includes.")
    games = models.PositiveIntegerField(help_text="Number of games that it includes.")
    computed_at = models.DateTimeField(help_text="Time of the computation.")
    seconds = models.FloatField(help_text="Duration of the computation in seconds; the next one waits in proportion.")
    exact = models.BooleanField(help_text="Whether errors come from the full covariance; otherwise from the "
                                          "second-order formula for large tables.")
    advantage = models.FloatField(help_text="First-move advantage in Elo.")
    advantage_low = models.FloatField(help_text="Lower end of the first-move advantage's 95 % interval.")
    advantage_high = models.FloatField(help_text="Upper end of the first-move advantage's 95 % interval.")
    draw_parameter = models.FloatField(help_text="Davidson's ν: 0 without draws, 1 if equals draw a third of games.")
    draw_parameter_low = models.FloatField(help_text="Lower end of the draw parameter's 95 % interval.")
    draw_parameter_high = models.FloatField(help_text="Upper end of the draw parameter's 95 % interval.")
    draws = models.PositiveIntegerField(help_text="Number of these games that were drawn.")
    pairs = models.PositiveIntegerField(help_text="Pairs of versions that have met.")
    components = models.JSONField(help_text="Number of versions in each connected component, largest first. Ratings "
                                            "of different components are not comparable.")
    transitivity = models.JSONField(null=True, help_text="Pairs that differ from the fit, cycles, and the maximal "
                                                         "lottery, by rank; empty object for a large ladder, empty "
                                                         "until its computation by this release.")
    # Starting point of the next fit, together with the strengths of the lines.
    eta = models.FloatField(help_text="First-move advantage in the model's units.")
    nu = models.FloatField(help_text="Draw parameter in the model's units.")

    class Meta:
        ordering = ["ladder"]
        constraints = [
            models.CheckConstraint(condition=Q(draws__lte=F("games")), name="no_more_draws_than_games"),
            models.CheckConstraint(condition=Q(draw_parameter__gte=0), name="a_draw_parameter_is_not_negative"),
        ]

    def __str__(self) -> str:
        return f"official table of {self.ladder}"

    @property
    def given_anchors(self) -> dict[int, float]:
        """The anchors that it was computed with, by version ID."""
        return {int(version): rating for version, rating in self.anchors.items()}

    @property
    def versions(self) -> int:
        """The number of lines."""
        return sum(self.components)

    @property
    def draw_rate(self) -> float | None:
        """The share of its games that were drawn, 0 to 1; None without games."""
        return self.draws / self.games if self.games else None

    @property
    def connected(self) -> bool:
        """Whether all its ratings are comparable."""
        return len(self.components) <= 1

    @property
    def warning(self) -> str:
        """A warning if not all ratings are comparable, else empty."""
        if self.connected:
            return ""
        apart = self.versions - self.components[0]
        return (f"{apart} of the {self.versions} versions are not connected to the others by any games, so their "
                "ratings are not comparable with the rest.")


class OfficialLine(models.Model):
    """A version's line in the official table."""

    table = models.ForeignKey(OfficialTable, models.CASCADE, related_name="lines", db_index=False,
                              help_text="Official table.")
    version = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="official_lines",
                                help_text="Version.")
    rating = models.FloatField(help_text="Rating in Elo.")
    low = models.FloatField(help_text="Lower end of the rating's 95 % interval.")
    high = models.FloatField(help_text="Upper end of the rating's 95 % interval.")
    error = models.FloatField(help_text="Standard error of the rating in Elo.")
    games = models.PositiveIntegerField(help_text="Games played.")
    wins = models.PositiveIntegerField(help_text="Games won.")
    draws = models.PositiveIntegerField(help_text="Games drawn.")
    losses = models.PositiveIntegerField(help_text="Games lost.")
    rank = models.PositiveIntegerField(help_text="Rank from 1, unique in the table; larger components come first.")
    rank_low = models.PositiveIntegerField(help_text="Best possible rank within its component at 95 % confidence.")
    rank_high = models.PositiveIntegerField(help_text="Worst possible rank within its component at 95 % confidence.")
    better_than_next = models.FloatField(null=True, help_text="Probability that it is stronger than the next line; "
                                                              "empty for the last line of a component.")
    games_for_25 = models.PositiveIntegerField(help_text="Further games against equals needed for an interval of "
                                                         "±25 Elo.")
    component = models.PositiveIntegerField(help_text="Number of its connected component, 0 for the largest.")
    theta = models.FloatField(help_text="Strength in the model's units; starting point of the next fit.")
    covariances = models.JSONField(default=list, help_text="Covariances with the next lines, in Elo²; for matchmaking.")

    class Meta:
        ordering = ["table", "rank"]
        constraints = [
            # Also the index for reading the standings from the top.
            models.UniqueConstraint(fields=["table", "rank"], name="an_official_table_has_each_rank_once"),
            models.UniqueConstraint(fields=["table", "version"], name="a_version_has_one_line_in_an_official_table"),
            models.CheckConstraint(condition=Q(games=F("wins") + F("draws") + F("losses")),
                                   name="an_official_line_adds_up"),
            models.CheckConstraint(condition=Q(rank__gte=F("rank_low"), rank__lte=F("rank_high")),
                                   name="an_official_rank_is_within_its_interval"),
            models.CheckConstraint(condition=Q(low__lte=F("rating"), high__gte=F("rating")),
                                   name="an_official_rating_is_within_its_interval"),
            models.CheckConstraint(
                condition=Q(better_than_next__isnull=True) | Q(better_than_next__gte=0, better_than_next__lte=1),
                name="a_probability_is_from_zero_to_one"),
        ]

    def __str__(self) -> str:
        return f"{self.version} {self.rating:.0f}"

    @property
    def lottery(self) -> float | None:
        """Its probability in the maximal lottery; None outside the largest component and in a large table."""
        chances = (self.table.transitivity or {}).get("lottery", ())
        return float(chances[self.rank - 1]) if self.rank <= len(chances) else None

    @property
    def plus_minus(self) -> float:
        """Half of the 95 % interval, in Elo."""
        return (self.high - self.low) / 2


class Anchor(models.Model):
    """A version with a given rating on a ladder: the table's scale is shifted to match it."""

    ladder = models.ForeignKey("tournaments.Ladder", models.CASCADE, related_name="anchors", db_index=False,
                               help_text="Ladder.")
    version = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="anchors", help_text="Version.")
    rating = models.FloatField(help_text="Given rating in Elo; several anchors match their given ratings on average.")

    class Meta:
        ordering = ["ladder", "version"]
        constraints = [
            models.UniqueConstraint(fields=["ladder", "version"], name="a_version_is_an_anchor_once_on_a_ladder"),
            models.CheckConstraint(condition=Q(rating__gte=-10_000, rating__lte=10_000),
                                   name="an_anchor_is_of_a_sensible_rating"),
        ]

    def __str__(self) -> str:
        return f"{self.version} at {self.rating:.0f}"
