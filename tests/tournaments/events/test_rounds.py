"""Formats that are paired round by round, from the draw to the final standings."""

from datetime import timedelta
from itertools import count

import pytest
from django.db import connection
from django.db.models import Q

from ratings.models import Rating
from tests.factories import START, make_rating, make_user, make_version, play_match, random_record, spoil_match
from tournaments.coordinator import steps
from tournaments.formats.registry import find
from tournaments.formats.swiss import standard
from tournaments.models import AuditEntry, Bye, Event, Match
from tournaments.models.lifecycle import EventStatus, MatchStatus, Seeding
from tournaments.pairing.swiss import next_round
from tournaments.selectors.events import events as reads
from tournaments.selectors.events.history.ties import ties_of
from tournaments.services.events import rounds
from tournaments.services.events.entries import leave_event
from tournaments.services.events.events import create_event, finish_event, pause_event, resume_event, start_event
from tournaments.services.events.requeueing import RequeueRefused, requeue_match
from tournaments.services.ladders.ladders import create_ladder
from tournaments.services.ladders.rating import rate_due

pytestmark = pytest.mark.django_db


def hold_event(bots: int, format_: str, *, started: bool = True, **facts) -> Event:
    """Create an unrated event with the given number of bots on the smallest board."""
    ladder = create_ladder(ruleset="square-grid-hex", size=3, base_seconds=5.0)
    versions = [make_version(f"bot {number:02}") for number in range(bots)]
    event = create_event(**{"name": "Cup", "ladder": ladder, "versions": versions, "starts_at": START, "now": START,
                            "created_by": make_user("organiser", staff=True), "seed": 7, "format": format_,
                            "rated": False, **facts})
    return start_event(event=event, now=START) if started else event


def play_round(event: Event) -> int:
    """Play the open matches in random order and return the round's number."""
    for match in Match.objects.filter(event=event, status=MatchStatus.QUEUED).order_by("pk"):
        play_match(match)
    return event.rounds.count()


def play_out(event: Event) -> list[int]:
    """Play until nothing is due and return the number of matches per round."""
    play_round(event)
    while rounds.pair_next(event=event, now=START):
        play_round(event)
    return [round_.matches.count() for round_ in event.rounds.order_by("number")]


def to_the_end(event: Event) -> Event:
    """Play everything that is left, and finish the event."""
    play_out(event)
    assert finish_event(event=event, now=START)
    event.refresh_from_db()
    return event


class TestASwiss:
    def test_has_enough_rounds_by_default_and_ends_early_when_all_entrants_have_met(self):
        event = hold_event(5, "swiss")
        assert event.swiss_rounds == find("swiss").rounds(5, None)
        assert play_out(hold_event(4, "swiss", swiss_rounds=9)) == [2, 2, 2]

    def test_waits_for_every_match_of_a_round_and_while_the_event_is_paused(self):
        event = hold_event(4, "swiss")
        first, second = Match.objects.order_by("pk")
        play_match(first)
        assert not rounds.pair_next(event=event, now=START)
        play_match(second)
        pause_event(event=event, now=START)
        assert not rounds.pair_next(event=event, now=START)
        resume_event(event=event, now=START)
        assert rounds.pair_next(event=event, now=START)
        assert not rounds.pair_next(event=event, now=START)
        assert event.rounds.count() == 2

    def test_plays_a_match_per_cycle_in_each_pairing_and_counts_the_majority(self):
        event = hold_event(4, "swiss", cycles=3)
        assert Match.objects.count() == 6
        play_round(event)
        for tie in ties_of(event)[1]:
            assert (tie.matches, sum(tie.points)) == (3, 6)
            assert sum(tie.scores()) == 1

    def test_counts_a_void_match_as_half_a_point_each(self, settings):
        settings.MAX_ATTEMPTS = 1
        event = hold_event(2, "swiss")
        spoil_match(Match.objects.get(), "no disk")
        assert [line.row.points for line in reads.standings(event)] == [0.5, 0.5]
        assert [line.row.score.games for line in reads.standings(event)] == [0, 0]

    def test_does_not_pair_a_leaver_and_gives_the_opponent_the_round(self):
        event = hold_event(4, "swiss", swiss_rounds=3)
        match = Match.objects.order_by("pk")[0]
        leaver = event.entries.get(version=match.first)
        leave_event(entry=leaver, actor=None, now=START)
        play_round(event)
        points = {line.entry.version_id: line.row.points for line in reads.standings(event)}
        assert (points[match.first_id], points[match.second_id]) == (0, 1)
        rounds.pair_next(event=event, now=START)
        later = Match.objects.filter(round__number=2)
        assert later.count() == 1
        assert not later.filter(Q(first=leaver.version) | Q(second=leaver.version)).exists()
        assert Bye.objects.count() == 1


