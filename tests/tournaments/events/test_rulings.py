"""Rulings of an organiser: withdrawals, disqualifications, and bots kept apart."""

from collections import Counter
from pathlib import Path

import pytest
from django.db import IntegrityError, transaction

from tests.factories import START, make_user, make_version, play_match, spoil_match
from tests.tournaments.events.test_bundles import edited, saved, tampered
from tests.tournaments.events.test_rounds import hold_event, play_round, to_the_end
from tournaments.formats.history import ANNUL
from tournaments.kit.main import main
from tournaments.models import AuditEntry, Bye, Disqualification, Entry, Event, Match
from tournaments.models.lifecycle import MatchStatus
from tournaments.selectors.events import events as reads
from tournaments.selectors.shared.permissions import Forbidden
from tournaments.services.events import rounds
from tournaments.services.events.entries import EntryRefused, enter_event, leave_event
from tournaments.services.events.rulings.disqualifying import RulingRefused, disqualify
from tournaments.services.events.scheduling import EventRefused

pytestmark = pytest.mark.django_db


def hold(entrants: int, form: str = "swiss", *, owners: int = 0, **facts) -> Event:
    """Start an unrated event of that many bots, which belong to that many `owners` in turn, or all to one."""
    versions = [make_version(f"bot {number}", owner=f"owner {number % owners}" if owners else "mia")
                for number in range(entrants)]
    return hold_event(entrants, form, **{
        "versions": versions, "seed": 1, "starts_at": None, "openings": False, "registration_opens_at": None, **facts})


def organiser():
    return make_user("organiser", staff=True)


def entry_at(event: Event, place: int) -> Entry:
    return event.entries.select_related("event__created_by", "bot__team", "version__bot").get(place=place)


def play_of(event: Event, *places: int) -> None:
    """Play the open matches between these places."""
    versions = set(event.entries.filter(place__in=places).values_list("version", flat=True))
    for match in Match.objects.filter(event=event, status=MatchStatus.QUEUED).order_by("pk"):
        if {match.first_id, match.second_id} <= versions:
            play_match(match)


def table(event: Event) -> dict[int, tuple[float, int, bool]]:
    """Each place in the draw with its points, its games, and whether these are annulled."""
    return {line.entry.place: (line.row.points, line.row.score.games, line.row.annulled)
            for line in reads.standings(event)}


def points_against(event: Event, place: int, others: set[int]) -> float:
    """The game points of a place against these others, counted from the games alone."""
    version = entry_at(event, place).version_id
    rivals = set(event.entries.filter(place__in=others).values_list("version", flat=True))
    points = 0.0
    for game in event.games.all():
        for seat, (own, other) in enumerate(((game.seat0_id, game.seat1_id), (game.seat1_id, game.seat0_id))):
            if own == version and other in rivals:
                points += 0.5 if game.winner is None else float(game.winner == seat)
    return points


