"""The migrations of this release, and some of a next one, written as CONTRIBUTING.md says."""

from pkgutil import iter_modules

from tournaments import migrations

# The newest of this release, which those of the next build upon.
NEWEST = max(module.name for module in iter_modules(migrations.__path__))
__path__ = [*migrations.__path__, *__path__]
