"""The operator's commands: their output and refusals."""

from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db.models import F
from django.utils import timezone

from ratings.models import OfficialTable, Rating
from tests.factories import START, make_event, make_user, make_version, play_event
from tests.tournaments.conftest import RANDOM_BOT, make_archive
from tests.tournaments.events.test_rulings import entry_at, hold
from tournaments.models import Disqualification, Event, Ladder, LadderEntry, Submission
from tournaments.services.ladders.official import compute_due
from tournaments.setup.demo.plan import join_ladders

pytestmark = pytest.mark.django_db
HEX = "square-grid-hex-3x3-5s-0-1s"


@pytest.fixture
def manage(capsys):
    """Return a function that runs a command and returns its output."""

    def manage(*words: str) -> str:
        call_command(*map(str, words))
        return capsys.readouterr().out.strip()

    return manage


@pytest.fixture
def refused(manage):
    """Return a function that runs commands that are refused, each with its sentence."""

    def refused(*cases: tuple[str, ...]) -> None:
        for sentence, *words in cases:
            with pytest.raises(CommandError, match=sentence):
                manage(*words)

    return refused


class TestUploadBot:
    def test_accepts_archives_and_directories_and_continues_after_a_refusal(self, manage, refused, author, tmp_path):
        (tmp_path / "otter.zip").write_bytes(make_archive("Otter", rulesets='["squ"]'))
        (tmp_path / "bad.zip").write_bytes(b"no archive")
        beaver = tmp_path / "beaver"
        beaver.mkdir()
        (beaver / "bot.toml").write_text('name = "Beaver"\ncommand = ["python3", "main.py"]\nrulesets = ["scware"]\n')
        (beaver / "main.py").write_text(RANDOM_BOT.format(seed=1))
        refused((r"bad\.zip: .*archive", "upload_bot", tmp_path / "bad.zip", tmp_path / "otter.zip", "--owner",
                 "author"))
        otter = Submission.objects.get(uploader=author, status="received")
        said = manage("upload_bot", beaver, "--owner", "author").splitlines()[-1]
        second = Submission.objects.filter(status="received").latest("pk")
        assert said == f"{beaver}: received as submission {second.pk}; waiting for a worker to check it"
        assert (otter.name, second.name) == ("Otter", "Beaver")
        refused(("There is no account 'nobody'", "upload_bot", tmp_path, "--owner", "nobody"),
                (r"Cannot read .*: No such file", "upload_bot", tmp_path / "missing.zip", "--owner", "author"))


class TestCreateLadder:
    def test_prints_the_slug_or_refuses_with_a_reason(self, manage, refused):
        assert manage("create_ladder", "squ", 8, "5+0.1") == "squ-8x8-5s-0-1s"
        assert manage("create_ladder", "squ", 8, "0.5/turn", "--pondering") == "squ-8x8-0-5s-per-turn-pondering"
        ladder = Ladder.objects.latest("pk")
        assert (ladder.base_seconds, ladder.per_turn_seconds, ladder.pondering) == (0, 0.5, True)
        refused(("Unknown ruleset 'chess'", "create_ladder", "chess", 8, "5+0.1"),
                ("a time control must be base", "create_ladder", "squ", 8, "soon"))


class TestCreateEvent:
    @pytest.fixture(autouse=True)
    def bots(self, hex_ladder):
        return [make_version("ant"), make_version("bee"), make_version("cat", rulesets=["squ"])]

    def create(self, manage, *words):
        return Event.objects.get(slug=manage("create_event", HEX, *words))

    def test_enters_the_newest_version_of_every_bot_of_the_ruleset(self, manage, bots, staff):
        newer = make_version("ant")
        event = self.create(manage, "--cycles", 3, "--name", "Spring")
        assert (event.name, event.cycles, event.created_by, event.openings) == ("Spring", 3, staff, True)
        assert set(event.entries.values_list("version", flat=True)) == {newer.pk, bots[1].pk}

    def test_accepts_times_formats_and_registration(self, manage, staff):
        # A start without an offset is in UTC.
        for text, hour in (("2126-01-31T18:00", 18), ("2126-01-31T18:00+01:00", 17)):
            event = self.create(manage, "--starts-at", text, "--no-openings")
            assert (event.starts_at, event.openings) == (datetime(2126, 1, 31, hour, tzinfo=UTC), False)
        event = self.create(manage, "--format", "swiss", "--swiss-rounds", 5, "--unrated", "--tie-break", "wins",
                            "--max-entries", 9, "--seeding", "lot", "--private",
                            "--registration-opens", "2026-01-01", "--starts-at", "2126-01-31T18:00")
        assert (event.name, event.format, event.swiss_rounds, event.rated, event.tie_breaks, event.max_entries) == (
            "Swiss", "swiss", 5, False, ["wins"], 9)
        assert (event.seeding, event.private, event.entries.count()) == ("lot", True, 0)
        event = self.create(manage, "bot-1", "--format", "gauntlet", "--runner", "bot-2")
        assert list(event.entries.filter(runs_the_gauntlet=True).values_list("bot__slug", flat=True)) == ["bot-2"]

    def test_refuses_with_a_reason(self, refused, bots):
        refused(("There is no superuser", "create_event", HEX))
        make_user("organiser", staff=True)
        refused((f"There is no ladder 'chess'. Existing ladders: {HEX}.", "create_event", "chess"),
                *((sentence, "create_event", HEX, *words) for sentence, *words in (
                    ("There is no bot 'nobody'", "nobody"),
                    ("only one is entered", "bot-1", "bot-1"),
                    ("cat v1 does not play square-grid-hex", "bot-1", "bot-3"),
                    ("is in the past", "--starts-at", "2020-01-01"),
                    ("'soon' is not a time", "--starts-at", "soon"),
                    ("The seed must be", "--seed", "-1"),
                    ("mia is not a staff account", "--organiser", "mia"))))
        assert not Event.objects.exists()


