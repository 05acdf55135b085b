"""What the site allows, how much at a time, and how long it waits: one module per domain.

`tournaments.settings` takes in every name: code and tests read and override them as Django's settings. The environment
may set most of them (docs/reference/settings.md).
"""

import environ

env = environ.Env()
