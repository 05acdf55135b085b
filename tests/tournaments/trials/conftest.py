"""A ladder, two versions of a bot, one of which plays there, and neighbours with ratings."""

import pytest
from django.contrib.auth.models import User

from tests.factories import START, make_rating, make_user, make_version
from tournaments.models import AuditEntry, Candidacy, Ladder, LadderEntry, Version
from tournaments.operations.workers import Crew, Fleet
from tournaments.services.ladders import trials
from tournaments.services.ladders.ladder_play import join
from tournaments.services.ladders.ladders import create_ladder


@pytest.fixture(scope="module")
def world(module_db: None) -> None:
    """Alder's first version plays on the ladder and its second does not, next to ten rated bots of other authors.

    Those have left, until `neighbours` brings them back. They are rated 1400, 1420 … 1580 after many games, and Alder
    1500.
    """
    mia, otto = make_user("mia"), make_user("otto")
    ladder = create_ladder(ruleset="square-grid-hex", size=5, base_seconds=5)
    names = ["Alder", *(f"Basalt {number}" for number in range(10))]
    versions = [make_version(name, owner=(mia if name == "Alder" else otto).username) for name in names]
    for place, version in enumerate(versions):
        join(actor=version.bot.owner, ladder=ladder, version=version, now=START)
        make_rating(ladder, version, 1380 + 20 * place if place else 1500, rank=place + 1, error=10.0)
    make_version("Alder")
    LadderEntry.objects.exclude(bot__name="Alder").update(active=False)
    AuditEntry.objects.all().delete()


@pytest.fixture
def mia(world: None, db: None) -> User:
    return make_user("mia")


@pytest.fixture
def ladder(world: None, db: None) -> Ladder:
    return Ladder.objects.get(size=5)


@pytest.fixture
def versions(world: None, db: None) -> list[Version]:
    """The version that plays on the ladder, and a newer one."""
    return list(Version.objects.filter(bot__name="Alder").order_by("number"))


@pytest.fixture
def neighbours(world: None, db: None) -> None:
    LadderEntry.objects.update(active=True)


@pytest.fixture
def places(monkeypatch: pytest.MonkeyPatch) -> None:
    """Enough workers for each trial to have the maximum number of open matches."""
    monkeypatch.setattr("tournaments.operations.workers.fleet",
                        lambda now: Fleet([Crew(["square-grid-hex"], "standard", draining=False, workers=1, slots=8)]))


@pytest.fixture
def enter(mia: User, ladder: Ladder, versions: list[Version]):
    """Return a function that enters the newer version, by default with bounds that are reached quickly."""

    def enter(**change: object) -> Candidacy:
        return trials.enter(**{"actor": mia, "ladder": ladder, "version": Version.objects.get(pk=versions[1].pk),
                               "elo0": 0, "elo1": 100, "seed": 7, "now": START, **change})

    return enter
