"""Write access of each role through the API."""

import pytest

from tests.tournaments.api import contract
from tests.tournaments.api.roles import CASES, ROLES, TABLE, World, ask, make_world


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
