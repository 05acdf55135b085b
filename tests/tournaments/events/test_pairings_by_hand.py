"""Pairings by hand: preview, confirmation of a round, changes with their warnings, and their verification."""

from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.factories import START, make_user, make_version, play_match
from tests.tournaments.events.test_bundles import edited, saved, tampered
from tests.tournaments.events.test_rounds import play_round, to_the_end
from tests.tournaments.events.test_rulings import entry_at, hold, organiser
from tournaments.formats.swiss.changing import Plan, Unchangeable
from tournaments.kit.main import main
from tournaments.models import AuditEntry, Bot, ChangedPairing, Event, Match
from tournaments.selectors.shared.permissions import Forbidden
from tournaments.services.events import rounds
from tournaments.services.events.entries import leave_event
from tournaments.services.events.events import pause_event, resume_event
from tournaments.services.events.rulings.disqualifying import disqualify
from tournaments.services.events.rulings.drafts import PreviewRefused, preview_pairings
from tournaments.services.events.rulings.pairings import PairingRefused, confirm_round, pair_by_hand
from tournaments.services.events.scheduling import EventRefused


def bot(event: Event, place: int) -> Bot:
    return entry_at(event, place).bot


def pairs_of(event: Event, number: int) -> list[tuple[int, int]]:
    """The round's pairs, as places in the draw."""
    places = dict(event.entries.values_list("version", "place"))
    return [(places[first], places[second]) for first, second in Match.objects.filter(
        event=event, round__number=number).order_by("number").values_list("first", "second")]


def change(event: Event, first: int, second: int | None, **facts):
    return pair_by_hand(**{"event": event, "first": bot(event, first),
                           "second": None if second is None else bot(event, second), "reason": "a request",
                           "actor": organiser(), "now": START, **facts})


def confirm(event: Event) -> None:
    confirm_round(event=event, actor=organiser(), now=START)


def complete(event: Event) -> None:
    """Confirm and play the rest of an event whose rounds wait, and finish it."""
    while event.rounds.filter(awaits_confirmation=True).exists():
        confirm(event)
        play_round(event)
        rounds.pair_next(event=event, now=START)
    to_the_end(event)


class TestAPlan:
    @given(st.integers(2, 9), st.lists(st.tuples(st.integers(0, 9), st.none() | st.integers(0, 9)), max_size=12))
    def test_has_each_entrant_once_after_any_changes_and_lets_the_two_meet(self, entrants, changes):
        plan = Plan(tuple((one, one + 1) for one in range(0, entrants - 1, 2)), entrants - 1 if entrants % 2 else None)
        for one, other in changes:
            try:
                plan = plan.changed((one, other))
            except Unchangeable:
                continue
            assert plan.opponent(one) == other
            there = Counter([place for pair in plan.pairs for place in pair] + [plan.bye] * (plan.bye is not None))
            assert there == Counter(range(entrants))


@pytest.mark.django_db
class TestARoundThatWaits:
    def held(self, event: Event) -> bool:
        (held,) = set(event.matches.values_list("held", flat=True))
        return held

    def test_is_played_only_after_its_confirmation(self):
        event = hold(4, confirm_rounds=True, swiss_rounds=2)
        assert self.held(event)
        pause_event(event=event, now=START)
        resume_event(event=event, now=START)
        assert self.held(event)
        with pytest.raises(Forbidden):
            confirm_round(event=event, actor=make_user("stranger"), now=START)
        # After its confirmation it is held by a pause.
        pause_event(event=event, now=START)
        confirm(event)
        assert self.held(event)
        resume_event(event=event, now=START)
        assert not self.held(event)
        with pytest.raises(PairingRefused, match="No round of Cup waits"):
            confirm(event)

    def test_is_possible_only_in_a_swiss(self):
        with pytest.raises(EventRefused, match="not those of the format Knockout"):
            hold(4, "knockout", confirm_rounds=True)