@pytest.mark.django_db(transaction=True)
class TestPairingASwissRound:
    def test_is_done_without_locks(self, monkeypatch):
        """Pairing 128 entrants takes ten seconds. Under a lock no other event could start and no game be recorded."""
        locked = []

        def spied(*arguments, **wishes):
            locked.append(connection.in_atomic_block)
            return next_round(*arguments, **wishes)

        monkeypatch.setattr(standard, "next_round", spied)
        event = hold_event(6, "swiss", swiss_rounds=3)
        # Pairing the first round is instant for any number of entrants.
        locked.clear()
        standard._paired.cache_clear()
        while event.rounds.count() < 3:
            play_round(event)
            assert not finish_event(event=event, now=START)
            assert rounds.pair_next(event=event, now=START)
        assert locked == [False, False]

    @pytest.mark.database
    def test_is_repeated_when_an_entrant_leaves_in_between(self, monkeypatch):
        event = hold_event(6, "swiss", swiss_rounds=3)
        play_round(event)
        leaver = event.entries.get(place=0)
        prepare = rounds.prepare

        def slow(event: Event) -> None:
            prepare(event)
            leave_event(entry=leaver, actor=None, now=START)

        monkeypatch.setattr(rounds, "prepare", slow)
        assert rounds.pair_next(event=event, now=START)
        second = Match.objects.filter(round__number=2)
        assert second.count() == 2
        assert not second.filter(Q(first=leaver.version) | Q(second=leaver.version)).exists()


class TestAKnockout:
    def test_of_11_bots_gives_the_best_seeds_byes_and_has_four_rounds(self):
        event = hold_event(11, "knockout", seeding=Seeding.LOT)
        places = dict(event.entries.values_list("pk", "place"))
        assert sorted(places[bye] for bye in Bye.objects.values_list("entry", flat=True)) == [0, 1, 2, 3, 4]
        play_out(event)
        assert list(event.rounds.order_by("number").values_list("label", flat=True)) == [
            "Round of 16", "Quarter-finals", "Semi-finals", "Final"]
        assert [len(ties) for ties in ties_of(event).values()] == [3, 4, 2, 1]
        table = reads.standings(event)
        assert [line.row.place for line in table] == [1, 2, 3, 3, 5, 5, 5, 5, 9, 9, 9]
        final = ties_of(event)[4][0]
        assert table[0].entry.place == final.winner()
        assert finish_event(event=event, now=START)

    def test_adds_up_to_four_matches_to_a_level_tie_before_the_seed_decides(self):
        event = hold_event(2, "knockout")
        for number in range(1, 6):
            assert Match.objects.count() == number
            level(Match.objects.latest("pk"))
            paired = rounds.pair_next(event=event, now=START)
            assert paired is (number < 5)
        assert event.rounds.count() == 1
        assert len({match.seed for match in Match.objects.all()}) == 5
        tie = ties_of(event)[1][0]
        assert (tie.points, tie.winner()) == ([5.0, 5.0], 0)
        assert [line.entry.place for line in reads.standings(event)] == [0, 1]

    def test_lets_the_better_seed_advance_when_all_attempts_are_void(self, settings):
        settings.MAX_ATTEMPTS = 1
        event = hold_event(4, "knockout")
        for match in Match.objects.all():
            spoil_match(match, "no disk")
        assert rounds.pair_next(event=event, now=START)
        final = Match.objects.get(round__number=2)
        assert {final.first.entries.get().place, final.second.entries.get().place} == {0, 1}

    def test_lets_the_opponent_of_a_leaver_advance_in_any_round(self):
        event = hold_event(4, "knockout")
        worst = event.entries.get(place=3)
        leave_event(entry=event.entries.get(place=0), actor=None, now=START)
        while event.rounds.count() < 2:
            play_round(event)
            rounds.pair_next(event=event, now=START)
        final = Match.objects.get(round__number=2)
        assert worst.version_id in (final.first_id, final.second_id)
        other = event.entries.get(version=final.first if final.second_id == worst.version_id else final.second)
        leave_event(entry=other, actor=None, now=START)
        assert not rounds.pair_next(event=event, now=START)
        assert reads.standings(event)[0].entry == worst

    def test_gives_a_tie_without_a_match_to_the_remaining_entrant(self):
        event = hold_event(4, "knockout")
        play_round(event)
        while any(tie.needs_another(1) for tie in ties_of(event)[1]):
            rounds.pair_next(event=event, now=START)
            play_round(event)
        finalist, other = (event.entries.get(place=tie.winner()) for tie in ties_of(event)[1])
        # Between the rounds.
        leave_event(entry=finalist, actor=None, now=START)
        while rounds.pair_next(event=event, now=START):
            play_round(event)
        assert reads.standings(event)[0].entry == other
        assert [bye.entry for bye in Bye.objects.filter(round__number=2)] == [other]
        assert finish_event(event=event, now=START)

    def test_gives_a_level_tie_to_the_remaining_entrant(self):
        event = hold_event(2, "knockout")
        level(Match.objects.get())
        leave_event(entry=event.entries.get(place=0), actor=None, now=START)
        assert not rounds.pair_next(event=event, now=START)
        assert [line.entry.place for line in reads.standings(event)] == [1, 0]
        assert finish_event(event=event, now=START)

    def test_settles_matches_that_later_pairings_depend_on(self, settings):
        settings.MAX_ATTEMPTS = 1
        event = hold_event(4, "knockout")
        match = Match.objects.order_by("pk")[0]
        assert not rounds.is_settled(match)
        spoil_match(match, "no disk")
        play_out(event)
        match.refresh_from_db()
        with pytest.raises(RequeueRefused, match=f"Match {match.pk} cannot be replayed: later results in Cup"):
            requeue_match(match=match, now=START)


