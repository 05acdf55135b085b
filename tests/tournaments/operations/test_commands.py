"""The operator's commands: their output and refusals."""

from datetime import UTC, datetime

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone

from ratings.models import Rating
from tests.factories import make_event, make_version, play_event
from tests.tournaments.conftest import RANDOM_BOT, make_archive
from tests.tournaments.events.test_rulings import entry_at, hold
from tournaments.models import Bye, ByeRequest, ChangedPairing, Disqualification, Event, Ladder, Submission

pytestmark = pytest.mark.django_db


@pytest.fixture
def manage(capsys):
    """Return a function that runs a command and returns its output."""

    def manage(*words: str) -> str:
        call_command(*map(str, words))
        return capsys.readouterr().out.strip()

    return manage


class TestUploadBot:
    def test_accepts_archives_and_directories(self, manage, author, tmp_path):
        (tmp_path / "otter.zip").write_bytes(make_archive("Otter", rulesets='["squ"]'))
        beaver = tmp_path / "beaver"
        beaver.mkdir()
        (beaver / "bot.toml").write_text('name = "Beaver"\ncommand = ["python3", "main.py"]\nrulesets = ["scware"]\n')
        (beaver / "main.py").write_text(RANDOM_BOT.format(seed=1))
        lines = manage("upload_bot", tmp_path / "otter.zip", beaver, "--owner", "author").splitlines()
        otter, beaver_upload = Submission.objects.filter(uploader=author).order_by("pk")
        assert lines == [f"{tmp_path}/otter.zip: received as submission {otter.pk}; waiting for a worker to check it",
                         f"{beaver}: received as submission {beaver_upload.pk}; waiting for a worker to check it"]
        assert (otter.name, beaver_upload.name) == ("Otter", "Beaver")

    def test_continues_after_a_refusal_and_names_the_refused(self, manage, author, tmp_path):
        (tmp_path / "bad.zip").write_bytes(b"no archive")
        (tmp_path / "otter.zip").write_bytes(make_archive("Otter"))
        with pytest.raises(CommandError, match=r"bad\.zip: .*archive"):
            manage("upload_bot", tmp_path / "bad.zip", tmp_path / "otter.zip", "--owner", "author")
        assert Submission.objects.get(status="received").name == "Otter"

    def test_refuses_an_unknown_owner_or_path(self, manage, author, tmp_path):
        with pytest.raises(CommandError, match="There is no account 'nobody'"):
            manage("upload_bot", tmp_path, "--owner", "nobody")
        with pytest.raises(CommandError, match=r"Cannot read .*: No such file"):
            manage("upload_bot", tmp_path / "missing.zip", "--owner", "author")


class TestCreateLadder:
    def test_prints_the_slug(self, manage):
        assert manage("create_ladder", "squ", 8, "5+0.1") == "squ-8x8-5s-0-1s"
        assert Ladder.objects.get().name == "SQU 8×8, 5 s + 0.1 s"

    def test_accepts_a_fixed_time_per_turn_and_pondering(self, manage):
        assert manage("create_ladder", "squ", 8, "0.5/turn", "--pondering") == "squ-8x8-0-5s-per-turn-pondering"
        ladder = Ladder.objects.get()
        assert (ladder.base_seconds, ladder.per_turn_seconds, ladder.pondering) == (0, 0.5, True)

    @pytest.mark.parametrize(("words", "sentence"), [
        (("chess", 8, "5+0.1"), "Unknown ruleset 'chess'"),
        (("squ", 3, "5+0.1"), "SQU is played on sizes"),
        (("squ", 8, "soon"), "a time control must be base"),
        (("squ", 8, "0.01"), "The base time must be 0.05 to 3600 seconds"),
    ])
    def test_refuses_with_a_reason(self, manage, words, sentence):
        with pytest.raises(CommandError, match=sentence):
            manage("create_ladder", *words)


