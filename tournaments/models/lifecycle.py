"""All statuses, and one table per model of the permitted transitions.

A status is changed by one conditional UPDATE (`WHERE status IN sources`), so that of two concurrent changes only one
succeeds.
"""

from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy


class SubmissionStatus(models.TextChoices):
    """Status of a submission."""

    # Accepted for checking, or returned to the queue by a void check.
    RECEIVED = "received"
    CHECKING = "checking"
    # A version was created from it.
    ACCEPTED = "accepted"
    REFUSED = "refused"


class VersionStatus(models.TextChoices):
    """Status of a version. Its content never changes."""

    ACTIVE = "active", _("Active")
    # Suspended by its author: not paired for now.
    RESTED = "rested", _("Suspended")
    # It no longer takes part anywhere.
    WITHDRAWN = "withdrawn", _("Withdrawn")


class Gap(models.TextChoices):
    """Reason why no worker may take some work."""

    OFFLINE = "offline"
    # The workers that could take it are all being drained.
    DRAINING = "draining"
    RULESET = "ruleset"
    # It has a bot that only a sandbox with full isolation may run.
    TIER = "tier"


class Seeding(models.TextChoices):
    """Order of an event's entrants in the draw."""

    RATING = "rating", _("Rating")
    LOT = "lot", _("Random")


class EventStatus(models.TextChoices):
    """Status of an event."""

    SCHEDULED = "scheduled", _("Scheduled")
    RUNNING = "running", _("Running")
    PAUSED = "paused", _("Paused")
    FINISHED = "finished", _("Finished")
    CANCELLED = "cancelled", _("Cancelled")


class MatchKind(models.TextChoices):
    """Purpose of a match; the dispatcher serves the kinds in this order."""

    EVENT = "event"
    LADDER = "ladder"
    TRIAL = "trial"
    CHALLENGE = "challenge"


class MatchStatus(models.TextChoices):
    """Status of a match."""

    QUEUED = "queued"
    RUNNING = "running"
    FINISHED = "finished"
    # Every attempt was void: the infrastructure failed, and neither bot lost.
    VOID = "void"
    CANCELLED = "cancelled"


class ContenderStatus(models.TextChoices):
    """Status of one of several candidates of a trial."""

    SELECTING = "in", _("In the selection")
    OUT = "out", _("Out")
    # It plays, or has played, the trial's test.
    CHOSEN = "chosen", _("Chosen")


class CandidacyStatus(models.TextChoices):
    """Status of a version's trial on a ladder."""

    RUNNING = "running", _("Running")
    # The candidate has replaced the current version.
    PASSED = "passed", _("Passed")
    FAILED = "failed", _("Failed")
    # The maximum number of pairs gave no verdict: the current version stays.
    INCONCLUSIVE = "inconclusive", _("Inconclusive")
    # Its author ended it, or one of the two versions no longer takes part.
    WITHDRAWN = "withdrawn", _("Withdrawn")
    # Another version took the place on the ladder, or started a newer trial.
    SUPERSEDED = "superseded", _("Superseded")


class AttemptStatus(models.TextChoices):
    """Status of an attempt at a match, or of a check of a submission."""

    RUNNING = "running"
    COUNTED = "counted"
    VOID = "void"


class QuestionStatus(models.TextChoices):
    """Status of a question to a bot."""

    RECEIVED = "received"
    ASKING = "asking"
    # The answer is a turn or a fault.
    ANSWERED = "answered"
    # Every attempt was void because of the infrastructure, not the bot.
    VOID = "void"
    # The answer is no longer needed, because the casual game is over.
    DROPPED = "dropped"


class AnalysisStatus(models.TextChoices):
    """Status of the analysis of a game."""

    # Waiting for a worker: not begun, or interrupted so that other work can go first.
    RECEIVED = "received"
    JUDGING = "judging"
    DONE = "done"
    # The infrastructure failed too often; the positions judged so far are kept.
    VOID = "void"


class CasualStatus(models.TextChoices):
    """Status of a game between a human and a bot."""

    PLAYING = "playing"
    FINISHED = "finished"
    # The player, who had no clock, stopped playing.
    ABANDONED = "abandoned"
    # The bot could not be asked, and neither side lost.
    VOID = "void"


class Role(models.TextChoices):
    """A user's role in a team."""

    CAPTAIN = "captain"
    MEMBER = "member"


class TokenScope(models.TextChoices):
    """Actions that a token permits on its owner's behalf.

    Each scope includes those below it; reading permits only GET.
    """

    EVERYTHING = "everything", _("Everything")
    UPLOADS = "uploads", _("Uploads")
    READING = "reading", _("Reading")


