"""Checks the database of a site that plays no more matches, with the invariants of the fault tests.

    python -m tests.containers.audit EVENT …

Prints one line for each promise that does not hold. DATABASE_URL names the database.
"""

import os
import sys
from types import SimpleNamespace

import django


def main(slugs: list[str]) -> None:
    """Check these events."""
    from tests.faults.invariants import broken_rules
    from tournaments.models import Event

    site = SimpleNamespace(environment=dict(os.environ))
    for slug in slugs:
        for broken in broken_rules(site, Event.objects.get(slug=slug)):
            sys.stdout.write(f"{slug}: {broken}\n")


if __name__ == "__main__":
    django.setup()
    main(sys.argv[1:])
