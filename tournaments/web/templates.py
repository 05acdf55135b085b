"""Templates are indented for those who read them; pages are sent without the indentation, a quarter of their size."""

import re

from django.template.base import Origin
from django.template.loaders.app_directories import Loader

# Lines stay lines, so that errors name the right one. `<pre>` and `<textarea>` begin and end on one line in ours.
_INDENTATION = re.compile(r"(?<=\n)[ \t]+")


class UnindentedLoader(Loader):
    """Finds templates in the apps' directories, and drops the indentation of those of pages."""

    def get_contents(self, origin: Origin) -> str:
        contents = super().get_contents(origin)
        return _INDENTATION.sub("", contents) if origin.name.endswith(".html") else contents
