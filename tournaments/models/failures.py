"""Failures of the coordinator's steps, which are shown to staff and retried."""

from django.db import models


class Failure(models.Model):
    """An item at which a step of the coordinator fails. The row is deleted when a retry succeeds."""

    step = models.CharField(max_length=40, help_text="The step of the coordinator.")
    item = models.CharField(max_length=120, help_text="ID of the row at which it fails; empty for the whole step.")
    error = models.CharField(max_length=120, help_text="Type of the last error; the log has its message.")
    tries = models.PositiveIntegerField(help_text="Number of consecutive failures.")
    first_at = models.DateTimeField(help_text="Time of the first failure.")
    last_at = models.DateTimeField(help_text="Time of the last failure.")
    due_at = models.DateTimeField(help_text="Time of the next retry.")

    class Meta:
        ordering = ["step", "item"]
        constraints = [models.UniqueConstraint(name="an_item_fails_at_a_step_in_one_row", fields=["step", "item"])]

    def __str__(self) -> str:
        return f"{self.step}: {self.item or 'the whole step'}"


class FailedTries(models.Model):
    """Number of failed tries of a step since the site was set up, for the metrics."""

    step = models.CharField(max_length=40, unique=True, help_text="The step of the coordinator.")
    number = models.PositiveBigIntegerField(default=0, help_text="Failed tries over all items.")

    def __str__(self) -> str:
        return f"{self.step}: {self.number}"