@pytest.mark.django_db
class TestAChange:
    def test_lets_two_meet_and_their_former_opponents_and_warns(self):
        event = hold(4, swiss_rounds=3, openings=True, confirm_rounds=True)
        confirm(event)
        play_round(event)
        met = pairs_of(event, 1)
        assert rounds.pair_next(event=event, now=START)
        first, second = met[0]
        tried = change(event, first, second, dry_run=True, reason="")
        assert not tried.stored
        assert not ChangedPairing.objects.exists()
        changed = change(event, first, second)
        assert changed.warnings == tried.warnings
        assert {frozenset(pair) for pair in pairs_of(event, 2)} == {frozenset(pair) for pair in met}
        assert [warning["kind"] for warning in changed.warnings].count("rematch") == 2
        assert any("already met in round 1" in sentence for sentence in changed.sentences)
        row = ChangedPairing.objects.get()
        assert (row.reason, row.warnings, row.ruled_by.username) == ("a request", changed.warnings, "organiser")
        assert AuditEntry.objects.get(verb="change a pairing in").detail["reason"] == "a request"
        used = [(*sorted((m.first_id, m.second_id)), str(m.opening)) for m in event.matches.all()]
        assert len({*used}) == len(used)

    def test_moves_the_bye_and_warns_of_a_second_one(self, tmp_path: Path):
        event = hold(5, swiss_rounds=2, confirm_rounds=True)
        lone = event.rounds.get().byes.get().entry.place
        other = pairs_of(event, 1)[0][0]
        change(event, other, None)
        assert event.rounds.get().byes.get().entry.place == other
        change(event, lone, None)
        confirm(event)
        play_round(event)
        rounds.pair_next(event=event, now=START)
        assert "bye" in {warning["kind"] for warning in change(event, lone, None).warnings}
        complete(event)
        assert main(["verify", str(saved(event, tmp_path))]) == 0

    def test_is_refused_with_the_reason_and_changes_nothing(self):
        event = hold(5, swiss_rounds=3, byes_allowed=1)
        outsider = make_version("outsider").bot
        pairs, lone = pairs_of(event, 1), event.rounds.get().byes.get().entry.place
        free = pairs[1][0]
        play_match(Match.objects.filter(event=event).order_by("number")[0])
        for first, second, sentence in (
                (bot(event, free), bot(event, free), r"cannot meet itself in round 1 of Cup: choose another opponent"),
                (bot(event, free), outsider, "outsider does not play in Cup: choose an entrant"),
                (bot(event, pairs[1][0]), bot(event, pairs[1][1]), "Round 1 of Cup is already paired like this"),
                (bot(event, lone), None, "Round 1 of Cup is already paired like this"),
                (bot(event, free), bot(event, pairs[0][0]), "of round 1 has already begun: only pairings")):
            with pytest.raises(PairingRefused, match=sentence):
                pair_by_hand(event=event, first=first, second=second, reason="x", actor=organiser(), now=START)
        for reason in ("", "x" * 301, "two\nlines"):
            with pytest.raises(PairingRefused, match="public reason of 1 to 300 visible characters"):
                change(event, lone, free, reason=reason)
        with pytest.raises(Forbidden):
            change(event, lone, free, actor=make_user("stranger"))
        leave_event(entry=entry_at(event, free), actor=None, now=START)
        with pytest.raises(PairingRefused, match="has left Cup: choose another entrant"):
            change(event, lone, free)
        assert pairs_of(event, 1) == pairs
        assert not ChangedPairing.objects.exists()

    def test_is_refused_in_other_formats_and_without_a_bye(self):
        for form in ("knockout", "round-robin"):
            with pytest.raises(PairingRefused, match="cannot be changed by hand in the format"):
                change(hold(4, form), 0, 1)
        with pytest.raises(PairingRefused, match="Round 1 of Cup has no bye: choose an opponent"):
            change(hold(4), 0, None)


