"""A ladder, two versions of a bot, one of which plays there, and neighbours with ratings."""

import pytest
from django.contrib.auth.models import User

from ratings.models import Rating
from tests.factories import START, make_user, make_version, ready_version
from tests.tournaments.conftest import make_archive
from tournaments.models import Candidacy, Ladder, Version
from tournaments.operations.workers import Crew, Fleet
from tournaments.services.bots.submissions import accept_upload
from tournaments.services.ladders import trials
from tournaments.services.ladders.ladder_play import join
from tournaments.services.ladders.ladders import create_ladder


@pytest.fixture
def mia(db: None) -> User:
    return make_user("mia")


@pytest.fixture
def ladder(db: None) -> Ladder:
    return create_ladder(ruleset="square-grid-hex", size=5, base_seconds=5)


@pytest.fixture
def versions(ladder: Ladder, mia: User) -> tuple[Version, Version]:
    """The version that plays on the ladder, and a newer one."""
    current = make_version("Alder")
    join(actor=mia, ladder=ladder, version=current, now=START)
    return current, make_version("Alder")


@pytest.fixture
def neighbours(ladder: Ladder, versions: tuple[Version, Version]) -> list[Version]:
    """Ten bots of other authors on the ladder, rated 1400, 1420 … 1580 after many games; Alder is at 1500."""
    Rating.objects.create(ladder=ladder, bot=versions[0].bot, value=1500, information=0.01, games=2000, wins=1000,
                          draws=0, rank=1)
    made = [make_version(f"Basalt {number}", owner="otto") for number in range(10)]
    for number, version in enumerate(made):
        join(actor=version.bot.owner, ladder=ladder, version=version, now=START)
        Rating.objects.create(ladder=ladder, bot=version.bot, value=1400 + 20 * number, information=0.01, games=2000,
                              wins=1000, draws=0, rank=number + 1)
    return made


@pytest.fixture
def places(monkeypatch: pytest.MonkeyPatch) -> None:
    """Enough workers for each trial to have the maximum number of open matches."""
    monkeypatch.setattr("tournaments.operations.workers.fleet",
                        lambda now: Fleet([Crew(["square-grid-hex"], "standard", draining=False, workers=1, slots=8)]))


@pytest.fixture
def upload(author: User):
    """Return a function that uploads a bot by name and returns its new version, unchecked."""

    def upload(name: str, **manifest: str) -> Version:
        return ready_version(accept_upload(archive=make_archive(name, **manifest), filename=f"{name}.zip",
                                           uploader=author, now=START))

    return upload


@pytest.fixture
def enter(mia: User, ladder: Ladder, versions: tuple[Version, Version]):
    """Return a function that enters the newer version, by default with bounds that are reached quickly."""

    def enter(**change: object) -> Candidacy:
        return trials.enter(**{"actor": mia, "ladder": ladder, "version": versions[1], "elo0": 0, "elo1": 100,
                               "seed": 7, "now": START, **change})

    return enter
