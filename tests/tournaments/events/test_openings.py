"""How many openings an event has and needs, and events with an opening book of their own."""

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction

from tests.factories import make_event, make_version, play_event
from tournaments.formats import registry
from tournaments.formats.bundled import Mismatch, digest_of
from tournaments.formats.verification import verify_bundle
from tournaments.models import Event, OpeningBook
from tournaments.selectors.events.openings import Openings, of_event
from tournaments.services.events.books import BookRefused
from tournaments.services.events.events import create_event, start_event
from tournaments.services.events.exports import event_bundle
from tournaments.services.ladders.ladders import create_ladder


class TestOpeningsOfAnEvent:
    @pytest.mark.django_db
    def test_repeat_if_there_are_fewer_than_two_entrants_play_matches(self):
        versions = [make_version(name) for name in ("ant", "bee")]
        for size, cycles, there, repeat in ((4, 1, 1, False), (4, 2, 1, True), (6, 69, 69, False), (6, 70, 69, True)):
            found = of_event(make_event(versions, ruleset="squ", size=size, cycles=cycles, openings=True,
                                        started=False))
            assert (found, found.repeat) == (Openings(there, cycles), repeat)

    def test_count_the_extra_matches_and_the_rematches_of_knockouts(self):
        most = {"round-robin": 2, "swiss": 2, "knockout": 6, "double knockout": 18}
        assert {slug: registry.find(slug).most_matches_of_a_pair(2) for slug in most} == most


BOOK = "# mine\na1 f1,a6\nb2 e2,b5\n"


@pytest.fixture
def plan(db, staff, now):
    """Valid arguments of `create_event` with a book."""
    return {"name": "Cup", "ladder": create_ladder(ruleset="squ", size=6, base_seconds=1), "cycles": 2, "seed": 1,
            "versions": [make_version(name) for name in ("ant", "bee", "cat")], "starts_at": now, "now": now,
            "created_by": staff, "book": BOOK}


class TestAnEventWithABook:
    def test_draws_its_openings_from_the_book_each_once_per_pair(self, plan, now):
        event = create_event(**plan)
        assert of_event(event) == Openings(2, 2)
        start_event(event=event, now=now)
        drawn = [(match.first_id + match.second_id, tuple(match.opening)) for match in event.matches.all()]
        assert len(set(drawn)) == 6
        assert {opening for _, opening in drawn} == {tuple(opening) for opening in event.book.openings}

    def test_is_not_scheduled_with_a_bad_line(self, plan):
        with pytest.raises(BookRefused, match=r"cannot be used\. Line 2: turn 1, 'z1', cannot be played"):
            create_event(**plan | {"book": "a1\nz1"})
        with pytest.raises(BookRefused, match="begins from the empty board and cannot have an opening book"):
            create_event(**plan | {"openings": False})
        assert not Event.objects.exists()
        assert not OpeningBook.objects.exists()

    @pytest.mark.database
    def test_is_refused_by_the_database_without_openings(self, plan):
        event = create_event(**plan)
        with pytest.raises(IntegrityError, match="an_event_with_a_book_has_openings"), transaction.atomic():
            Event.objects.filter(pk=event.pk).update(openings=False)

    def test_is_scheduled_by_the_command(self, plan, tmp_path, capsys):
        path, slugs = tmp_path / "book.txt", [version.bot.slug for version in plan["versions"]]
        command = ["create_event", plan["ladder"].slug, *slugs, "--organiser", plan["created_by"].username, "--book"]
        path.write_text(BOOK)
        call_command(*command, str(path))
        assert Event.objects.get(slug=capsys.readouterr().out.strip()).book.count == 2
        for data, sentence in ((b"a1\n\xff", "Line 2 is not UTF-8"), (b"a1\nz1", "Line 2: turn 1, 'z1'")):
            path.write_bytes(data)
            with pytest.raises(CommandError, match=sentence):
                call_command(*command, str(path))

    def test_has_a_bundle_that_verifies_unless_a_game_began_otherwise(self, plan, now, tmp_path):
        event = play_event(start_event(event=create_event(**plan), now=now))
        path = tmp_path / "bundle.zip"
        with event_bundle(event) as file:
            path.write_bytes(file.read())
        assert "Cup verified: " in verify_bundle(str(path))
        book = OpeningBook.objects.get()
        for openings, digest, sentence in (
                (book.openings[:1], digest_of(book.openings[:1]), "its opening is not in the event's book"),
                (book.openings[:1], book.digest, "the openings do not have the SHA-256 that it gives")):
            OpeningBook.objects.update(openings=openings, digest=digest)
            with event_bundle(Event.objects.get()) as file:
                path.write_bytes(file.read())
            with pytest.raises(Mismatch, match=sentence):
                verify_bundle(str(path))
