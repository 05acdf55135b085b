"""The site's limits, quotas and time-outs: one module per domain.

`tournaments.settings` imports every name, so that code and tests read and override them as Django settings. Most can be
set in the environment (docs/reference/settings.md).
"""

import environ

from tournaments.policy.secret_files import SecretFiles


class _Env(environ.Env):
    ENVIRON = SecretFiles()


env = _Env()
