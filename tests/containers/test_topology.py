"""docker-compose.yml, started as in docs/how-to/operator/install-compose.md: authors' bots play, and nothing is lost.

The tests share one site and run in this order.
"""


import sys

import pytest

from tests.containers.author import Author, reference_bot
from tests.containers.engine import Engine, EngineFailed
from tests.containers.topology import SERVERS, Topology

MEGABYTE = 1_000_000
RULESET, SIZE = "square-grid-hex", 3
# Enough for matches to be in progress while a container restarts.
CYCLES = 10


class Arena:
    """A ladder, the bots of two ordinary authors on it, and the events between these bots."""

    def __init__(self, site: Topology, organiser: Author) -> None:
        self.site, self.organiser = site, organiser
        created = site.within("web", "python", "manage.py", "create_ladder", RULESET, str(SIZE), "5+0.1")
        self.ladder = created.split()[-1]
        self.events: list[str] = []
        mia, noor = Author("mia"), Author("noor")
        wanted = [(mia, "greedy", "Alder"), (mia, "random", "Basalt"), (noor, "random", "Cinder")]
        uploads = [(author, author.upload(reference_bot(kind, name, RULESET))) for author, kind, name in wanted]
        self.submissions = [self._checked(author, path) for author, path in uploads]
        assert [(found["status"], found["refusal"]) for found in self.submissions] == [("accepted", "")] * len(uploads)
        self.versions = [submission["version"]["id"] for submission in self.submissions]
        for (author, _), version in zip(uploads, self.versions, strict=True):
            author.ask(f"/api/ladders/{self.ladder}/join/", version=version)

    def event(self) -> str:
        """Return an event in progress; start another one if the last is over."""
        if not self.events or self.status(self.events[-1]) == "finished":
            event = self.organiser.ask("/api/events/", name=f"Cup {len(self.events) + 1}", ladder=self.ladder,
                                       versions=self.versions, cycles=CYCLES)
            self.events.append(event["slug"])
            self.more_games(event["slug"], 0)
        return self.events[-1]

    def status(self, event: str) -> str:
        """Return the event's status; empty if the site does not answer."""
        return (self.organiser.try_to_ask(f"/api/events/{event}/") or {"status": ""})["status"]

    def games(self, event: str) -> int:
        """Return how many games of the event are finished; -1 if the site does not answer."""
        return (self.organiser.try_to_ask(f"/api/events/{event}/progress/") or {"games_done": -1})["games_done"]

    def more_games(self, event: str, than: int) -> None:
        """Wait until the event has more finished games than this, or is over."""
        self.site.wait("worker", f"more than {than} games",
                       lambda: self.games(event) > than or self.status(event) == "finished")

    def finish(self) -> None:
        """Wait until all events are over."""
        for event in self.events:
            self.site.wait("coordinator", f"the end of {event}", lambda event=event: self.status(event) == "finished")

    def _checked(self, author: Author, path: str) -> dict:
        return self.site.wait("worker", f"the check of {path}", lambda: (
            found if (found := author.ask(path))["status"] in {"accepted", "refused"} else None))


@pytest.fixture(scope="session")
def arena(site: Topology, organiser: Author) -> Arena:
    return Arena(site, organiser)


class TestTheImages:
    @pytest.mark.parametrize(("image", "limit"), [("squarefield", 250), ("squarefield-worker", 900)])
    def test_are_no_larger_than_promised(self, engine: Engine, image: str, limit: int) -> None:
        size = int(engine.docker("image", "inspect", "--format={{.Size}}", image)) / MEGABYTE
        sys.stdout.write(f"containers: {image} has {size:.0f} MB\n")
        assert size <= limit

    @pytest.mark.parametrize("image", ["squarefield", "squarefield-worker"])
    def test_say_where_their_bill_of_materials_is(self, engine: Engine, image: str) -> None:
        place = engine.docker("image", "inspect", '--format={{index .Config.Labels "sbom"}}', image).strip()
        bill = engine.docker("run", "--rm", "--network=none", image, "cat", place)
        assert '"bomFormat": "CycloneDX"' in bill
        assert "pkg:pypi/django@" in bill


