"""Every filter of every list, with the extreme values of its type."""

from typing import Any, Final

import pytest

from tests.tournaments.api import contract
from tests.tournaments.api.roles import client_of, make_world

TIMES: Final = ("0001-01-01T00:00:00+23:00", "9999-12-31T23:59:59-23:00", "0001-01-01", "9999-12-31T23:59:59Z")
EXTREMES: Final = {
    "integer": (-2**63 - 1, 2**63 - 1, 10**400, "1e400"),
    "number": (-2**63 - 1, 10**40, "1e400", "NaN", "-Infinity"),
    "string": ("\x00", "é" * 5000, "\ufeff"),
    "date-time": TIMES,
}


def questions() -> list[tuple[str, str, Any]]:
    """Return each list, each of its parameters, and extreme values of the parameter's type."""
    found = []
    for path, methods in contract.schema()["paths"].items():
        for parameter in methods.get("get", {}).get("parameters", ()) if "{" not in path else ():
            form = parameter["schema"]
            kind = form.get("format") if form.get("format") in EXTREMES else form.get("type")
            found += [(path, parameter["name"], value) for value in EXTREMES.get(kind, ("x",))]
    return found


@pytest.mark.database
@pytest.mark.slow
@pytest.mark.django_db
class TestAList:
    def test_answers_or_refuses_the_extreme_values_of_its_filters(self) -> None:
        make_world()
        client, asked = client_of("organiser"), questions()
        client.raise_request_exception = False
        assert {("/api/games/", "since", TIMES[0]), ("/api/audit/", "before", TIMES[1])} <= set(asked)
        answers = [(*question, client.get(question[0], {question[1]: question[2]}).status_code) for question in asked]
        assert [answer for answer in answers if answer[-1] >= 500] == []
