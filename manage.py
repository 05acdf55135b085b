#!/usr/bin/env python3
"""Squarefield's entry point: `python3 manage.py demo`, `selftest`, `web`, `worker` and every Django command.

It needs only Python 3.11 and pip: on the first start it installs the locked packages into `.venv` and restarts itself
inside it. With SQUAREFIELD_NO_BOOTSTRAP=1 it uses the packages of the Python that runs it.
"""

import os
import sys

# Up to and including this check, the file must run on any Python 3.
if sys.version_info < (3, 11):  # noqa: UP036 - the message is for users of older versions.
    sys.exit(
        "Squarefield needs Python 3.11 or newer; this is %d.%d. Run `python3.11 manage.py ...`."  # noqa: UP031
        % sys.version_info[:2]
    )


def main() -> None:
    """Prepare the environment, then run the command. Basic help needs no environment."""
    from contextlib import nullcontext

    from tournaments.setup.bootstrap import environment, restarts, usage

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
        # Its child processes get the address of the Redis that it starts. It needs none itself, only a cache in memory.
        os.environ["REDIS_URL"] = "memory://"
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tournaments.settings")
    with restarts.held_back() if command == "worker" else nullcontext():
        execute()


def execute() -> None:
    """Run the command with Django."""
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as reason:
        sys.exit("Squarefield cannot start: " + str(reason))


if __name__ == "__main__":
    main()