class TestALeaver:
    """Four play a round-robin of two games per pair: six games each. FIDE: half of them are three."""

    def test_is_annulled_below_half_of_its_games(self, tmp_path: Path):
        event = hold(4, "round-robin", withdrawals=ANNUL)
        play_of(event, 3, 0)
        leave_event(entry=entry_at(event, 3), actor=None, now=START)
        to_the_end(event)
        expected = {place: (points_against(event, place, {0, 1, 2}), 6 if place == 0 else 4, False)
                    for place in (0, 1, 2)}
        assert table(event) == expected | {3: (0.0, 2, True)}
        assert main(["verify", str(saved(event, tmp_path))]) == 0

    def test_counts_from_half_of_its_games_on_and_its_opponents_win_the_rest(self, tmp_path: Path):
        event = hold(4, "round-robin", withdrawals=ANNUL)
        play_of(event, 3, 0)
        play_of(event, 3, 1)
        leave_event(entry=entry_at(event, 3), actor=None, now=START)
        to_the_end(event)
        played = {place: points_against(event, place, {0, 1, 2, 3} - {place}) for place in range(4)}
        assert table(event) == {0: (played[0], 6, False), 1: (played[1], 6, False), 2: (played[2] + 2, 4, False),
                                3: (played[3], 4, False)}
        assert main(["verify", str(saved(event, tmp_path))]) == 0

    def test_missed_no_void_match_and_verifies_with_and_without_its_missed_matches(self, tmp_path: Path, settings):
        settings.MAX_ATTEMPTS = 1
        event = hold(4, "round-robin", withdrawals=ANNUL)
        play_of(event, 3, 0)
        versions = [entry_at(event, place).version_id for place in (1, 3)]
        spoil_match(Match.objects.get(event=event, first__in=versions, second__in=versions), "no disk")
        leave_event(entry=entry_at(event, 3), actor=None, now=START)
        to_the_end(event)
        # Against place 1, the match was void; place 2 wins the match that was still to be played.
        assert table(event)[1][0] == points_against(event, 1, {0, 2})
        assert table(event)[2][0] == points_against(event, 2, {0, 1}) + 2
        path = saved(event, tmp_path)
        assert main(["verify", str(path)]) == 0
        assert main(["verify", str(tampered(path, edited(event=lambda about: about["missed"].clear())))]) == 1

    def test_keeps_its_results_by_default(self):
        event = hold(4, "round-robin")
        play_of(event, 3, 0)
        leave_event(entry=entry_at(event, 3), actor=None, now=START)
        to_the_end(event)
        assert table(event)[0] == (points_against(event, 0, {1, 2, 3}), 6, False)


class TestADisqualification:
    @pytest.mark.parametrize("annulled", [True, False])
    @pytest.mark.parametrize("form", ["round-robin", "gauntlet", "swiss"])
    def test_verifies_with_games_kept_or_annulled(self, form, annulled, tmp_path: Path):
        versions = [make_version(f"bot {number}") for number in range(4)]
        event = hold(4, form, versions=versions, runners=versions[:1] if form == "gauntlet" else ())
        first = Match.objects.filter(event=event).order_by("pk")[0]
        play_match(first)
        entry = entry_at(event, event.entries.get(version=first.first).place)
        disqualify(entry=entry, reason="copied code", annulled=annulled, actor=organiser(), now=START)
        to_the_end(event)
        line = next(line for line in reads.standings(event) if line.entry.pk == entry.pk)
        assert line.row.annulled is annulled
        assert line.row.score.games == 2
        assert not (annulled and line.row.points)
        assert main(["verify", str(saved(event, tmp_path))]) == 0

    def test_turns_matches_of_a_swiss_into_walkovers(self):
        event = hold(4)
        play_round(event)
        before = table(event)
        first = Match.objects.filter(event=event).order_by("pk")[0]
        place = {first.first_id: first.second_id, first.second_id: first.first_id}
        winner = max(place, key=lambda version: before[event.entries.get(version=version).place][0])
        out, rival = event.entries.get(version=winner).place, event.entries.get(version=place[winner]).place
        disqualify(entry=entry_at(event, out), reason="copied", annulled=True, actor=organiser(), now=START)
        assert table(event)[out] == (0.0, 2, True)
        assert table(event)[rival][0] == 1.0

    def test_states_its_public_reason_and_is_audited(self):
        event = hold(4)
        facts = {"entry": entry_at(event, 2), "annulled": False, "actor": organiser(), "now": START}
        for reason in ("", "  ", "x" * 301, "two\nlines"):
            with pytest.raises(RulingRefused, match="needs a public reason of 1 to 300 visible characters"):
                disqualify(**facts, reason=reason)
        assert entry_at(event, 2).left_at is None
        assert not Disqualification.objects.exists()
        disqualify(**facts, reason=" copied  code ")
        ruling = Disqualification.objects.get()
        assert (ruling.reason, ruling.ruled_by.username) == ("copied  code", "organiser")
        assert entry_at(event, 2).left_at == START
        assert AuditEntry.objects.get(verb="disqualify").detail["reason"] == "copied  code"

    def test_is_refused_twice_in_a_knockout_with_annulment_and_for_strangers(self):
        event = hold(4, "knockout")
        facts = {"entry": entry_at(event, 2), "reason": "copied", "now": START}
        with pytest.raises(Forbidden):
            disqualify(**facts, annulled=False, actor=make_user("stranger"))
        with pytest.raises(RulingRefused, match="cannot be annulled in the format Knockout"):
            disqualify(**facts, annulled=True, actor=organiser())
        disqualify(**facts, annulled=False, actor=organiser())
        with pytest.raises(RulingRefused, match=r"bot . is already disqualified"):
            disqualify(**facts, annulled=False, actor=organiser())

    @pytest.mark.database
    def test_is_refused_by_the_database_without_a_reason(self):
        entry = entry_at(hold(2), 0)
        with pytest.raises(IntegrityError), transaction.atomic():
            Disqualification.objects.create(entry=entry, reason="", annulled=False, ruled_by=organiser(),
                                            ruled_at=START)


