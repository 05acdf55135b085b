#!/usr/bin/env python3
"""Squarefield's one entry: `python3 manage.py demo`, `selftest`, `web`, `worker` and every Django command.

It needs Python 3.11 and pip, nothing else: on the first start it installs the locked packages into `.venv` and
starts itself again inside. With SQUAREFIELD_NO_BOOTSTRAP=1 it uses the packages of the Python that runs it.
"""

import os
import sys

# Up to here, and in this test, the file must be readable for any Python 3.
if sys.version_info < (3, 11):  # noqa: UP036 - the reader may well have an older one; that is what the sentence is for.
    sys.exit(
        "Squarefield needs Python 3.11 or newer, and this is %d.%d: run `python3.11 manage.py ...`."  # noqa: UP031
        % sys.version_info[:2]
    )


def main() -> None:
    """Prepare the environment, then run the command. Help for a first look needs no environment."""
    from tournaments.setup.bootstrap import environment, usage

    told = usage.help_of(sys.argv[1:])
    if told is not None:
        sys.stdout.write(told)
        return
    command = sys.argv[1] if len(sys.argv) > 1 else "help"
    environment.enter("dev" if command in environment.DEV_COMMANDS else "run")
    if command == "selftest":
        from tournaments.setup.bootstrap import selftest

        sys.exit(selftest.main(sys.argv[2:]))
    if command == "demo":
        # Its children get the address of the Redis that it starts. Itself it needs none, and a cache in memory.
        os.environ["REDIS_URL"] = "memory://"
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tournaments.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as reason:
        sys.exit("Squarefield cannot start: " + str(reason))


if __name__ == "__main__":
    main()
