"""Playing trials of versions without code: each test chooses the results of the matches."""

from datetime import datetime

from engines.records.record import GameRecord
from tests.factories import START, random_record
from tournaments.models import Candidacy, Match
from tournaments.models.leased import FULL_TIER
from tournaments.models.lifecycle import MatchStatus
from tournaments.services.ladders.trial_judging import judge_trials
from tournaments.services.ladders.trial_pairing import pair_trials
from tournaments.services.matches import matches

WON, DRAWN, LOST = 1.0, 0.5, 0.0


def queued(candidacy: Candidacy) -> list[Match]:
    """Return the trial's queued matches in the order of their numbers."""
    return list(Match.objects.filter(candidacy=candidacy, status=MatchStatus.QUEUED).order_by("number")
                .select_related("first__bot", "second__bot", "ladder"))


def play(match: Match, scores: tuple[float, float], *, now: datetime = START, seed: int | None = None) -> None:
    """Finish the match with the given scores of the candidate in the first and second game."""
    lease = matches.claim(match_id=match.pk, worker="test:1", tier=FULL_TIER, now=now)
    assert lease is not None
    assert match.candidacy is not None
    candidate_first = (match.first.bot_id == match.candidacy.bot_id
                       and match.first_id != match.candidacy.current_id)
    records = [_record(match, number, score if candidate_first == (number == 0) else 1 - score,
                       match.pk if seed is None else seed) for number, score in enumerate(scores)]
    assert matches.finish(lease, records, now)


def play_out(candidacy: Candidacy, *, current: tuple[float, float], neighbour: tuple[float, float] = (WON, LOST),
             now: datetime = START, rounds: int = 400) -> Candidacy:
    """Play the trial to its end with these scores in every match against the current version and neighbours."""
    for _ in range(rounds):
        pair_trials(now)
        waiting = queued(candidacy)
        if not waiting:
            break
        for match in waiting:
            play(match, current if candidacy.current_id in (match.first_id, match.second_id) else neighbour, now=now)
        judge_trials(now)
        candidacy.refresh_from_db()
    return candidacy


def _record(match: Match, number: int, score0: float, seed: int) -> GameRecord:
    """Return a game with this score for seat 0: the loser forfeits, or the limit on plies makes it a draw."""
    names = (match.first.bot.name, match.second.bot.name)[::1 if number == 0 else -1]
    plies = 4 if score0 == DRAWN else 4 + (len(match.opening) % 2) + int(score0 == WON)
    return random_record(match.ladder.ruleset, match.ladder.size, names, 2 * seed + number, opening=match.opening,
                         **({"most_plies": plies} if score0 == DRAWN else {"fault_after": plies}))
