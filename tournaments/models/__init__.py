"""The service's models. Facts (versions, games, attempts, checks) are inserted, and their content is never edited."""

from tournaments.models.accounts import Ban, Membership, Profile, Team, Token
from tournaments.models.analyses import Analysis
from tournaments.models.books import OpeningBook
from tournaments.models.bots import Bot, Check, QualificationGame, Submission, Version
from tournaments.models.candidacies import Candidacy, Contender
from tournaments.models.events import Bye, Entry, Event, Invitation, Round, Series
from tournaments.models.failures import FailedTries, Failure
from tournaments.models.ladders import Challenge, Ladder, LadderEntry
from tournaments.models.matches import Attempt, Game, Match, Side, StarvedVoid
from tournaments.models.notices.follows import Follow, PersonalFeed, PushSubscription
from tournaments.models.notices.webhooks import AuditEntry, Delivery, Webhook
from tournaments.models.questions import CasualGame, Question
from tournaments.models.rulings import ChangedPairing, Disqualification
from tournaments.models.stories import Stories
from tournaments.models.workers import Coordinator, Release, Standstill, Worker
