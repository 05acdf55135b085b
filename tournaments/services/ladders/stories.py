"""Find the stories of the last days and the game of the day, in the background."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from django.db import transaction

from engines.records.older import shown_document
from tournaments.models import Stories
from tournaments.selectors.ladders.stories import newest_rated_game, recent, records
from tournaments.stories import choosing, series, single, turns
from tournaments.stories.facts import Fact, Story

JSON = dict[str, Any]


def find_stories(now: datetime) -> int:
    """Store the stories of the newest rated games. Return 1, or 0 if nothing has changed.

    The game of a finished day stays the same until the next day, even if later games are rated.
    """
    newest, today = newest_rated_game(), now.astimezone(UTC).date()
    row = Stories.objects.first()
    if row is not None and row.newest_game == newest and row.computed_at.astimezone(UTC).date() == today:
        return 0
    games = recent()
    chosen = row.of_the_day if row and _final(row, now) else _of_the_day(games.facts, now)
    facts = {"computed_at": now, "newest_game": newest, "since": games.since, "until": games.until,
             "listed": _listed(games.facts), "of_the_day": chosen}
    with transaction.atomic():
        Stories.objects.update_or_create(pk=Stories.ONLY, defaults=facts)
    return 1


def _final(row: Stories, now: datetime) -> bool:
    """Whether the game of the day was chosen today from a finished day."""
    today = now.astimezone(UTC).date()
    return (row.computed_at.astimezone(UTC).date() == today and bool(row.of_the_day)
            and row.of_the_day["day"] < today.isoformat())


def _listed(games: Sequence[Fact]) -> list[JSON]:
    replayed = _documents([game.game for game in choosing.worth_replaying(games)])
    found = [*single.upsets(games), *single.lengths(games), *series.runs(games), *series.rivalries(games),
             *_comebacks([game for game in games if game.game in replayed], replayed)]
    chosen = choosing.choose(found)
    documents = replayed | _documents([story.game for story in chosen if story.game not in replayed])
    # A document of a game under older rules has no measures: its last turn is as good as any.
    return [{"kind": story.kind, "game": story.game, "turn": turns.decisive_turn(documents[story.game]), **story.facts}
            for story in chosen]


def _comebacks(games: Sequence[Fact], documents: Mapping[int, JSON]) -> list[Story]:
    found = []
    for game in games:
        if behind := turns.comeback(documents[game.game]):
            said = {"behind_at": behind.pop("turn"), **behind}
            found.append(Story(kind="comeback", game=game.game, bots=game.bots, weight=game.level, facts=said))
    return found


def _of_the_day(games: Sequence[Fact], now: datetime) -> JSON:
    """The game of the day as JSON data; {} if no game is fit."""
    day = choosing.day_to_show(games, now.astimezone(UTC).date())
    listed = choosing.candidates(games, day) if day else []
    documents = _documents([game.game for game in listed])
    changes = {number: turns.lead_changes(document) for number, document in documents.items()}
    game = choosing.game_of_the_day(listed, changes)
    if day is None or game is None:
        return {}
    return {"game": game.game, "turn": turns.decisive_turn(documents[game.game]), "day": day.isoformat(),
            "changes": changes[game.game], "candidates": len(listed), "level": game.level}


def _documents(ids: list[int]) -> dict[int, JSON]:
    return {number: shown_document(record) for number, record in records(ids).items()}
