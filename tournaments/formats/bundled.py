"""An event's bundle, as a format verifies it. Pure."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from typing import Any

from engines.records.bundle import json_bytes
from tournaments.formats.history import KEEP, History, Missed
from tournaments.scoring.scores import Tally

JSON = dict[str, Any]
# A round's number and the two bots that met in it.
Pair = tuple[int, frozenset[str]]


class Mismatch(ValueError):
    """The bundle contradicts itself. `str()` says where and how."""


@dataclass(frozen=True)
class Bundled:
    """The bundle's event.json, and its games, which have been verified by the rules."""

    event: JSON
    games: Sequence[JSON]

    @cached_property
    def place_of(self) -> Mapping[str, int]:
        """The entrants' places in the draw, by bot."""
        return {entry["bot"]: place for place, entry in enumerate(self.event["entries"])}

    @property
    def entrants(self) -> list[int]:
        """The entrants' places, in order."""
        return list(self.place_of.values())

    @property
    def cycles(self) -> int:
        """Matches per pairing."""
        return int(self.event["event"]["cycles"])

    @property
    def tie_breaks(self) -> Sequence[str]:
        """Names of the tie-breaks, in order of priority."""
        return list(self.event["event"]["tie_breaks"])

    @property
    def has_tables(self) -> bool:
        """Whether its standings are in several tables."""
        return any("table" in line for line in self.event["standings"])

    @property
    def history(self) -> History:
        """The entrants, and the policy and rulings on those that left; no rounds."""
        entries = self.event["entries"]
        return History(
            len(entries), self.cycles,
            runners=[place for place, entry in enumerate(entries) if entry["runs_the_gauntlet"]],
            left=frozenset(place for place, entry in enumerate(entries) if entry["left_at"] is not None),
            # Bundles of earlier releases have neither.
            annulled=frozenset(place for place, entry in enumerate(entries)
                               if (entry.get("disqualified") or {}).get("annulled")),
            withdrawals=self.event["event"].get("withdrawals", KEEP))

    @property
    def missed(self) -> list[Missed] | None:
        """The matches that were cancelled because an entrant had left; None if the bundle does not have them.

        Raises Mismatch if neither entrant had left, or if the pair has more matches than cycles.
        """
        if "missed" not in self.event:
            return None
        left = {place: datetime.fromisoformat(entry["left_at"])
                for place, entry in enumerate(self.event["entries"]) if entry["left_at"] is not None}
        found = [Missed.of(self.place_of[first], self.place_of[second], datetime.fromisoformat(at), left)
                 for first, second, at in self.event["missed"]]
        matches = Counter(frozenset((match.first, match.second)) for match in found)
        matches.update(frozenset(self.place_of[seat["bot"]] for seat in game["seats"])
                       for game in self.games if game["number"] == 1)
        if not all(match.gone for match in found) or any(count > self.cycles for count in matches.values()):
            raise Mismatch("event.json, missed: each match needs an entrant that had left, and a pair has at most "
                           f"{self.cycles} matches, played and missed")
        return found

    def tallies(self) -> list[Tally]:
        """Return the number of games per pair of places and result."""
        counted = Counter((self.place_of[game["seats"][0]["bot"]], self.place_of[game["seats"][1]["bot"]],
                           game["record"]["result"]["winner"]) for game in self.games)
        return [Tally(*key, count) for key, count in counted.items()]

    def points_by_pair(self) -> Mapping[Pair, Mapping[str, float]]:
        """Return each bot's points in the games of each tie."""
        scored: defaultdict[Pair, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
        for game in self.games:
            bots, winner = [seat["bot"] for seat in game["seats"]], game["record"]["result"]["winner"]
            points = scored[game["round"], frozenset(bots)]
            for seat, bot in enumerate(bots):
                points[bot] += 0.5 if winner is None else float(winner == seat)
        return scored


def digest_of(openings: Sequence[Sequence[str]]) -> str:
    """Return the SHA-256 of the openings as canonical JSON."""
    return sha256(json_bytes([list(opening) for opening in openings])).hexdigest()


def check_book(event: JSON, games: Sequence[JSON]) -> None:
    """Check that every game of an event with a book begins with one of its openings. Raises Mismatch."""
    book = event.get("book")
    if book is None:
        return
    if digest_of(book["openings"]) != book["sha256"]:
        raise Mismatch("event.json, book: the openings do not have the SHA-256 that it gives")
    known = {tuple(opening) for opening in book["openings"]}
    for game in games:
        if tuple(game["record"]["opening"]) not in known:
            raise Mismatch(f"{game['where']}: its opening is not in the event's book")
