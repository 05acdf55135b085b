"""Write access of each role through the API."""

from typing import Any

import pytest

from tests.tournaments.api.roles import CASES, ROLES, TABLE, WRITING, Case, World, ask, make_world


@pytest.fixture
def world(db: None, settings: Any) -> World:
    settings.MAX_ATTEMPTS = 1
    return make_world()


class TestTheTable:
    def test_contains_every_writing_operation(self) -> None:
        assert set(TABLE) == WRITING

    @pytest.mark.parametrize(("operation", "case"), CASES, ids=[f"{name} {case.key}".strip() for name, case in CASES])
    def test_matches_the_answers_to_each_role(self, world: World, operation: str, case: Case) -> None:
        assert ask(None, operation, case, world) == 401
        answers = {role: ask(who, operation, case, world) for role, who in ROLES.items()}
        assert answers == dict(zip(ROLES, case.answers, strict=True))
