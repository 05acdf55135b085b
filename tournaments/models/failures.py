"""What the coordinator could not do: shown to staff, and tried again."""

from django.db import models


class Failure(models.Model):
    """An item that a step of the coordinator fails at. It is deleted when a try succeeds."""

    step = models.CharField(max_length=40, help_text="The step of the coordinator.")
    item = models.CharField(max_length=120, help_text="ID of the row that it fails at; empty for the whole step.")
    error = models.CharField(max_length=120, help_text="Type of the last error; the log has its text.")
    tries = models.PositiveIntegerField(help_text="Number of failed tries in a row.")
    first_at = models.DateTimeField(help_text="When it failed first.")
    last_at = models.DateTimeField(help_text="When it failed last.")
    due_at = models.DateTimeField(help_text="When it is tried next.")

    class Meta:
        ordering = ["step", "item"]
        constraints = [models.UniqueConstraint(name="an_item_fails_at_a_step_in_one_row", fields=["step", "item"])]

    def __str__(self) -> str:
        return f"{self.step}: {self.item or 'the whole step'}"


class FailedTries(models.Model):
    """The number of failed tries of a step since the site began, for the metrics."""

    step = models.CharField(max_length=40, unique=True, help_text="The step of the coordinator.")
    number = models.PositiveBigIntegerField(default=0, help_text="Failed tries of all its items.")

    def __str__(self) -> str:
        return f"{self.step}: {self.number}"
