"""Challenges: permissions, matches and results."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import IntegrityError, transaction

from ratings.models import Rating
from tests.factories import make_user, make_version, play_match
from tournaments.models import Attempt, AuditEntry, Ban, Challenge, Match, Profile, Version
from tournaments.models.lifecycle import VersionStatus
from tournaments.selectors.ladders import challenges as reads
from tournaments.selectors.shared.permissions import Forbidden
from tournaments.selectors.shared.quotas import OverQuota
from tournaments.services.ladders.challenges import ChallengeRefused, cancel_challenge, challenge
from tournaments.services.ladders.ladder_play import LadderPlayRefused
from tournaments.services.ladders.rating import rate_due
from tournaments.services.matches.matches import claim

pytestmark = pytest.mark.django_db


@pytest.fixture
def ask(mia, ladder, now):
    """Return a function that creates a challenge, by default of Alder to another author's Basalt."""
    alder, basalt = make_version("Alder"), make_version("Basalt", owner="otto")

    def ask(**change):
        return challenge(**{"actor": mia, "ladder": ladder, "first": alder, "second": basalt, "matches": 2, "seed": 5,
                            "now": now, **change})

    return ask


def version_of(name):
    return Version.objects.get(bot__name=name)


class TestChallenge:
    def test_creates_unrated_matches_from_openings(self, ask, now):
        made = ask(matches=4)
        matches = list(made.matches.order_by("pk"))
        assert [match.kind for match in matches] == ["challenge"] * 4
        assert not any(match.rated for match in matches)
        assert [match.first for match in matches] == [made.first, made.second] * 2
        assert len({tuple(match.opening) for match in matches}) == 4
        assert AuditEntry.objects.get().verb == "challenge"
        # Its seed decides.
        assert [match.seed for match in matches] == list(
            ask(matches=4).matches.order_by("pk").values_list("seed", flat=True))
        # It changes no rating.
        play_match(matches[0], now=now)
        assert rate_due(now + timedelta(hours=1)) == 0
        assert not Rating.objects.exists()

    def test_is_refused_with_a_reason(self, ask, mia, now):
        inactive, banned, exiled = make_version("Cinder"), make_version("Fir"), make_user("exile")
        inactive.status = VersionStatus.WITHDRAWN
        Ban.objects.create(bot=banned.bot, reason="it cheats", created_by=mia, created_at=now)
        Ban.objects.create(user=exiled, reason="spam", created_by=mia, created_at=now)
        for change, refusal, sentence in (
            ({"matches": 0}, ChallengeRefused, "A challenge must have 1 to 10 matches, not 0."),
            ({"matches": 11}, ChallengeRefused, "not 11"),
            ({"actor": AnonymousUser()}, Forbidden, "Alder is not your bot"),
            ({"first": version_of("Basalt"), "second": version_of("Alder")}, Forbidden, "Basalt is not your bot"),
            ({"second": version_of("Alder")}, ChallengeRefused, "Alder v1 cannot challenge itself"),
            ({"second": make_version("Dune", rulesets=["squ"])}, LadderPlayRefused,
             "Dune v1 does not play square-grid-hex, only squ"),
            ({"first": make_version("Elm", rulesets=["squ"])}, LadderPlayRefused, "Elm v1 does not play"),
            ({"second": inactive}, LadderPlayRefused, "Cinder v1 is withdrawn"),
            ({"second": banned}, Forbidden, "Fir is banned: it cheats"),
            ({"actor": exiled, "first": make_version("Gum", owner="exile")}, Forbidden, "You are banned: spam"),
        ):
            with pytest.raises(refusal, match=sentence):
                ask(**change)
        assert not Challenge.objects.exists()
        assert ask(actor=make_user("staff", staff=True), first=version_of("Basalt"), second=version_of("Alder")).pk

    @pytest.mark.database
    def test_against_the_same_version_is_refused_by_the_database(self, ask):
        made = ask(second=make_version("Alder"))
        with pytest.raises(IntegrityError), transaction.atomic():
            Challenge.objects.filter(pk=made.pk).update(second=made.first)

    def test_is_refused_while_as_many_as_allowed_are_open_or_over_the_quota_of_games(self, ask, mia, now, settings):
        settings.OPEN_CHALLENGES = 2
        Profile.objects.update_or_create(user=mia, defaults={"games_per_day": 7})
        first, _ = ask(matches=1), ask(matches=1)
        with pytest.raises(ChallengeRefused, match="You have 2 open challenges"):
            ask(matches=1)
        play_match(first.matches.get(), now=now)
        with pytest.raises(OverQuota, match="2 matches mean 4 games, but the owner of Alder has 3 left"):
            ask(matches=2)
        assert ask(matches=1).pk
        Match.objects.filter(status="queued").update(status="cancelled", ended_at=now)
        assert ask(now=now + timedelta(hours=25)).pk


class TestCancelChallenge:
    def test_keeps_played_games_and_discards_the_rest(self, ask, mia, now):
        made = ask(matches=3)
        with pytest.raises(Forbidden, match="can cancel it"):
            cancel_challenge(actor=make_user("otto"), challenge=made, now=now)
        played, running, _ = made.matches.order_by("pk")
        play_match(played, now=now)
        claim(match_id=running.pk, worker="w", tier="standard", now=now)
        cancel_challenge(actor=mia, challenge=made, now=now)
        assert list(made.matches.order_by("pk").values_list("status", flat=True)) == [
            "finished", "cancelled", "cancelled"]
        assert Attempt.objects.get(match=running).reason == "the challenge was cancelled"
        assert Challenge.objects.get().cancelled_at == now
        with pytest.raises(ChallengeRefused, match="This challenge is over"):
            cancel_challenge(actor=mia, challenge=made, now=now)


class TestSummaries:
    def test_count_from_the_challengers_side_and_show_the_progress(self, ask, now):
        made = ask(matches=3)
        empty = reads.summary(made)
        assert (empty.tally.games, empty.low, empty.high) == (0, 0.0, 1.0)
        for match in made.matches.order_by("pk")[:2]:
            play_match(match, now=now)
        won = sum(game.winner is not None and (game.seat0_id, game.seat1_id)[game.winner] == made.first_id
                  for match in Match.objects.all() for game in match.games.all())
        summary = reads.summary(made)
        assert (summary.tally.wins, summary.tally.games) == (won, 4)
        assert 0 <= summary.low <= summary.score <= summary.high <= 1
        listed = reads.challenges().get()
        assert (listed.matches_total, listed.matches_ended, listed.matches_open) == (3, 2, 1)