class Channel(models.TextChoices):
    """Channel of a notice."""

    WEBHOOK = "webhook"
    MAIL = "mail"
    PUSH = "push"
    # Entries of a personal feed: delivered as soon as they are written.
    FEED = "feed"


class DeliveryStatus(models.TextChoices):
    """Status of a delivery."""

    PENDING = "pending"
    DELIVERED = "delivered"
    # Abandoned, after the last try or because the recipient no longer exists.
    FAILED = "failed"


VERSION_TRANSITIONS: dict[str, tuple[str, ...]] = {
    # verb: statuses in which it is permitted
    "rest": (VersionStatus.ACTIVE,),
    "withdraw": (VersionStatus.ACTIVE, VersionStatus.RESTED),
    "bring_back": (VersionStatus.RESTED, VersionStatus.WITHDRAWN),
}

SUBMISSION_TRANSITIONS: dict[str, tuple[str, ...]] = {
    "claim": (SubmissionStatus.RECEIVED,),
    "accept": (SubmissionStatus.CHECKING,),
    "refuse": (SubmissionStatus.CHECKING,),
    "release": (SubmissionStatus.CHECKING,),
}

EVENT_TRANSITIONS: dict[str, tuple[str, ...]] = {
    "start": (EventStatus.SCHEDULED,),
    "pause": (EventStatus.RUNNING,),
    "resume": (EventStatus.PAUSED,),
    "cancel": (EventStatus.SCHEDULED, EventStatus.RUNNING, EventStatus.PAUSED),
    "finish": (EventStatus.RUNNING,),
    # A void match of a finished event is replayed.
    "reopen": (EventStatus.FINISHED,),
}

MATCH_TRANSITIONS: dict[str, tuple[str, ...]] = {
    "claim": (MatchStatus.QUEUED,),
    "finish": (MatchStatus.RUNNING,),
    "requeue": (MatchStatus.VOID,),
    "cancel": (MatchStatus.QUEUED, MatchStatus.RUNNING),
}

CANDIDACY_TRANSITIONS: dict[str, tuple[str, ...]] = {
    "judge": (CandidacyStatus.RUNNING,),
    "withdraw": (CandidacyStatus.RUNNING,),
    "supersede": (CandidacyStatus.RUNNING,),
}

QUESTION_TRANSITIONS: dict[str, tuple[str, ...]] = {
    "claim": (QuestionStatus.RECEIVED,),
    "answer": (QuestionStatus.ASKING,),
    "release": (QuestionStatus.ASKING,),
    "drop": (QuestionStatus.RECEIVED, QuestionStatus.ASKING),
}

ANALYSIS_TRANSITIONS: dict[str, tuple[str, ...]] = {
    "claim": (AnalysisStatus.RECEIVED,),
    "finish": (AnalysisStatus.JUDGING,),
    "release": (AnalysisStatus.JUDGING,),
}

CASUAL_TRANSITIONS: dict[str, tuple[str, ...]] = {
    "play": (CasualStatus.PLAYING,),
    "end": (CasualStatus.PLAYING,),
}

DELIVERY_TRANSITIONS: dict[str, tuple[str, ...]] = {
    "try": (DeliveryStatus.PENDING,),
    "resend": (DeliveryStatus.DELIVERED, DeliveryStatus.FAILED),
}

# The verbs of events and series, as quoted in refusals.
SPOKEN_VERBS = {
    "start": pgettext_lazy("it cannot … now", "start"),
    "pause": pgettext_lazy("it cannot … now", "pause"),
    "resume": pgettext_lazy("it cannot … now", "resume"),
    "cancel": pgettext_lazy("it cannot … now", "cancel"),
    "end": pgettext_lazy("it cannot … now", "end"),
    "finish": pgettext_lazy("it cannot … now", "finish"),
    "reopen": pgettext_lazy("it cannot … now", "reopen"),
}

SUBMISSION_OPEN = (SubmissionStatus.RECEIVED, SubmissionStatus.CHECKING)
QUESTION_OPEN = (QuestionStatus.RECEIVED, QuestionStatus.ASKING)
ANALYSIS_OPEN = (AnalysisStatus.RECEIVED, AnalysisStatus.JUDGING)
MATCH_OPEN = (MatchStatus.QUEUED, MatchStatus.RUNNING)
MATCH_ENDED = (MatchStatus.FINISHED, MatchStatus.VOID, MatchStatus.CANCELLED)
