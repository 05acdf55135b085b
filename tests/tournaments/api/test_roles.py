"""Write access of each role through the API."""

import pytest

from tests.tournaments.api import contract
from tests.tournaments.api.roles import CASES, ROLES, TABLE, World, address_of, ask, client_of, make_world


@pytest.fixture(scope="module")
def world(module_db: None) -> World:
    return make_world()


class TestTheTable:
    def test_contains_every_writing_operation(self) -> None:
        assert set(TABLE) == {f"{method.upper()} {path}" for path, methods in contract.schema()["paths"].items()
                              for method in methods if method != "get"}

    @pytest.mark.slow
    @pytest.mark.parametrize("column", range(-1, len(ROLES)), ids=["anyone", *ROLES])
    def test_matches_the_answers_to_a_role(self, world: World, db: None, column: int) -> None:
        who = [*ROLES.values(), None][column]
        wrong = []
        for operation, case in CASES:
            answer, expected = ask(who, operation, case, world), (*case.answers, 401)[column]
            if answer != expected:
                wrong.append((operation, case.key, answer, expected))
        assert wrong == []


class TestReading:
    @pytest.mark.slow
    def test_gives_what_the_schema_says(self, world: World, db: None) -> None:
        # The event is no arena and has not ended, and these requests lack parameters.
        refused = {"/api/events/{slug}/arena/": 404, "/api/events/{slug}/bundle/": 409,
                   "/api/events/{slug}/precision/": 404, "/api/events/{slug}/trf/": 409,
                   "/api/ladders/{slug}/superiority/": 400, "/api/search/": 400}
        given = {}
        for path in (path for path, methods in contract.schema()["paths"].items() if "get" in methods):
            answers = [client_of(who).get(address_of(path, world)) for who in ("mia", "organiser")]
            for answer in answers:
                contract.check(answer, path)
            given[path] = min(answer.status_code for answer in answers)
        assert {path: status for path, status in given.items() if status != 200} == refused