class TestTheSite:
    def test_starts_completely(self, site: Topology) -> None:
        assert [service for service in SERVERS if not site.healthy(service)] == []
        assert [site.state(service)["ExitCode"] for service in ("migrate", "roles")] == [0, 0]

    def test_has_a_worker_of_the_standard_tier(self, site: Topology) -> None:
        assert "with bots of all authors. Sandbox: standard tier; each bot has a user ID" in site.logs("worker")

    def test_serves_the_release_of_its_own_code(self, site: Topology) -> None:
        listed = site.within("web", "wget", "-q", "-O", "-", "http://127.0.0.1:8000/downloads/SHA256SUMS")
        assert "  squarefield.pyz\n" in listed

    def test_lets_a_worker_reach_only_its_servers(self, site: Topology) -> None:
        script = "import socket, sys; socket.create_connection((sys.argv[1], int(sys.argv[2])), 3)"
        for name, port in (("postgres", "5432"), ("redis", "6379")):
            site.within("worker", "python", "-c", script, name, port)
        for place in ("web", site.address("web", "data"), site.address("web", "edge")):
            with pytest.raises(EngineFailed, match=r"gaierror|TimeoutError|unreachable"):
                site.within("worker", "python", "-c", script, place, "8000")

    def test_has_a_worker_that_cannot_change_archives(self, site: Topology) -> None:
        with pytest.raises(EngineFailed, match="Read-only file system"):
            site.within("worker", "touch", "/var/lib/squarefield/archives/bots/ours")

    def test_has_a_worker_that_says_why_it_does_not_start(self, site: Topology) -> None:
        with pytest.raises(EngineFailed, match="the sandbox has only the tier reduced, because"):
            site.compose("run", "--rm", "--no-deps", "-T", "worker", files=("docker-compose.yml",))


class TestAnOrdinaryAuthor:
    def test_sees_each_bot_qualify(self, arena: Arena) -> None:
        assert [(found["status"], found["refusal"]) for found in arena.submissions] == [("accepted", "")] * 3

    def test_sees_a_rated_match_on_a_ladder(self, arena: Arena) -> None:
        def rated() -> bool:
            rows = arena.organiser.ask(f"/api/ladders/{arena.ladder}/standings/")["results"]
            return len([row for row in rows if row["games"]]) >= 2

        assert arena.site.wait("worker", "a rated match", rated)

    def test_gets_a_build_that_the_site_can_read(self, site: Topology, arena: Arena) -> None:
        builds = "find /var/lib/squarefield/archives/builds -type f -exec"
        assert int(site.within("web", "sh", "-c", f"{builds} cat {{}} + | wc -c")) > 0
        owners = site.within("web", "sh", "-c", f"{builds} stat -c %u:%g {{}} +")
        assert set(owners.split()) == {"0:1000"}


class TestAnEvent:
    @pytest.mark.parametrize("service", SERVERS)
    def test_goes_on_after_a_container_was_killed(self, site: Topology, arena: Arena, service: str) -> None:
        event = arena.event()
        site.kill(service)
        arena.more_games(event, max(0, arena.games(event)))

    def test_goes_on_while_each_service_is_replaced(self, site: Topology, arena: Arena) -> None:
        event = arena.event()
        site.replace("next")
        arena.more_games(event, max(0, arena.games(event)))

    def test_loses_and_doubles_nothing(self, site: Topology, arena: Arena) -> None:
        arena.finish()
        assert site.audit(*arena.events) == ""

    def test_is_played_through_pgbouncer(self, site: Topology, arena: Arena) -> None:
        site.up("pgbouncer", database="pgbouncer:6432", SQUAREFIELD_DATABASE_POOLER="transaction")
        event = arena.event()
        clients = site.within("postgres", "psql", "--username=squarefield", "-Atc", "select distinct client_addr "
                              "from pg_stat_activity where usename like 'squarefield\\_%'")
        assert clients.split()
        assert set(clients.split()) <= {site.address("pgbouncer", network) for network in ("data", "workers")}
        arena.finish()
        assert site.audit(event) == ""