class TestTheDraw:
    @pytest.mark.database
    def test_follows_the_ratings_with_unrated_bots_last_unless_it_is_random(self):
        for seeding in Seeding:
            event = hold_event(8, "knockout", started=False, seeding=seeding)
            entries = list(event.entries.order_by("pk"))
            bots = [entry.bot_id for entry in entries]
            Rating.objects.all().delete()
            for value, entry in enumerate(entries[:6]):
                make_rating(event.ladder, entry.version, value, rank=6 - value)
            start_event(event=event, now=START)
            drawn = list(event.entries.order_by("place").values_list("bot", flat=True))
            assert (drawn[:6] == bots[5::-1]) is (seeding == Seeding.RATING)


class TestRatedGames:
    def test_are_only_those_of_rated_events(self):
        for rated in (True, False):
            event = hold_event(2, "swiss", rated=rated, name=f"rated {rated}")
            play_round(event)
            assert set(Match.objects.filter(event=event).values_list("rated", flat=True)) == {rated}
            assert finish_event(event=event, now=START) is not rated
        assert rate_due(START) == 1

    def test_form_one_period_per_round_of_a_swiss(self):
        event = hold_event(4, "swiss", swiss_rounds=2, rated=True)
        for number in (1, 2):
            play_round(event)
            assert rate_due(START) == 1
            assert rounds.pair_next(event=event, now=START) is (number == 1)
        assert finish_event(event=event, now=START)


class TestTheCoordinator:
    def test_cancels_an_event_with_too_few_entrants_and_says_why(self):
        event = hold_event(0, "swiss", started=False, registration_opens_at=START - timedelta(hours=1),
                           starts_at=START + timedelta(hours=1))
        assert steps.start_due(START + timedelta(hours=1)) == 0
        event.refresh_from_db()
        assert (event.status, event.started_at) == (EventStatus.CANCELLED, None)
        assert AuditEntry.objects.filter(verb="cancel").get().detail == {
            "reason": "an event needs at least two entrants, but none entered"}


def level(match: Match) -> None:
    """Play the match so that each side wins one game; the same seat wins both."""
    seed = next(seed for seed in count() if won_by_one_seat(match, seed))
    play_match(match, seed=seed)


def won_by_one_seat(match: Match, seed: int) -> bool:
    winners = {random_record("square-grid-hex", 3, ("a", "b"), seed * 2 + game, opening=match.opening).result.winner
               for game in range(2)}
    return len(winners) == 1
