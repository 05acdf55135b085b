"""Every status and the transitions that are permitted, in one table each.

A status is changed by one conditional UPDATE (`WHERE status IN sources`), so that of two who try, one wins.
"""

from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy


class SubmissionStatus(models.TextChoices):
    """A submission's life."""

    # Taken at the door, or given back by a check that the infrastructure spoiled.
    RECEIVED = "received"
    CHECKING = "checking"
    # A version came of it.
    ACCEPTED = "accepted"
    REFUSED = "refused"


class VersionStatus(models.TextChoices):
    """A version's standing; what it is made of never changes."""

    ACTIVE = "active", _("Active")
    # Its author keeps it from being paired for a while.
    RESTED = "rested", _("Rested")
    # It takes no further part, anywhere.
    WITHDRAWN = "withdrawn", _("Withdrawn")


class Seeding(models.TextChoices):
    """How the entrants of an event are ordered in the draw."""

    RATING = "rating", _("Rating")
    LOT = "lot", _("Lot")


class EventStatus(models.TextChoices):
    """An event's life."""

    SCHEDULED = "scheduled", _("Scheduled")
    RUNNING = "running", _("Running")
    PAUSED = "paused", _("Paused")
    FINISHED = "finished", _("Finished")
    CANCELLED = "cancelled", _("Cancelled")


class MatchKind(models.TextChoices):
    """What a match is played for; the dispatcher serves them in this order."""

    EVENT = "event"
    LADDER = "ladder"
    TRIAL = "trial"
    CHALLENGE = "challenge"


class MatchStatus(models.TextChoices):
    """A match's life."""

    QUEUED = "queued"
    RUNNING = "running"
    FINISHED = "finished"
    # Every attempt was void: the infrastructure failed, nobody lost.
    VOID = "void"
    CANCELLED = "cancelled"


class CandidacyStatus(models.TextChoices):
    """The life of a version's trial on a ladder."""

    RUNNING = "running", _("Running")
    # It plays there now, in the other's place.
    PASSED = "passed", _("Passed")
    FAILED = "failed", _("Failed")
    # Nothing was decided within its pairs: the current version goes on.
    INCONCLUSIVE = "inconclusive", _("Inconclusive")
    # Its author ended it, or one of the two takes no part any more.
    WITHDRAWN = "withdrawn", _("Withdrawn")
    # Another version took the place, or the trial's.
    SUPERSEDED = "superseded", _("Superseded")


class AttemptStatus(models.TextChoices):
    """The life of an attempt at a match, and of a check of a submission."""

    RUNNING = "running"
    COUNTED = "counted"
    VOID = "void"


class QuestionStatus(models.TextChoices):
    """The life of a question to a bot."""

    RECEIVED = "received"
    ASKING = "asking"
    # With a turn, or with a fault.
    ANSWERED = "answered"
    # Every attempt was void: the infrastructure failed, not the bot.
    VOID = "void"
    # Nobody wants to know any more: the casual game is over.
    DROPPED = "dropped"


class CasualStatus(models.TextChoices):
    """The life of a game between a person and a bot."""

    PLAYING = "playing"
    FINISHED = "finished"
    # The person, who had no clock, went away.
    ABANDONED = "abandoned"
    # The bot could not be asked: nobody lost.
    VOID = "void"


class Role(models.TextChoices):
    """What somebody is in a team."""

    CAPTAIN = "captain"
    MEMBER = "member"


class TokenScope(models.TextChoices):
    """What a token may do in its owner's name. Each may do what those below it may, and reading is GET alone."""

    EVERYTHING = "everything", _("Everything")
    UPLOADS = "uploads", _("Uploads")
    READING = "reading", _("Reading")


class Channel(models.TextChoices):
    """How a notice is sent."""

    WEBHOOK = "webhook"
    MAIL = "mail"


class DeliveryStatus(models.TextChoices):
    """The life of a notice on its way."""

    PENDING = "pending"
    DELIVERED = "delivered"
    # Given up, after the last try or because its receiver is gone.
    FAILED = "failed"


VERSION_TRANSITIONS: dict[str, tuple[str, ...]] = {
    # verb: statuses from which it may be done
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
    # A void match of a finished event is played again.
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

CASUAL_TRANSITIONS: dict[str, tuple[str, ...]] = {
    "play": (CasualStatus.PLAYING,),
    "end": (CasualStatus.PLAYING,),
}

DELIVERY_TRANSITIONS: dict[str, tuple[str, ...]] = {
    "try": (DeliveryStatus.PENDING,),
    "resend": (DeliveryStatus.DELIVERED, DeliveryStatus.FAILED),
}

# The verbs of events and series in a refusal.
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
MATCH_OPEN = (MatchStatus.QUEUED, MatchStatus.RUNNING)
MATCH_ENDED = (MatchStatus.FINISHED, MatchStatus.VOID, MatchStatus.CANCELLED)
