"""Opening books of events."""

from django.conf import settings
from django.db import models
from django.db.models import Q


class OpeningBook(models.Model):
    """An organiser's own openings for an event, judged by the rules. Inserted with the event, and never edited."""

    ruleset = models.CharField(max_length=40, help_text="Ruleset by which the openings were judged.")
    size = models.PositiveSmallIntegerField(help_text="Board size by which the openings were judged.")
    openings = models.JSONField(help_text="The openings in the order of the book, each a list of turns as text.")
    count = models.PositiveIntegerField(help_text="Number of openings.")
    digest = models.CharField(max_length=64, help_text="SHA-256 of the openings as canonical JSON.")
    uploaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="opening_books",
                                    help_text="Organiser who uploaded the book.")
    created_at = models.DateTimeField(help_text="Time of the upload.")

    class Meta:
        ordering = ["-id"]
        constraints = [models.CheckConstraint(name="a_book_has_an_opening", condition=Q(count__gte=1))]

    def __str__(self) -> str:
        return f"{self.ruleset} {self.size}×{self.size}, {self.digest[:12]}"