class TestSeries:
    def test_are_created_listed_paused_resumed_and_ended(self, manage, refused, hex_ladder, staff):
        slug = manage("series", "create", HEX, "0 18 * * FRI", "--name", "Weekly", "--time-zone",
                      "Europe/Berlin", "--enter-ladder", "--format", "swiss")
        assert Event.objects.get(series__slug=slug).format == "swiss"
        for words, state in (((), "active"), (("pause", slug), "paused"), (("resume", slug), "active"),
                             (("end", slug), "ended")):
            assert manage("series", *words) == f"weekly: 0 18 * * FRI (Europe/Berlin), {state}"
        assert manage("series", "list") == manage("series")
        refused(("There is no series 'nothing'", "series", "pause", "nothing"),
                ("Unknown time zone 'Moon'", "series", "create", HEX, "0 18 * * FRI", "--name", "W", "--time-zone",
                 "Moon"))

    def test_have_targets_regulations_and_a_book(self, manage, hex_ladder, staff, tmp_path):
        book = tmp_path / "book.txt"
        book.write_text("a1 b2\n")
        words = ("series", "create", HEX, "0 18 * * FRI", "--name")
        manage(*words, "Cup", "--format", "swiss", "--apart-rounds", 2, "--book", book,
               "--starts-at", "2126-01-31")
        event = Event.objects.get(series__slug="cup")
        assert (event.apart_rounds, event.book.count, event.starts_at.year) == (2, 1, 2126)
        manage(*words, "Sure", "--format", "precision", "--target", "ratings", "--target-value", 90,
               "--max-matches", 500)
        assert Event.objects.get(series__slug="sure").target_value == 90


class TestRule:
    @pytest.fixture
    def rule(self, manage):
        """Return a function that rules on an event, and returns the command's output."""
        return lambda event, *words: manage("rule", event.slug, *words, "--organiser", "organiser")

    def test_enters_withdraws_and_brings_back(self, rule):
        event = hold(4, "arena", minutes=60)
        Event.objects.update(started_at=timezone.now())
        late = make_version("late", owner="another").bot
        assert rule(event, "enter", late.slug) == "late v1 is entered in Cup."
        assert rule(event, "withdraw", late.slug) == "late has left Cup."
        assert event.entries.get(bot=late).left_at
        assert rule(event, "bring-back", late.slug) == "late is back in Cup."
        assert event.entries.get(bot=late).left_at is None

    def test_disqualifies_and_refuses_with_a_reason(self, rule, refused):
        event = hold(4, swiss_rounds=3)
        one, other = entry_at(event, 0).bot, entry_at(event, 1).bot
        done = rule(event, "disqualify", other.slug, "--reason", "Copied", "--annul")
        assert done == f"{other} is disqualified from Cup."
        ruling = Disqualification.objects.get()
        assert (ruling.reason, ruling.annulled, ruling.ruled_by.username) == ("Copied", True, "organiser")
        late = make_version("late").bot.slug
        refused(("There is no event 'cap'. Name an event by its slug", "rule", "cap", "withdraw", one.slug),
                *((sentence, "rule", "cup", *words) for sentence, *words in (
                    ("There is no bot 'nobody'. Name a bot by its slug", "enter", "nobody"),
                    (f"{late} has no version 7. Existing versions: 1", "enter", late, 7),
                    ("Cup is running: entries are closed", "enter", late),
                    ("late is not entered in Cup: choose one of its entrants", "withdraw", late),
                    ("arguments are required: --reason", "disqualify", one.slug),
                    ("invalid choice: 'dance'", "dance"), ("arguments are required: VERB",))))


class TestRebuildRatings:
    def test_reports_and_replaces_any_difference(self, manage, refused):
        ladder = play_event(make_event([make_version("ant"), make_version("bee")])).ladder
        compute_due(START + timedelta(days=1))
        assert manage("rebuild_ratings") == f"{ladder.slug}: equal, bit for bit"
        Rating.objects.filter(bot__name="ant").update(value=F("low"))
        OfficialTable.objects.update(games=1, draws=0)
        refused((f"of {ladder.slug} do not follow from the games", "rebuild_ratings", "--check"))
        said = manage("rebuild_ratings", ladder.slug).splitlines()[-1]
        assert said == f"{ladder.slug}: different and replaced: ratings"
        assert manage("rebuild_ratings", "--check") == f"{ladder.slug}: equal, bit for bit"


class TestWorker:
    def test_refuses_with_a_reason(self, refused):
        refused(("Unknown rulesets: chess", "worker", "--rulesets", "squ,chess"),
                ("No ruleset given", "worker", "--rulesets", ","),
                ("must be at least 1, not 0", "worker", "--concurrency", "0"))


class TestTheDemo:
    def test_puts_the_reference_bots_on_its_ladders_in_every_run(self):
        versions = [make_version(name) for name in ("random", "greedy", "searcher")]
        events = [make_event(versions, ruleset=ruleset, size=4) for ruleset in ("squ", "scware")]
        for _ in range(2):
            join_ladders(events, versions, make_user("organiser", staff=True), START)
            assert LadderEntry.objects.filter(active=True).count() == 6