class TestCreateEvent:
    @pytest.fixture
    def bots(self, db):
        return [make_version("ant"), make_version("bee"), make_version("cat", rulesets=["squ"])]

    def test_enters_the_newest_version_of_every_bot_of_the_ruleset(self, manage, hex_ladder, bots, staff):
        newer = make_version("ant")
        slug = manage("create_event", hex_ladder.slug, "--cycles", 3, "--name", "Spring")
        event = Event.objects.get(slug=slug)
        assert (event.name, event.cycles, event.created_by) == ("Spring", 3, staff)
        assert set(event.entries.values_list("version", flat=True)) == {newer.pk, bots[1].pk}

    def test_reads_the_start_as_utc_without_an_offset(self, manage, hex_ladder, bots, staff):
        for text, hour in (("2126-01-31T18:00", 18), ("2126-01-31T18:00+01:00", 17)):
            event = Event.objects.get(slug=manage("create_event", hex_ladder.slug, "--starts-at", text))
            assert event.starts_at == datetime(2126, 1, 31, hour, tzinfo=UTC)

    def test_has_openings_by_default(self, manage, hex_ladder, bots, staff):
        manage("create_event", hex_ladder.slug)
        manage("create_event", hex_ladder.slug, "--no-openings")
        assert list(Event.objects.order_by("pk").values_list("openings", flat=True)) == [True, False]

    @pytest.mark.parametrize(("words", "sentence"), [
        (("chess",), "There is no ladder 'chess'. Existing ladders: square-grid-hex-3x3-5s-0-1s."),
        (("square-grid-hex-3x3-5s-0-1s", "nobody"), "There is no bot 'nobody'"),
        (("square-grid-hex-3x3-5s-0-1s", "bot-1"), "at least two bots"),
        (("square-grid-hex-3x3-5s-0-1s", "bot-1", "bot-1"), "only one is entered"),
        (("square-grid-hex-3x3-5s-0-1s", "bot-1", "bot-3"), "cat v1 does not play square-grid-hex"),
        (("square-grid-hex-3x3-5s-0-1s", "--starts-at", "2020-01-01"), "is in the past"),
        (("square-grid-hex-3x3-5s-0-1s", "--starts-at", "soon"), "'soon' is not a time"),
        (("square-grid-hex-3x3-5s-0-1s", "--seed", "-1"), "The seed must be"),
        (("square-grid-hex-3x3-5s-0-1s", "--organiser", "mia"), "mia is not a staff account"),
    ])
    def test_refuses_with_a_reason(self, manage, hex_ladder, bots, staff, words, sentence):
        with pytest.raises(CommandError, match=sentence):
            manage("create_event", *words)
        assert not Event.objects.exists()

    def test_accepts_a_format_and_registration(self, manage, hex_ladder, bots, staff):
        slug = manage("create_event", hex_ladder.slug, "--format", "swiss", "--swiss-rounds", 5, "--unrated",
                      "--tie-break", "wins", "--max-entries", 9, "--seeding", "lot", "--private",
                      "--registration-opens", "2026-01-01", "--starts-at", "2126-01-31T18:00")
        event = Event.objects.get(slug=slug)
        assert (event.name, event.format, event.swiss_rounds, event.rated, event.tie_breaks, event.max_entries) == (
            "Swiss", "swiss", 5, False, ["wins"], 9)
        assert (event.seeding, event.private, event.entries.count()) == ("lot", True, 0)

    def test_accepts_the_runners_of_a_gauntlet(self, manage, hex_ladder, bots, staff):
        slug = manage("create_event", hex_ladder.slug, "bot-1", "--format", "gauntlet", "--runner", "bot-2")
        event = Event.objects.get(slug=slug)
        assert list(event.entries.filter(runs_the_gauntlet=True).values_list("bot__slug", flat=True)) == ["bot-2"]

    def test_needs_an_organiser(self, manage, hex_ladder, bots):
        with pytest.raises(CommandError, match="There is no superuser"):
            manage("create_event", hex_ladder.slug)


class TestSeries:
    def test_are_created_listed_paused_resumed_and_ended(self, manage, hex_ladder, staff):
        slug = manage("series", "create", hex_ladder.slug, "0 18 * * FRI", "--name", "Weekly", "--time-zone",
                      "Europe/Berlin", "--enter-ladder", "--format", "swiss")
        assert Event.objects.get(series__slug=slug).format == "swiss"
        for words, state in (((), "active"), (("pause", slug), "paused"), (("resume", slug), "active"),
                             (("end", slug), "ended")):
            assert manage("series", *words) == f"weekly: 0 18 * * FRI (Europe/Berlin), {state}"
        assert manage("series", "list") == manage("series")

    def test_have_targets_regulations_and_a_book(self, manage, hex_ladder, staff, tmp_path):
        book = tmp_path / "book.txt"
        book.write_text("a1 b2\n")
        words = ("series", "create", hex_ladder.slug, "0 18 * * FRI", "--name")
        manage(*words, "Cup", "--format", "swiss", "--late-rounds", 2, "--bye-points", 0.5, "--book", book,
               "--starts-at", "2126-01-31")
        event = Event.objects.get(series__slug="cup")
        assert (event.late_rounds, event.bye_points, event.book.count, event.starts_at.year) == (2, 0.5, 1, 2126)
        manage(*words, "Sure", "--format", "precision", "--target", "ratings", "--target-value", 90,
               "--max-matches", 500)
        assert Event.objects.get(series__slug="sure").target_value == 90

    def test_are_refused_with_a_reason(self, manage, hex_ladder, staff):
        with pytest.raises(CommandError, match="There is no series 'nothing'"):
            manage("series", "pause", "nothing")
        with pytest.raises(CommandError, match="Unknown time zone 'Moon'"):
            manage("series", "create", hex_ladder.slug, "0 18 * * FRI", "--name", "Weekly", "--time-zone", "Moon")


