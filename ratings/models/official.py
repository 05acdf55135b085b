"""The official table of a ladder as it was last computed. It follows from the statistics, and can be rebuilt."""

from django.db import models
from django.db.models import F, Q


class OfficialTable(models.Model):
    """A ladder's official table: what is true of all its lines. Estimates come with their 95 % intervals."""

    ladder = models.OneToOneField("tournaments.Ladder", models.CASCADE, related_name="official_table",
                                  help_text="Whose.")
    revision = models.PositiveIntegerField(help_text="1, 2, 3 … each time that it is computed.")
    model = models.CharField(max_length=40, help_text="The model's name and version.")
    input = models.CharField(max_length=64, help_text="SHA-256 of the counted games that it was computed from.")
    anchors = models.JSONField(default=dict, help_text="Ratings that were given, by version id: they set the scale.")
    period = models.PositiveIntegerField(help_text="Number of the last rating period whose games it counts.")
    games = models.PositiveIntegerField(help_text="Games that it counts.")
    computed_at = models.DateTimeField(help_text="When it was computed.")
    seconds = models.FloatField(help_text="How long that took; the next one waits in proportion.")
    exact = models.BooleanField(help_text="Errors come from the whole covariance; otherwise from the formula for many "
                                          "players.")
    advantage = models.FloatField(help_text="What the first move is worth, in Elo.")
    advantage_low = models.FloatField(help_text="Lower end of its interval.")
    advantage_high = models.FloatField(help_text="Upper end of its interval.")
    draw_parameter = models.FloatField(help_text="Davidson's ν: 0 without draws, 1 where equals draw a third.")
    draw_parameter_low = models.FloatField(help_text="Lower end of its interval.")
    draw_parameter_high = models.FloatField(help_text="Upper end of its interval.")
    draws = models.PositiveIntegerField(help_text="Of the games drawn.")
    pairs = models.PositiveIntegerField(help_text="Pairs of versions that have met.")
    components = models.JSONField(help_text="How many versions each connected part has, the largest first: ratings of "
                                            "different parts are not comparable.")
    # Where the next fit starts from, beside its lines' strengths.
    eta = models.FloatField(help_text="The advantage as the model has it.")
    nu = models.FloatField(help_text="The draw parameter as the model has it.")

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
        """The anchors that it was computed with, by version id."""
        return {int(version): rating for version, rating in self.anchors.items()}

    @property
    def versions(self) -> int:
        """How many lines it has."""
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
        """A sentence for readers when not all ratings are comparable, else empty."""
        if self.connected:
            return ""
        apart = self.versions - self.components[0]
        return (f"{apart} of the {self.versions} versions are connected by no games with the others: their ratings are "
                "not comparable with the rest.")


class OfficialLine(models.Model):
    """A version's line in the official table."""

    table = models.ForeignKey(OfficialTable, models.CASCADE, related_name="lines", db_index=False,
                              help_text="Of which table.")
    version = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="official_lines",
                                help_text="Whose.")
    rating = models.FloatField(help_text="Elo.")
    low = models.FloatField(help_text="Lower end of its 95 % interval.")
    high = models.FloatField(help_text="Upper end of its 95 % interval.")
    error = models.FloatField(help_text="Its standard error, in Elo.")
    games = models.PositiveIntegerField(help_text="Games that it has played.")
    wins = models.PositiveIntegerField(help_text="Of these won.")
    draws = models.PositiveIntegerField(help_text="Of these drawn.")
    losses = models.PositiveIntegerField(help_text="Of these lost.")
    rank = models.PositiveIntegerField(help_text="1, 2, 3 … from the top, the largest component first; no two share "
                                                 "one.")
    rank_low = models.PositiveIntegerField(help_text="The best rank within its component that is possible at 95 %.")
    rank_high = models.PositiveIntegerField(help_text="The worst one.")
    better_than_next = models.FloatField(null=True, help_text="Probability that it is stronger than the next line; "
                                                              "empty where there is none to compare.")
    games_for_25 = models.PositiveIntegerField(help_text="Games against equals still to play until its interval is "
                                                         "±25.")
    component = models.PositiveIntegerField(help_text="The part of the field that it is connected with, 0 the largest.")
    theta = models.FloatField(help_text="Its strength as the model has it: where the next fit starts from.")
    covariances = models.JSONField(default=list, help_text="With the next lines below, in Elo²; for matchmaking.")

    class Meta:
        ordering = ["table", "rank"]
        constraints = [
            # And the index of the standings, from the top.
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
    def plus_minus(self) -> float:
        """Half of the 95 % interval, in Elo."""
        return (self.high - self.low) / 2


class Anchor(models.Model):
    """A version whose rating on a ladder is given: the table's scale is shifted so that it has it."""

    ladder = models.ForeignKey("tournaments.Ladder", models.CASCADE, related_name="anchors", db_index=False,
                               help_text="Where.")
    version = models.ForeignKey("tournaments.Version", models.PROTECT, related_name="anchors", help_text="Whose.")
    rating = models.FloatField(help_text="The Elo that it is given; several anchors have theirs on average.")

    class Meta:
        ordering = ["ladder", "version"]
        constraints = [
            models.UniqueConstraint(fields=["ladder", "version"], name="a_version_is_an_anchor_once_on_a_ladder"),
            models.CheckConstraint(condition=Q(rating__gte=-10_000, rating__lte=10_000),
                                   name="an_anchor_is_of_a_sensible_rating"),
        ]

    def __str__(self) -> str:
        return f"{self.version} at {self.rating:.0f}"