class TestASwiss:
    @pytest.mark.parametrize("seed", range(2))
    def test_never_repeats_a_pairing_nor_gives_an_entrant_two_byes(self, seed, tmp_path: Path):
        event = hold(7, seed=seed, swiss_rounds=4)
        play_round(event)
        assert rounds.pair_next(event=event, now=START)
        leave_event(entry=entry_at(event, (seed + 1) % 7), actor=None, now=START)
        to_the_end(event)
        met = Counter(frozenset(pair) for pair in Match.objects.filter(event=event).exclude(
            status=MatchStatus.CANCELLED).values_list("first", "second"))
        assert set(met.values()) == {1}
        allotted = Counter(Bye.objects.filter(round__event=event).values_list("entry", flat=True))
        assert set(allotted.values()) == {1}
        assert main(["verify", str(saved(event, tmp_path))]) == 0

    def test_takes_no_late_entries(self):
        event = hold(4, swiss_rounds=3)
        with pytest.raises(EntryRefused, match="Cup is running: entries are closed"):
            enter_event(event=event, version=make_version("late", owner="organiser"), actor=organiser(), now=START)


class TestBotsOfOneOwner:
    def met(self, event: Event, number: int) -> list[bool]:
        """Whether the two bots of each match of the round have one owner."""
        return [match.first.bot.owner_id == match.second.bot.owner_id
                for match in Match.objects.filter(event=event, round__number=number)]

    def test_do_not_meet_before_the_round(self):
        event = hold(8, owners=2, swiss_rounds=3, apart_rounds=2, seeding="lot")
        play_round(event)
        rounds.pair_next(event=event, now=START)
        assert not any(self.met(event, 1) + self.met(event, 2))
        assert not event.rounds.filter(apart_relaxed=True).exists()

    def test_meet_if_there_is_no_other_pairing_and_this_is_recorded(self):
        event = hold(4, owners=1, swiss_rounds=2, apart_rounds=1)
        assert self.met(event, 1) == [True, True]
        assert event.rounds.get().apart_relaxed


class TestRegulations:
    def test_are_checked_when_the_event_is_created(self):
        for form, facts, sentence in (
                ("swiss", {"withdrawals": "annul"}, "not in the format Swiss: keep them"),
                ("knockout", {"withdrawals": "annul"}, "not in the format Knockout: keep them"),
                ("round-robin", {"withdrawals": "forget"}, "policy for withdrawals 'forget': choose from keep, annul"),
                ("swiss", {"apart_rounds": -1}, "one owner or team: the number must be 0 to 100, not -1"),
                ("gauntlet", {"apart_rounds": 1}, "one owner or team: this is possible only in a Swiss")):
            with pytest.raises(EventRefused, match=sentence):
                hold(4, form, **facts)
