"""The migrations of this release plus examples for a next release, written as CONTRIBUTING.md describes."""

from pkgutil import iter_modules

from tournaments import migrations

# The newest migration of this release, on which those of the next release depend.
NEWEST = max(module.name for module in iter_modules(migrations.__path__))
__path__ = [*migrations.__path__, *__path__]
