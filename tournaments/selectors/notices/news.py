"""Sentences about what has changed between two states of a followed bot or event, in English like all notices."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tournaments.models import Bot, Event, Follow, Game, Ladder
from tournaments.platform.text import visible
from tournaments.selectors.events.events import events as all_events
from tournaments.selectors.events.events import visible_to
from tournaments.selectors.events.tables import Standing, champions, standings
from tournaments.selectors.notices.states import PLACES, State

# A digest has at most this number of items; the page has the rest.
MOST_ITEMS: Final = 12
_UPSETS: Final = 3
_ORDINALS: Final = ("", "first", "second", "third")
_NAMES: Final = 60

# `text`, `path` (of the page with details) and `event` (its slug, if only its readers may see this).
Item = dict[str, str | None]


@dataclass(frozen=True, slots=True)
class Reports:
    """The items of one pass. Rows and tables are read once for all followers."""

    _events: dict[int, Event | None] = field(default_factory=dict)
    _tables: dict[int, list[Standing]] = field(default_factory=dict)

    def items(self, follow: Follow, after: State) -> list[Item]:
        """Return the news since the state that the follower has seen, including private events of others."""
        if follow.event_id is not None:
            return list(self._of_event(follow.event_id, follow.seen, after, None))
        return list(self._of_bot(follow.bot, follow.seen, after))

    def _of_bot(self, bot: Bot, before: State, after: State) -> Iterator[Item]:
        for event, state in after["events"].items():
            yield from self._of_event(int(event), before.get("events", {}).get(event, {}), state, bot)
        for ladder, version in after["versions"].items():
            if before.get("versions", {}).get(ladder) not in (None, version):
                yield _on_ladder(ladder, f"Version {version} of {_name(bot)} now plays on", f"/bots/{bot.slug}/")
        for ladder, place in after["places"].items():
            known = before.get("places", {}).get(ladder)
            if place <= PLACES and (known is None or place < known):
                yield _on_ladder(ladder, f"{_name(bot)} is now {_ORDINALS[place]} on")
        new = [game for game in after["upsets"] if game not in before.get("upsets", [])]
        for game in Game.objects.filter(pk__in=new[-_UPSETS:]).order_by("pk").select_related(
                "seat0__bot", "seat1__bot", "event"):
            beaten = game.seat1.bot if game.seat0.bot_id == bot.pk else game.seat0.bot
            yield {"text": f"{_name(bot)} won against {_name(beaten)}, which was rated much higher.",
                   "path": f"/games/{game.pk}/", "event": game.event.slug if game.event else None}

    def _of_event(self, pk: int, before: State, after: State, bot: Bot | None) -> Iterator[Item]:
        event = self._event(pk)
        if event is None:
            return
        name = _name(event) + (f", in which {_name(bot)} plays," if bot else "")
        said = []
        if after["started"] and not before.get("started"):
            said.append(f"{name} has started.")
        # The first round is drawn at the start.
        if after["round"] > max(1, before.get("round", 0)) and not after["ended"]:
            said.append(f"Round {after['round']} of {name} is drawn." if bot is None
                        else f"Round {after['round']} of {_name(event)}, in which {_name(bot)} plays, is drawn.")
        if after["ended"] and not before.get("ended"):
            said.append(self._end(event, after["ended"], bot))
        for text in said:
            yield {"text": text, "path": f"/events/{event.slug}/", "event": event.slug}

    def _end(self, event: Event, ended: str, bot: Bot | None) -> str:
        if ended != "finished":
            return f"{_name(event)} was cancelled."
        lines = self._table(event)
        first = " and ".join(_name(line.entry.bot) for line in champions(event, lines))
        text = f"{_name(event)} is over" + (f": {first} won it." if first else ".")
        own = next((line for line in lines if bot is not None and line.entry.bot_id == bot.pk), None)
        if own is None:
            return text
        table = [line for line in lines if line.row.table == own.row.table]
        among = f" of the {own.row.table}" if own.row.table else ""
        return f"{text} {_name(own.entry.bot)} took place {own.row.places} of {len(table)}{among}."

    def _event(self, pk: int) -> Event | None:
        if pk not in self._events:
            self._events[pk] = all_events().filter(pk=pk).first()
        return self._events[pk]

    def _table(self, event: Event) -> list[Standing]:
        if event.pk not in self._tables:
            self._tables[event.pk] = standings(event)
        return self._tables[event.pk]


def digest(follow: Follow, items: list[Item]) -> dict[str, Any]:
    """Return the payload of a notice with these items."""
    thing, about = (follow.bot, "bot") if follow.bot_id is not None else (follow.event, "event")
    return {"about": about, "slug": thing.slug, "name": thing.name, "news": items[:MOST_ITEMS],
            "more": max(0, len(items) - MOST_ITEMS)}


def readable(user: Any, items: list[Item]) -> list[Item]:
    """Return the items that the user may read now: those of private events are for their readers only."""
    slugs = {item["event"] for item in items if item["event"] is not None}
    seen = set(visible_to(user).filter(slug__in=slugs).values_list("slug", flat=True)) if slugs else set()
    return [item for item in items if item["event"] is None or item["event"] in seen]


def readable_payload(user: Any, payload: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the payload of a digest without what the user may no longer read; None if nothing is left."""
    items = readable(user, payload["news"])
    if not items:
        return None
    hidden = payload["about"] == "event" and not visible_to(user).filter(slug=payload["slug"]).exists()
    return None if hidden else {**payload, "news": items}


def _on_ladder(pk: str, text: str, path: str = "") -> Item:
    ladder = Ladder.objects.get(pk=pk)
    return {"text": f"{text} {_name(ladder)}.", "path": path or f"/ladders/{ladder.slug}/", "event": None}


def _name(named: Bot | Event | Ladder) -> str:
    return visible(named.name.replace("\n", " "), _NAMES)