class TestRule:
    @pytest.fixture
    def rule(self, manage):
        """Return a function that rules on an event, and returns the command's output."""
        return lambda event, *words: manage("rule", event.slug, *words, "--organiser", "organiser")

    def test_previews_changes_and_confirms_pairings(self, rule):
        event = hold(5, swiss_rounds=3, confirm_rounds=True)
        draft = rule(event, "preview")
        assert draft.startswith("round 2: ")
        assert draft.endswith("2 matches have no result yet, which can change the pairings.")
        matches = event.matches.select_related("first__bot", "second__bot").order_by("number")
        one, other = (match.first.bot.slug for match in matches)
        lone = event.rounds.get().byes.get().entry.bot.slug
        assert rule(event, "pair", one, other).endswith("Nothing was stored: give a --reason to store the change.")
        assert not ChangedPairing.objects.exists()
        assert rule(event, "pair", one, other, "--reason", "a request").endswith("Stored.")
        assert f"round 1: {one} has a bye" in rule(event, "bye", one, "--reason", "a fault")
        assert Bye.objects.get(round__event=event).entry.bot.slug == one != lone
        assert rule(event, "confirm") == "Confirmed."

    def test_enters_withdraws_and_brings_back(self, rule):
        event = hold(4, "arena", minutes=60)
        Event.objects.update(started_at=timezone.now())
        late = make_version("late", owner="another").bot
        assert rule(event, "enter", late.slug) == "late v1 is entered in Cup."
        assert rule(event, "withdraw", late.slug) == "late has left Cup."
        assert event.entries.get(bot=late).left_at
        assert rule(event, "bring-back", late.slug) == "late is back in Cup."
        assert event.entries.get(bot=late).left_at is None

    def test_grants_byes_and_disqualifies(self, rule):
        event = hold(4, swiss_rounds=3, byes_allowed=1)
        one, other = entry_at(event, 0).bot, entry_at(event, 1).bot
        assert rule(event, "request-bye", one.slug, 3) == f"{one} sits out round 3 of Cup."
        assert ByeRequest.objects.get(number=3).entry.bot == one
        done = rule(event, "disqualify", other.slug, "--reason", "Copied", "--annul")
        assert done == f"{other} is disqualified from Cup."
        ruling = Disqualification.objects.get()
        assert (ruling.reason, ruling.annulled, ruling.ruled_by.username) == ("Copied", True, "organiser")

    def test_refuses_with_a_reason(self, manage):
        event = hold(2)
        one, late = entry_at(event, 0).bot.slug, make_version("late").bot.slug
        for sentence, *words in (
                ("There is no event 'cap'. Name an event by its slug", "cap", "preview"),
                ("There is no bot 'nobody'. Name a bot by its slug", "cup", "enter", "nobody"),
                (f"{late} has no version 7. Existing versions: 1", "cup", "enter", late, 7),
                ("Cup is running: entries are closed", "cup", "enter", late),
                ("late is not entered in Cup: choose one of its entrants", "cup", "withdraw", late),
                ("only an arena whose time is not over takes entrants back", "cup", "bring-back", one),
                ("Cup grants no requested byes", "cup", "request-bye", one, 2),
                ("needs a public reason of 1 to 300", "cup", "disqualify", one, "--reason", " "),
                ("arguments are required: --reason", "cup", "disqualify", one),
                ("cannot meet itself in round 1 of Cup", "cup", "pair", one, one),
                ("invalid choice: 'dance'", "cup", "dance"), ("arguments are required: VERB", "cup")):
            with pytest.raises(CommandError, match=sentence):
                manage("rule", *words)
        assert not event.entries.filter(left_at__isnull=False).exists()


class TestRebuildRatings:
    def test_reports_any_difference(self, manage, capsys):
        ladder = play_event(make_event([make_version("ant"), make_version("bee")])).ladder
        assert manage("rebuild_ratings") == f"{ladder.slug}: equal, bit for bit"
        Rating.objects.filter(bot__name="ant").update(value=0)
        with pytest.raises(CommandError, match=f"The ratings of {ladder.slug} do not follow from the games"):
            manage("rebuild_ratings", "--check")
        capsys.readouterr()
        assert manage("rebuild_ratings", ladder.slug) == f"{ladder.slug}: different and replaced: live ratings"
        assert manage("rebuild_ratings", "--check") == f"{ladder.slug}: equal, bit for bit"


class TestWorkerCommand:
    @pytest.mark.parametrize(("words", "sentence"), [
        (("--rulesets", "squ,chess"), "Unknown rulesets: chess"),
        (("--rulesets", ","), "No ruleset given"),
        (("--concurrency", "0"), "must be at least 1, not 0"),
    ])
    def test_refuses_with_a_reason(self, manage, words, sentence):
        with pytest.raises(CommandError, match=sentence):
            manage("worker", *words)