@pytest.mark.django_db
class TestABundle:
    def test_verifies_with_the_change_and_not_without_it_or_with_another(self, tmp_path: Path, capsys):
        event = hold(6, swiss_rounds=3, confirm_rounds=True)
        one, other = pairs_of(event, 1)[0][0], pairs_of(event, 1)[1][0]
        change(event, one, other)
        complete(event)
        path = saved(event, tmp_path)
        assert main(["verify", str(path)]) == 0
        assert "3 rounds paired again, with 1 changes by hand" in capsys.readouterr().out
        slug = bot(event, one).slug
        for edit in (lambda about: about.pop("changed_pairings"),
                     lambda about: about["changed_pairings"][0].update(round=2),
                     lambda about: about["changed_pairings"][0].update(second=slug),
                     lambda about: about["changed_pairings"].append(about["changed_pairings"][0] | {"round": 3}),
                     lambda about: about["pairings"][1]["ties"][0]["pair"].reverse(),
                     lambda about: about["pairings"][0]["ties"][0].update(played=False),
                     lambda about: about["pairings"][0]["ties"][0].update(gone=[one]),
                     lambda about: about["pairings"][0]["ties"][0]["scores"].reverse()
                     or about["pairings"][0]["ties"][0].update(scores=[0.25, 0.75])):
            assert main(["verify", str(tampered(path, edited(event=edit)))]) == 1

    def test_of_an_earlier_release_verifies_by_what_it_states(self, tmp_path: Path):
        def earlier(about):
            about |= {"aside": [], "unplayed": []}
            for round_ in about["pairings"]:
                for tie in round_["ties"]:
                    del tie["open"]

        path = saved(to_the_end(hold(4, swiss_rounds=2)), tmp_path)
        assert main(["verify", str(tampered(path, edited(event=earlier)))]) == 0

    @pytest.mark.parametrize("form", ["swiss", "accelerated swiss"])
    def test_repeats_pairings_after_departures_and_annulled_games(self, form, tmp_path: Path, capsys):
        event = hold(6, form, swiss_rounds=3)
        leave_event(entry=entry_at(event, 2), actor=None, now=START)
        play_round(event)
        later = START + timedelta(hours=1)
        disqualify(entry=entry_at(event, 1), reason="copied", annulled=True, actor=organiser(), now=later)
        rounds.pair_next(event=event, now=later + timedelta(hours=1))
        to_the_end(event)
        assert main(["verify", str(saved(event, tmp_path))]) == 0
        assert "rounds paired again" in capsys.readouterr().out


@pytest.mark.django_db
class TestAPreview:
    def test_shows_the_rounds_that_the_start_makes(self):
        for form, count in (("swiss", 1), ("round-robin", 3), ("knockout", 1)):
            event = hold(4, form, starts_at=START + timedelta(hours=1), started=False)
            draft = preview_pairings(event=event, actor=organiser(), now=START)
            assert [len(round_.pairs) for round_ in draft.rounds] == [2] * count
            assert not event.matches.exists()
            assert set(event.entries.values_list("place", flat=True)) == {None}

    def test_shows_the_next_round_and_says_how_many_results_are_missing(self):
        event = hold(4, swiss_rounds=2)
        facts = {"event": event, "actor": organiser(), "now": START}
        draft = preview_pairings(**facts)
        assert draft.open_matches == 2
        met = {frozenset(bot(event, place).pk for place in pair) for pair in pairs_of(event, 1)}
        assert not met & {frozenset(each.pk for each in pair) for pair in draft.rounds[0].pairs}
        play_round(event)
        draft = preview_pairings(**facts)
        assert draft.open_matches == 0
        assert rounds.pair_next(event=event, now=START)
        assert [(one.pk, two.pk) for one, two in draft.rounds[0].pairs] == [
            (bot(event, one).pk, bot(event, two).pk) for one, two in pairs_of(event, 2)]
        with pytest.raises(PreviewRefused, match="Cup has no further round to pair"):
            preview_pairings(**facts)
        with pytest.raises(Forbidden):
            preview_pairings(**facts | {"actor": make_user("stranger")})
